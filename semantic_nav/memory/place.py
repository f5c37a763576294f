"""The memory's data: places, their vectors and the ways between them."""

import unicodedata
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D

#: Most names that a place keeps, the newest first.
MAX_TAGS = 24
#: Most names that the summary and the vector of a place stand for.
MAX_SUMMARY_NAMES = 12
_MAX_SUMMARY_CHARS = 300


@dataclass(frozen=True)
class Found:
    """The find of a mission.

    Attributes:
        name: of the thing, by the words of the goal.
        position: in the map frame, in m.
        deep_m: its extent along the line of sight.
    """

    name: str
    position: Point
    deep_m: float = 0.0


@dataclass(frozen=True)
class Place:
    """A viewpoint and the things seen from there.

    Attributes:
        map_id: the map that the pose refers to.
        pose: of the robot at the first look, or at the newest that showed the target of a goal, in
            the map frame: the pose from which to see it again.
        kind: the model's word for the place, such as `kitchen`; may be empty.
        tags: names of things seen, the newest look first, at most MAX_TAGS.
        summary: name, kind and the first tags in one sentence.
        created_calendar_ns: of the first look, since the Unix epoch.
        last_seen_calendar_ns: of the newest look, since the Unix epoch.
        visits: number of times that the robot came here; looks of one stay count once.
        session: of the memory that made the place.
        name: given by an operator; empty for none.
        found: the last find of a mission from here; None for none.
    """

    id: str
    map_id: str
    pose: Pose2D
    kind: str
    tags: tuple[str, ...]
    summary: str
    created_calendar_ns: int
    last_seen_calendar_ns: int
    visits: int
    session: str
    name: str = ''
    found: Found | None = None

    def is_called(self, words: str) -> bool:
        """Tell whether this is its name, whatever the case and normal form."""
        return bool(self.name) and _folded(self.name) == _folded(words)

    def found_as(self, sought: str) -> Found | None:
        """The find of a mission from here by this name; None for none."""
        return self.found if self.found is not None and self.found.name == sought else None

    def holding(self, found: Found) -> 'Place':
        """The place with the find of a mission."""
        tags = tuple(dict.fromkeys((found.name, *self.tags)))[:MAX_TAGS]
        return replace(self, tags=tags, summary=summarise(self.kind, tags, self.name),
                       found=found)

    def called(self, name: str) -> 'Place':
        """The place with another name."""
        return replace(self, name=name, summary=summarise(self.kind, self.tags, name))


@dataclass(frozen=True, eq=False)
class PlaceVector:
    """An embedder's vector of a place.

    Attributes:
        values: unit vector, shape (d,), float32.
    """

    place_id: str
    embedder: str
    values: NDArray[np.float32]


@dataclass(frozen=True)
class Edge:
    """A way that the robot drove from one place to the other.

    Attributes:
        length_m: of the shortest drive between the two so far.
    """

    from_id: str
    to_id: str
    length_m: float


def summarise(kind: str, tags: tuple[str, ...], name: str = '') -> str:
    """One sentence of at most 300 characters; names that do not fit are left out."""
    summary = f'{name}: {kind}' if name and kind else name or kind
    for number, name in enumerate(tags[:MAX_SUMMARY_NAMES]):
        link = ', ' if number else ' with ' if summary else ''
        if len(summary) + len(link) + len(name) > _MAX_SUMMARY_CHARS:
            break
        summary += link + name
    return summary


def phrases(place: Place) -> tuple[str, ...]:
    """The phrases that are embedded for a place: its name, kind and the names in its summary.

    The place's vector is the mean of theirs. A sentence of many names drowns each of them: over
    16 home places with 12 names each, 16 queries and three shuffles, MiniLM gave the places that
    name the sought thing a median score of 0.42 by their sentence and 0.50 by the mean, against
    0.13 and 0.26 for all others (0.39 and 0.45 at their 99th percentile).
    """
    return tuple(filter(None, (place.name, place.kind))) + place.tags[:MAX_SUMMARY_NAMES]


def vector_of(place: Place, embedder: str, vectors: NDArray[np.float32]) -> PlaceVector:
    """The place's vector from those of its phrases, shape (n, d)."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    unit = mean / length if length > 0 else mean
    return PlaceVector(place.id, embedder, unit.astype(np.float32))


def _folded(name: str) -> str:
    return unicodedata.normalize('NFC', name).casefold()
