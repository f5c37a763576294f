"""Required things of a generated home, from semantic_nav_sim/config/worlds/vocabulary.yaml."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.share import share_path
from semantic_nav_sim.world.generator.catalogue import FURNITURE, OBJECTS
from semantic_nav_sim.world.generator.layout import HALL, NEEDS


@cache
def vocabulary() -> dict[str, tuple[str, ...]]:
    """The kinds of rooms that require each kind of thing; empty if every home does.

    Raises:
        ConfigError: the file names an unknown thing or room.
    """
    path = share_path('config', 'worlds', 'vocabulary.yaml')
    document = yaml.safe_load(path.read_text(encoding='utf-8'))
    wanted: dict[str, tuple[str, ...]] = {}
    for group, known in (('furniture', FURNITURE), ('objects', OBJECTS)):
        for kind, rooms in document[group].items():
            if kind not in known:
                raise ConfigError(f'{path}: no kind {kind!r} in {group}')
            unknown = set(rooms) - {HALL, *NEEDS}
            if unknown:
                raise ConfigError(f'{path}: {kind}: no rooms {", ".join(sorted(unknown))}')
            wanted[kind] = tuple(rooms)
    return wanted


def called_for(kind: str, rooms: Iterable[str]) -> bool:
    """Tell whether a home with these kinds of rooms requires a kind of thing."""
    wanted = vocabulary().get(kind)
    return wanted is not None and (not wanted or not set(wanted).isdisjoint(rooms))


def missing(document: dict[str, Any], without: Iterable[str] = ()) -> list[str]:
    """The things that a home lacks of the vocabulary, one sentence each.

    Args:
        document: of the world.
        without: kinds that are absent on purpose.
    """
    rooms = {room['kind'] for room in document['rooms']}
    there = {item['kind'] for item in (*document['furniture'], *document['objects'])}
    absent = frozenset(without)
    return [f'there is no {kind}, which a generated home with these rooms has'
            for kind in vocabulary()
            if called_for(kind, rooms) and kind not in there and kind not in absent]
