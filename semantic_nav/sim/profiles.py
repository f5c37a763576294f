"""Profiles of what is wrong with a part of the simulator: YAML files, one or several as one."""

from pathlib import Path
from typing import Any

import yaml

from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav.contracts.schemas import check
from semantic_nav.contracts.share import share_path

Json = dict[str, Any]


def profile_names(part: str) -> list[str]:
    """Return the names of the profiles of a part that come with the package."""
    return sorted(path.stem for path in share_path('config', 'profiles', part).glob('*.yaml'))


def merged_profile(part: str, choice: str) -> Json:
    """Return a profile, or several as one.

    Args:
        part: a folder of config/profiles; its profiles keep schema/<part>_profile.schema.json.
        choice: names, or paths of YAML files, with `+` between them, as 'default+late_frames'; a
            path has a slash in it. Where two speak of the same thing, the later one holds.

    Raises:
        ConfigError: one does not exist, is no YAML or breaks the schema.
    """
    merged: Json = {}
    for name in choice.split('+'):
        for section, values in _read(part, name.strip()).items():
            if section != 'description':
                merged[section] = {**merged.get(section, {}), **values}
    return merged


def _read(part: str, name: str) -> Json:
    path = Path(name) if '/' in name else share_path('config', 'profiles', part, f'{name}.yaml')
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except FileNotFoundError as error:
        raise ConfigError(f'no profile {name!r} of the {part}: known are '
                          f'{", ".join(profile_names(part))}, or give the path of a YAML file'
                          ) from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'profile {path} cannot be read: {error}') from error
    try:
        check(f'{part}_profile', document)
    except ContractError as error:
        raise ConfigError(f'profile {path}: {error}') from error
    profile: Json = document
    return profile
