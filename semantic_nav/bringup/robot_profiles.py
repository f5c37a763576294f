"""What robots call their topics and frames, and how large they are: config/robots/NAME.yaml.

Such a profile is a parameter file with the few values that differ. A person's own counts first.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_path


def robots_known() -> list[str]:
    """Return the names of the robots with a profile."""
    return sorted(path.stem for path in share_path('config', 'robots').glob('*.yaml'))


def profile_of(robot: str) -> Path:
    """Return the profile of a robot.

    Args:
        robot: a name in config/robots, or the path of a YAML file.

    Raises:
        ConfigError: there is neither.
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
    """Return what a parameter file says otherwise than a profile: 'verifier robot_radius'.

    Args:
        profile, own: the documents, by the names of nodes with their wildcards.
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
