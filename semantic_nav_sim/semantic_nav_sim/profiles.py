"""Profiles with the faults of a part of the simulator: YAML files, one or several merged."""

from typing import Any, ClassVar, Protocol, TypeVar

import yaml

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav_sim.profile_files import USUAL, names_in, profile_file
from semantic_nav_sim.schemas import check

Json = dict[str, Any]


class Profile(Protocol):
    """A frozen dataclass with the faults of a part; by default there are none.

    Attributes:
        PART: a folder of config/profiles; its profiles follow schema/<part>_profile.schema.json.
    """

    PART: ClassVar[str]


P = TypeVar('P', bound=Profile)


def load_profile(kind: type[P], choice: str = USUAL) -> P:
    """Load a profile of a part, or several merged ones.

    Args:
        kind: class of the profile, which names the part.
        choice: names, or paths of YAML files, with `+` between them, such as
            'default+late_frames'; a path has a slash in it. A later profile overrides an earlier
            one.

    Raises:
        ConfigError: one does not exist, is not YAML, breaks the schema, or is inconsistent.
    """
    merged: Json = {}
    for name in names_in(choice):
        for section, values in _read(kind.PART, name).items():
            if section != 'description':
                merged[section] = {**merged.get(section, {}), **values}
    try:
        return from_plain(merged, kind)
    except ContractError as error:
        raise ConfigError(f'profile {choice!r}: {error}') from error


def _read(part: str, name: str) -> Json:
    path = profile_file(part, name)
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'profile {path} cannot be read: {error}') from error
    try:
        check(f'{part}_profile', document)
    except ContractError as error:
        raise ConfigError(f'profile {path}: {error}') from error
    profile: Json = document
    return profile
