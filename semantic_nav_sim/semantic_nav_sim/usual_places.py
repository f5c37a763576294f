"""Where small things usually are in a home, from usual_places.yaml."""

from collections.abc import Mapping
from typing import Any

from semantic_nav_sim.world.sources import table_beside

_TABLE: dict[str, Any] = table_beside(__file__)
_THINGS: dict[str, dict[str, dict[str, float]]] = _TABLE['things']
#: Kinds of things of which it is known.
KNOWN = tuple(_THINGS)
#: What a room counts, by how usual a thing is there. What the data calls never is rare in a home:
#: estimate.
_ROOM = (0.1, 1.0, 2.0)
#: Share of other furniture that bears one, of what the data has no word for: estimate.
_ELSEWHERE = 0.005


def kept_on(kind: str) -> Mapping[str, float]:
    """Return how often furniture bears a kind of thing, by its kind; empty where nobody knows."""
    on = _THINGS.get(kind, {}).get('furniture', {})
    return {**on, **{name: on[same] for name, same in _TABLE['same_furniture'].items()
                     if same in on}}


def likelihood(kind: str, room: str, furniture: str) -> float:
    """Return how likely a thing is at one place, in proportion; all are alike where nobody knows.

    Args:
        kind: of the thing.
        room: kind of the room that it is in, '' for none.
        furniture: kind of what it is on.
    """
    if kind not in _THINGS:
        return 1.0
    usual = _THINGS[kind]['rooms'].get(_TABLE['same_rooms'].get(room, room), 0)
    return _ROOM[int(usual)] * kept_on(kind).get(furniture, _ELSEWHERE)
