"""Reads profiles of the model server from YAML, checks them and puts several into one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav.contracts.schemas import check
from semantic_nav.contracts.share import share_path
from semantic_nav.sim.model.profile import Profile

Json = dict[str, Any]
_FOLDER = ('config', 'profiles', 'model')


def profile_names() -> list[str]:
    """Return the names of the profiles that come with the package."""
    return sorted(path.stem for path in share_path(*_FOLDER).glob('*.yaml'))


def load_profile(choice: str) -> Profile:
    """Return a profile, or several as one.

    Args:
        choice: names or paths of YAML files with `+` between them, as 'default+hang'; a path has
            a slash in it. Where two of them speak of the same thing, the later one holds.

    Raises:
        ConfigError: one does not exist, is no YAML, breaks schema/model_profile.schema.json, or
            says what makes no sense.
    """
    merged: Json = {}
    for name in choice.split('+'):
        for part, values in _read(name.strip()).items():
            if part != 'description':
                merged[part] = {**merged.get(part, {}), **values}
    try:
        profile = from_plain(merged, Profile)
    except ContractError as error:
        raise ConfigError(f'profile {choice!r}: {error}') from error
    _check_sense(choice, profile)
    return profile


def _read(name: str) -> Json:
    path = Path(name) if '/' in name else share_path(*_FOLDER, f'{name}.yaml')
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except FileNotFoundError as error:
        raise ConfigError(f'no profile {name!r}: known are {", ".join(profile_names())}, or give '
                          'the path of a YAML file') from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'profile {path} cannot be read: {error}') from error
    try:
        check('model_profile', document)
    except ContractError as error:
        raise ConfigError(f'profile {path}: {error}') from error
    profile: Json = document
    return profile


def _check_sense(choice: str, profile: Profile) -> None:
    """Refuse what the schema cannot express."""
    eyes, latency_s = profile.eyes, profile.transport.latency_s
    for name, low, high in (('blind_px and sure_px', eyes.blind_px, eyes.sure_px),
                            ('sure_m and blind_m', eyes.sure_m, eyes.blind_m),
                            ('blind_share and sure_share', eyes.blind_share, eyes.sure_share),
                            ('latency_s', *latency_s)):
        if low > high:
            raise ConfigError(f'profile {choice!r}: {name} must rise, not {low} and {high}')
