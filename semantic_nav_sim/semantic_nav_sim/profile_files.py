"""Paths of profiles by name; standard library only, since launch files use this too."""

from pathlib import Path

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.share import share_path

#: The default profile: no robot, model or Nav2 is without faults.
USUAL = 'default'
#: Profiles of the robot's localisation: on a saved map, and while the map is made.
AMCL, SLAM = LOCALISERS = ('amcl', 'slam')


def profile_names(part: str) -> list[str]:
    """The names of the profiles of a part that come with the package."""
    return sorted(path.stem for path in share_path('config', 'profiles', part).glob('*.yaml'))


def names_in(choice: str) -> list[str]:
    """The names, or paths, in a choice of profiles with `+` between them."""
    return [name.strip() for name in choice.split('+')]


def robot_choice(choice: str, localiser: str) -> str:
    """Add the errors of a localiser to the default robot profile in a choice.

    Args:
        choice: names of profiles with `+` between.
        localiser: one of LOCALISERS.
    """
    return '+'.join(f'{name}+{localiser}' if name == USUAL else name for name in names_in(choice))


def profile_file(part: str, name: str) -> Path:
    """The file of a profile of a part.

    Args:
        part: a folder of config/profiles.
        name: of a file there, or the path of another one, with a slash in it.

    Raises:
        ConfigError: it does not exist.
    """
    path = Path(name) if '/' in name else share_path('config', 'profiles', part, f'{name}.yaml')
    if not path.exists():
        raise ConfigError(f'no profile {name!r} of the {part}: known are '
                          f'{", ".join(profile_names(part))}, or give the path of a YAML file')
    return path
