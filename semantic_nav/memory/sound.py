"""Checks of a store's rows: the file outlives the program, and others may write to it.

A row that breaks the limits of the documents would crash the memory whenever it is offered.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents.places import MOST_TAGS
from semantic_nav.contracts.fields import (
    MAX_COORDINATE_M,
    MAX_ID,
    MAX_INTEGER,
    MAX_LABEL,
    MAX_NAME,
    MAX_TEXT,
)
from semantic_nav.memory.place import Edge, Place
from semantic_nav.memory.store import StoredMap

_YAW_RAD = 7.0
#: Largest component of a unit vector, with room for rounding.
_COMPONENT = 1.01
#: Most left-out rows that are named.
_NAMED = 5


def sound_map(places: Iterable[Place], edges: Iterable[Edge], vector_ids: Sequence[str],
              vectors: NDArray[np.float32], faults: Iterable[str] = ()) -> StoredMap:
    """The usable part of a map, with the faults of the rest.

    Args:
        places, edges: as they were stored.
        vector_ids: the places of the vectors, n of them.
        vectors: shape (n, d), float32.
        faults: rows that could not be read, each with its fault.
    """
    left_out = list(faults)

    def usable(what: str, fault: str) -> bool:
        if fault:
            left_out.append(f'{what}: {fault}')
        return not fault

    good = tuple(place for place in places if usable(_named(place.id), fault_of_place(place)))
    known = {place.id for place in good}
    ways = tuple(edge for edge in edges if usable(
        f'way from {_named(edge.from_id)}', _fault_of_edge(edge)))
    # A vector without its place is no fault of its own.
    rows = [row for row, place_id in enumerate(vector_ids) if place_id in known]
    with np.errstate(invalid='ignore'):
        unit = np.all(np.abs(vectors) <= _COMPONENT, axis=1)
    rows = [row for row in rows if usable(
        f'vector of {_named(vector_ids[row])}',
        '' if unit[row] else 'it holds what is no number of a unit vector')]
    return StoredMap(good, ways, tuple(vector_ids[row] for row in rows), vectors[rows],
                     len(left_out), _words_of(left_out))


def fault_of_place(place: Place) -> str:
    """The reason why a place cannot be offered; empty if it can."""
    pose = place.pose
    if not (abs(pose.x) <= MAX_COORDINATE_M and abs(pose.y) <= MAX_COORDINATE_M
            and abs(pose.yaw) <= _YAW_RAD):
        return f'its pose is ({pose.x:.3g} m, {pose.y:.3g} m, {pose.yaw:.3g} rad)'
    if not place.id:
        return 'it has no id'
    if len(place.tags) > MOST_TAGS:
        return f'it has {len(place.tags)} tags'
    for name, texts, most in (
            ('id', (place.id,), MAX_ID), ('kind', (place.kind,), MAX_LABEL),
            ('name', (place.name,), MAX_LABEL),
            ('tag', place.tags, MAX_LABEL), ('summary', (place.summary,), MAX_TEXT),
            ('session', (place.session,), MAX_NAME)):
        for text in texts:
            if len(text) > most:
                return f'its {name} has {len(text)} characters'
            if not _is_text(text):
                return f'its {name} is no text'
    if place.found is not None and not (
            all(abs(value) <= MAX_COORDINATE_M for value in place.found.position)
            and 0.0 <= place.found.deep_m <= MAX_COORDINATE_M):
        return f'what was found is at {place.found.position}, {place.found.deep_m:.3g} m deep'
    if not 0 <= place.visits <= MAX_INTEGER:
        return f'its visits are no count from 0 to {MAX_INTEGER}'
    if max(abs(place.created_calendar_ns), abs(place.last_seen_calendar_ns)) > MAX_INTEGER:
        return 'it was seen at no time of a calendar'
    return ''


def _fault_of_edge(edge: Edge) -> str:
    if edge.from_id == edge.to_id:
        return 'it leads nowhere'
    return '' if 0.0 <= edge.length_m < math.inf else f'it is {edge.length_m:.3g} m long'


def _is_text(text: str) -> bool:
    """Tell whether a text can be written as UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _named(place_id: str) -> str:
    return ascii(place_id if len(place_id) <= MAX_NAME else f'{place_id[:20]}...')


def _words_of(left_out: list[str]) -> str:
    more = len(left_out) - _NAMED
    return '; '.join([*left_out[:_NAMED], *([f'and {more} more'] if more > 0 else [])])
