"""Usual places of small things in a home, from usual_places.yaml."""

from collections.abc import Mapping
from typing import Any

from semantic_nav_sim.world.sources import table_beside

_TABLE: dict[str, Any] = table_beside(__file__)
_THINGS: dict[str, dict[str, dict[str, float]]] = _TABLE['things']
#: Kinds of things with known places.
KNOWN = tuple(_THINGS)
#: Weight of a room, by how usual a thing is there. A thing that the data says is never there is
#: rare in a home: estimate.
_ROOM = (0.1, 1.0, 2.0)
#: Share of other furniture, which the data has no word for, that carries a thing: estimate.
_ELSEWHERE = 0.005


def kept_on(kind: str) -> Mapping[str, float]:
    """Shares of a kind of thing on each kind of furniture; empty if unknown."""
    on = _THINGS.get(kind, {}).get('furniture', {})
    return {**on, **{name: on[same] for name, same in _TABLE['same_furniture'].items()
                     if same in on}}


def likelihood(kind: str, room: str, furniture: str) -> float:
    """Unnormalised probability of a thing at one place; equal for all places if unknown.

    Args:
        kind: of the thing.
        room: kind of the room that it is in, '' for none.
        furniture: kind of the furniture that it is on.
    """
    if kind not in _THINGS:
        return 1.0
    usual = _THINGS[kind]['rooms'].get(_TABLE['same_rooms'].get(room, room), 0)
    return _ROOM[int(usual)] * kept_on(kind).get(furniture, _ELSEWHERE)
