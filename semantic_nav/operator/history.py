"""The heard items in order, from which the scene of any past time is rebuilt."""

from bisect import bisect_right
from dataclasses import dataclass
from math import hypot

from semantic_nav.contracts.documents import Belief, Document, RobotPose
from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.operator.heard import (
    Item,
    MapShown,
    PictureShown,
    PlacesShown,
    Statement,
)
from semantic_nav.operator.scene import PageScene

#: Longest history, in items; a longer one loses its oldest quarter.
_MOST = 20_000
#: Most maps and pictures that are kept, as they need the most memory.
_MOST_MAPS, _MOST_PICTURES = 60, 1000
#: A pose that differs by less, in m and rad, is kept only at this interval, in s.
_MOVED_M, _MOVED_RAD, _AGAIN_S = 0.05, 0.05, 30.0


@dataclass(frozen=True)
class HeardItem:
    """A heard item, and its time in s since the beginning."""

    at_s: float
    item: Item


class History:
    """Keeps the items that are needed to show the past.

    Attributes:
        heard: in the order of time.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.heard: list[HeardItem] = []
        self._pictures: dict[str, PictureShown] = {}
        self._pose: tuple[float, RobotPose] | None = None
        self._statements: dict[tuple[str, str], Statement] = {}

    @property
    def last_s(self) -> float:
        """Time of the newest item, in s since the beginning."""
        return self.heard[-1].at_s if self.heard else 0.0

    def add(self, at_s: float, item: Item) -> None:
        """Keep an item, unless it repeats an earlier one."""
        if not self._is_news(at_s, item):
            return
        self.heard.append(HeardItem(at_s, item))
        if isinstance(item, MapShown):
            self._forget_a_map()
        elif isinstance(item, PictureShown):
            self._pictures[item.look_id] = item
            if len(self._pictures) > _MOST_PICTURES:
                oldest = self._pictures.pop(next(iter(self._pictures)))
                self.heard = [one for one in self.heard if one.item is not oldest]
        if len(self.heard) > _MOST:
            cut = self.heard[:_MOST // 4]
            # The newest item of each lasting subject stays.
            last = {_subject(one.item): one for one in cut if _subject(one.item)}
            kept = sorted(last.values(), key=lambda one: one.at_s)
            self.heard[:_MOST // 4] = kept

    def at(self, at_s: float) -> PageScene:
        """The scene at a time."""
        scene = PageScene()
        for one in self.heard[:bisect_right(self.heard, at_s, key=lambda one: one.at_s)]:
            scene.take(one.at_s, one.item)
        return scene

    def picture(self, look_id: str) -> PictureShown | None:
        """The picture of a look; None if it was not kept."""
        return self._pictures.get(look_id)

    def _is_news(self, at_s: float, item: Item) -> bool:
        if isinstance(item, Statement):
            key = item.node, item.subject
            before, self._statements[key] = self._statements.get(key), item
            return before is None or (before.level, before.text) != (item.level, item.text)
        if isinstance(item, Document) and isinstance(item.body, RobotPose):
            if self._pose is not None and at_s - self._pose[0] < _AGAIN_S and (
                    _alike(self._pose[1], item.body)):
                return False
            self._pose = at_s, item.body
        return True

    def _forget_a_map(self) -> None:
        maps = [index for index, one in enumerate(self.heard) if isinstance(one.item, MapShown)]
        # Every second map goes, so that the rest spans all of the time.
        for index in reversed(maps[1:-1:2] if len(maps) > _MOST_MAPS else []):
            del self.heard[index]


def _subject(item: Item) -> tuple[str, ...]:
    """Subject of an item that holds until the next one; empty for an event."""
    match item:
        case MapShown() | PlacesShown():
            return (type(item).__name__,)
        case Statement():
            return item.node, item.subject
        case Document() if isinstance(item.body, Belief):
            return ('belief',)
        case _:
            return ()


def _alike(one: RobotPose, other: RobotPose) -> bool:
    return (one.healthy, one.stands, one.held) == (other.healthy, other.stands, other.held) and (
        hypot(one.pose.x - other.pose.x, one.pose.y - other.pose.y) < _MOVED_M) and (
            abs(wrap_angle(one.pose.yaw - other.pose.yaw)) < _MOVED_RAD)
