"""The places of one map and the ways between them."""

import heapq
from collections.abc import Collection, Iterable
from dataclasses import replace

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.fields import MAX_INTEGER
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.ids import Ids
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.place import MAX_TAGS, Edge, Place, summarise
from semantic_nav.memory.place_index import PlaceIndex
from semantic_nav.memory.retrieval import RANKINGS
from semantic_nav.memory.scene import View

#: Most places that are shown to people at once.
MAX_SHOWN = 500


class PlaceGraph:
    """Makes places of looks, and joins those that follow each other on the robot's path.

    Attributes:
        index: the places.
    """

    def __init__(self, config: MemoryConfig, session: str) -> None:
        """Start empty."""
        self._config = config
        self._session = session
        self._ids = Ids('place', session)
        self._edges: dict[frozenset[str], Edge] = {}
        self._neighbours: dict[str, dict[str, None]] = {}
        self._at: str | None = None
        self._words_of = RANKINGS[config.ranking].words_of_place
        self.index = PlaceIndex(0, self._words_of)

    @property
    def edges(self) -> Collection[Edge]:
        """All ways, in the order of insertion."""
        return self._edges.values()

    def ways_of(self, place_id: str) -> tuple[Edge, ...]:
        """The ways from or to a place, in the order of insertion."""
        return tuple(self._edges[frozenset((place_id, other))]
                     for other in self._neighbours.get(place_id, ()))

    def newest(self) -> tuple[tuple[Place, ...], tuple[Edge, ...]]:
        """The MAX_SHOWN places seen last, in the order of insertion, and the ways between them."""
        shown = {place.id for place in heapq.nlargest(
            MAX_SHOWN, self.index.places,
            key=lambda place: (place.last_seen_calendar_ns, place.id))}
        return (tuple(place for place in self.index.places if place.id in shown),
                tuple(edge for edge in self.edges
                      if edge.from_id in shown and edge.to_id in shown))

    def expect_vectors(self, dimension: int) -> None:
        """Make room for vectors of this length; those of another length are dropped."""
        index = PlaceIndex(dimension, self._words_of)
        for place in self.index.places:
            index.put(place)
        self.index = index

    def add(self, places: Iterable[Place], edges: Iterable[Edge]) -> None:
        """Add the stored places that are new, and ways between known places."""
        for place in places:
            if place.id not in self.index:
                self.index.put(place)
        for edge in edges:
            ends = frozenset((edge.from_id, edge.to_id))
            if ends not in self._edges and all(end in self.index for end in ends):
                self._join(edge)

    def remember(self, view: View, pose: Pose2D, driven_m: float | None, now: Now, *,
                 target_seen: bool) -> tuple[Place, Edge | None]:
        """Add a look to the place of its viewpoint, or make that place.

        Args:
            view: the names that the look saw, not empty.
            pose: of the robot in the map frame.
            driven_m: since the last call; None if the path is not known.
            now: its calendar time goes into the place.
            target_seen: the look shows the target, which may be hidden from the place's viewpoint,
                so that the place moves to the look's pose. A place with a name stays where it is.

        Returns:
            The place, and a new or shorter way to it, else None.
        """
        config = self._config
        nearby = self.index.near(pose, config.place_spacing_m, config.place_turn_rad)
        place = (self._again(nearby[0], view, now) if nearby
                 else self._first(view, pose, now))
        if target_seen and not place.name:
            place = replace(place, pose=pose)
        self.index.put(place)
        edge = self._way_to(place, driven_m)
        self._at = place.id
        return place, edge

    def name(self, place_id: str, name: str) -> list[Place]:
        """Give a place a name, which no other keeps; return the changed places, this one last."""
        place = self.index.get(place_id)
        assert place is not None
        changed = [other.called('') for other in self.index.places
                   if name and other.id != place_id and other.is_called(name)]
        changed.append(place.called(name))
        for one in changed:
            self.index.put(one)
        return changed

    def forget(self, place_id: str) -> None:
        """Remove a place and the ways to it."""
        self.index = self.index.without(place_id)
        for other in self._neighbours.pop(place_id, ()):
            self._edges.pop(frozenset((place_id, other)), None)
            self._neighbours.get(other, {}).pop(place_id, None)

    def _first(self, view: View, pose: Pose2D, now: Now) -> Place:
        place_id = self._ids.mint()
        while place_id in self.index:
            place_id = self._ids.mint()
        tags = view.names[:MAX_TAGS]
        return Place(
            id=place_id, map_id=self._config.map_id, pose=pose, kind=view.kind, tags=tags,
            summary=summarise(view.kind, tags), created_calendar_ns=now.calendar_ns,
            last_seen_calendar_ns=now.calendar_ns, visits=1, session=self._session)

    def _again(self, place: Place, view: View, now: Now) -> Place:
        kind = view.kind or place.kind
        tags = tuple(dict.fromkeys(view.names + place.tags))[:MAX_TAGS]
        return replace(
            place, kind=kind, tags=tags, summary=summarise(kind, tags, place.name),
            last_seen_calendar_ns=now.calendar_ns,
            visits=min(place.visits + (place.id != self._at), MAX_INTEGER))

    def _way_to(self, place: Place, driven_m: float | None) -> Edge | None:
        start = self.index.get(self._at) if self._at is not None else None
        if start is None or start.id == place.id or driven_m is None:
            return None
        straight_m = start.pose.distance_to(place.pose.x, place.pose.y)
        edge = Edge(start.id, place.id, round(max(driven_m, straight_m), 3))
        ends = frozenset((start.id, place.id))
        known = self._edges.get(ends)
        if known is not None:
            if known.length_m <= edge.length_m:
                return None
            edge = replace(known, length_m=edge.length_m)
        self._join(edge)
        return edge

    def _join(self, edge: Edge) -> None:
        self._edges[frozenset((edge.from_id, edge.to_id))] = edge
        self._neighbours.setdefault(edge.from_id, {})[edge.to_id] = None
        self._neighbours.setdefault(edge.to_id, {})[edge.from_id] = None
