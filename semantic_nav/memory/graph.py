"""The places of one map and the ways between them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.ids import Ids
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.place import MAX_TAGS, Edge, Place, summarise
from semantic_nav.memory.retrieval import PlaceIndex
from semantic_nav.memory.scene import View


@dataclass(frozen=True)
class Remembered:
    """What a look did to the graph.

    Attributes:
        edge: a new or shorter way to the place; None where there is none.
    """

    place: Place
    edge: Edge | None


class PlaceGraph:
    """Makes places of looks, and joins those that follow each other on the robot's path.

    Attributes:
        index: the places.
        revision: goes up with every change of places and ways.
    """

    def __init__(self, config: MemoryConfig, session: str) -> None:
        """Begin empty."""
        self._config = config
        self._session = session
        self._ids = Ids('place', session)
        self._edges: dict[frozenset[str], Edge] = {}
        self._at: str | None = None
        self.index = PlaceIndex(0)
        self.revision = 0

    @property
    def edges(self) -> Collection[Edge]:
        """All ways, in the order in which they came."""
        return self._edges.values()

    def expect_vectors(self, dimension: int) -> None:
        """Make room for vectors of this length; those of another length go."""
        index = PlaceIndex(dimension)
        for place in self.index.places:
            index.put(place)
        self.index = index

    def add(self, places: Iterable[Place], edges: Iterable[Edge]) -> None:
        """Take in what was stored: places that are new, ways between places that are known."""
        self.revision += 1
        for place in places:
            if place.id not in self.index:
                self.index.put(place)
        for edge in edges:
            if edge.from_id in self.index and edge.to_id in self.index:
                self._edges.setdefault(frozenset((edge.from_id, edge.to_id)), edge)

    def remember(self, view: View, pose: Pose2D, driven_m: float | None, now: Now, *,
                 target_seen: bool) -> Remembered:
        """Add a look to the place that it was taken from, or make that place.

        Args:
            view: what was seen; something is known of it.
            pose: of the robot in the map frame.
            driven_m: since the last call; None where the path is not known.
            now: its calendar goes into the place.
            target_seen: by this look; from the place's viewpoint something may hide it.
        """
        config = self._config
        nearby = self.index.near(pose, config.place_spacing_m, config.place_turn_rad)
        place = (self._again(nearby[0], view, now) if nearby
                 else self._first(view, pose, now))
        if target_seen:
            place = replace(place, pose=pose)
        self.index.put(place)
        self.revision += 1
        edge = self._way_to(place, driven_m)
        self._at = place.id
        return Remembered(place, edge)

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
            place, kind=kind, tags=tags, summary=summarise(kind, tags),
            last_seen_calendar_ns=now.calendar_ns,
            visits=place.visits + (place.id != self._at))

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
        self._edges[ends] = edge
        return edge
