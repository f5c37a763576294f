"""Ways the navigator can misbehave: a profile is a YAML file, read once at the start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build, parameter
from semantic_nav.contracts.share import share_path

_PROFILES = ('config', 'profiles', 'navigator')


@dataclass(frozen=True)
class NavigatorFaults:
    """What goes wrong, beside what goes wrong by itself; the defaults are a healthy Nav2."""

    planning_delay_s: float = parameter(
        0.0, 'how long the planner takes, before a drive too [s]', 0.0, 600.0)
    planner_alive: bool = parameter(
        True, 'false: no compute_path_to_pose; goals of navigate_to_pose are rejected')
    rejects_goals: bool = parameter(False, 'navigate_to_pose takes no goal')
    feedback: bool = parameter(True, 'navigate_to_pose tells how far it is')
    spurious_abort_every: int = parameter(
        0, 'every n-th goal of navigate_to_pose ends as ABORTED with code 0 while the robot '
        'drives on, as on a busy machine with the stock default_server_timeout; 0: none', 0, 1000)
    spurious_abort_after_s: float = parameter(
        1.0, 'how long after its acceptance such a goal ends so [s]', 0.0, 600.0)
    drop_every: int = parameter(
        0, 'every n-th goal of navigate_to_pose is accepted and forgotten: nothing drives, and '
        'neither a result nor an answer to a cancel comes; 0: none', 0, 1000)


def profile_names() -> list[str]:
    """Return the names of the profiles that come with the package."""
    return sorted(path.stem for path in share_path(*_PROFILES).glob('*.yaml'))


def load_faults(profile: str) -> NavigatorFaults:
    """Return a profile.

    Args:
        profile: a name from config/profiles/navigator, or the path of a YAML file.

    Raises:
        ConfigError: there is no such profile, or it cannot be used; names the value.
    """
    path = Path(profile) if profile.endswith('.yaml') else share_path(
        *_PROFILES, f'{profile}.yaml')
    if not path.is_file():
        raise ConfigError(f'no profile {profile!r} of the navigator: there are '
                          f'{", ".join(profile_names())}, or give the path of a YAML file')
    try:
        values = yaml.safe_load(path.read_text(encoding='utf-8')) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'{path} cannot be read: {error}') from error
    if not isinstance(values, dict):
        raise ConfigError(f'{path}: expected names and values')
    try:
        return build(NavigatorFaults, values)
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from error
