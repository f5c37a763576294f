"""Profiles of robots, config/robots/NAME.yaml: topics, frames and size.

A profile is a parameter file with the few values that differ. A user's own file overrides it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_path


def robots_known() -> list[str]:
    """Names of the robots that have a profile."""
    return sorted(path.stem for path in share_path('config', 'robots').glob('*.yaml'))


def profile_of(robot: str) -> Path:
    """Path of the profile of a robot.

    Args:
        robot: a name in config/robots, or the path of a YAML file.

    Raises:
        ConfigError: there is no such robot and no such file.
    """
    if robot in robots_known():
        return share_path('config', 'robots', f'{robot}.yaml')
    path = Path(robot).expanduser()
    if path.suffix in ('.yaml', '.yml') and path.is_file():
        return path
    if path.name != robot:
        raise ConfigError(f'{robot} is not there, or no YAML file')
    raise ConfigError(f'no robot {robot!r}: known are {", ".join(robots_known())}, '
                      'or give the path of a YAML file')


def overridden(profile: Mapping[str, Any], own: Mapping[str, Any]) -> list[str]:
    """Parameters that a parameter file sets otherwise than a profile, as 'verifier robot_radius'.

    Args:
        profile, own: the parsed files, sections by node name, with wildcards.
    """
    found = []
    for node, section in profile.items():
        name = node.rpartition('/')[2]
        for key, value in ((section or {}).get('ros__parameters') or {}).items():
            for other, values in own.items():
                said = (values or {}).get('ros__parameters') or {}
                if other.rpartition('/')[2] in (name, '**') and said.get(key, value) != value:
                    found.append(f'{name} {key}')
    return found
