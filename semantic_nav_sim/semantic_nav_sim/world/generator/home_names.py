"""Parsing of the names of generated homes, without the simulator, which is needed to make one."""

import re

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world.generator.layout import FEWEST_ROOMS, MOST_ROOMS

_NAME = re.compile('generated:([0-9]+)(?::([0-9]+))?(:wide)?')
#: Digits of the largest seed, 999999999.
_SEED_DIGITS = 9
_ROOMS = frozenset(map(str, range(FEWEST_ROOMS, MOST_ROOMS + 1)))


def parts_of(name: str) -> tuple[int, int | None, bool]:
    """Parse the name of a generated home into seed, number of rooms, and whether it is wide.

    Raises:
        ConfigError: the name is invalid, or there is no such home.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ConfigError(f'no world {name!r}: write generated:SEED or generated:SEED:ROOMS, '
                          'for example generated:7')
    if len(match[1]) > _SEED_DIGITS:
        raise ConfigError(f'no world {name!r}: the largest seed is {"9" * _SEED_DIGITS}')
    if match[2] and match[2] not in _ROOMS:
        raise ConfigError(f'no world {name!r}: a home has {FEWEST_ROOMS} to {MOST_ROOMS} rooms, '
                          'the hall not counted')
    return int(match[1]), int(match[2]) if match[2] else None, bool(match[3])
