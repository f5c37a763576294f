"""Reads profiles of the robot."""

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav.sim.profiles import merged_profile
from semantic_nav.sim.robot.profile import RobotProfile

USUAL = 'default'


def load_profile(choice: str = USUAL) -> RobotProfile:
    """Return a profile of config/profiles/robot, or several as one (see `merged_profile`).

    Raises:
        ConfigError: it does not exist, breaks schema/robot_profile.schema.json, or says what
            makes no sense.
    """
    try:
        profile = from_plain(merged_profile('robot', choice), RobotProfile)
    except ContractError as error:
        raise ConfigError(f'profile {choice!r}: {error}') from error
    for name, (least, most) in (('pictures', profile.pictures.late_s),
                                ('scans', profile.scans.late_s)):
        if least > most:
            raise ConfigError(f'profile {choice!r}: {name}.late_s must rise, '
                              f'not {least} and {most}')
    jumps = profile.localisation
    if 0 < jumps.jump_every_s < jumps.jump_lasts_s:
        raise ConfigError(f'profile {choice!r}: a jump of {jumps.jump_lasts_s} s cannot come '
                          f'every {jumps.jump_every_s} s')
    return profile
