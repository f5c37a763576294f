"""All that was heard, in its order, so that any moment of it can be looked at again."""

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
from semantic_nav.operator.scene import Scene

#: A longer history loses its oldest quarter.
_MOST = 20_000
#: Maps and pictures that are held: they are the largest part.
_MOST_MAPS, _MOST_PICTURES = 60, 1000
#: A pose that differs by less is kept only once in a while.
_MOVED_M, _MOVED_RAD, _AGAIN_S = 0.05, 0.05, 30.0


@dataclass(frozen=True)
class Heard:
    """When something was heard, in s since the beginning, and what."""

    at_s: float
    item: Item


class History:
    """Takes in what is worth to be looked at again.

    Attributes:
        heard: in the order of time.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.heard: list[Heard] = []
        self._pictures: dict[int, PictureShown] = {}
        self._pose: tuple[float, RobotPose] | None = None
        self._statements: dict[tuple[str, str], Statement] = {}

    @property
    def last_s(self) -> float:
        """When the newest was heard."""
        return self.heard[-1].at_s if self.heard else 0.0

    def add(self, at_s: float, item: Item) -> None:
        """Keep what was heard, unless the same was heard before."""
        if not self._is_news(at_s, item):
            return
        self.heard.append(Heard(at_s, item))
        if isinstance(item, MapShown):
            self._forget_a_map()
        elif isinstance(item, PictureShown):
            self._pictures[item.stamp_ns] = item
            if len(self._pictures) > _MOST_PICTURES:
                oldest = self._pictures.pop(next(iter(self._pictures)))
                self.heard = [one for one in self.heard if one.item is not oldest]
        if len(self.heard) > _MOST:
            cut = self.heard[:_MOST // 4]
            # Of what is told once and holds on, the last word stays.
            last = {_subject(one.item): one for one in cut if _subject(one.item)}
            kept = sorted(last.values(), key=lambda one: one.at_s)
            self.heard[:_MOST // 4] = kept

    def at(self, at_s: float) -> Scene:
        """Return what was known at a moment."""
        scene = Scene()
        for one in self.heard[:bisect_right(self.heard, at_s, key=lambda one: one.at_s)]:
            scene.take(one.at_s, one.item)
        return scene

    def picture(self, stamp_ns: int) -> PictureShown | None:
        """Return the picture of a look; None where it is not there."""
        return self._pictures.get(stamp_ns)

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
        # Every second one goes: what is left spans all of the time.
        for index in reversed(maps[1:-1:2] if len(maps) > _MOST_MAPS else []):
            del self.heard[index]


def _subject(item: Item) -> tuple[str, ...]:
    """Return what something tells of that holds until it is told anew; empty for what happens."""
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
