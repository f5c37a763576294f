"""The operator's desk: the state that pages show, and the operator's wishes.

One thread feeds it, and those of the pages read it; each holds the lock while it does.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from semantic_nav.contracts.documents import Belief
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.fields import MAX_TEXT
from semantic_nav.operator.heard import Item
from semantic_nav.operator.history import History
from semantic_nav.operator.images import png_of
from semantic_nav.operator.layers import heat_pixels, map_pixels
from semantic_nav.operator.scene import PageScene
from semantic_nav.operator.standing import Command, judge
from semantic_nav.operator.view import Json, entry_to_plain, outline_of, view_of
from semantic_nav.operator.wish import STOPS, Wish

#: Longest text of an operator, in characters; the belief refuses one beyond max_goal_chars.
MAX_WORDS = MAX_TEXT
#: Most pages that may be open at once.
MAX_PAGES = 16
#: Most unanswered wishes of a page; a further one is refused.
MAX_WISHES = 20


@dataclass(frozen=True)
class Frame:
    """A picture of the camera as JPEG, and its number."""

    number: int
    jpeg: bytes


class Desk:
    """The shown state.

    Attributes:
        live: the graph is running; else a journal is shown.
        wishes: of the operator, for the node that fulfils them.
    """

    def __init__(self, now_s: Callable[[], float], history: History | None = None) -> None:
        """Start with a history.

        Args:
            now_s: the steady clock, in s since the beginning.
            history: of a journal; None on a live graph.
        """
        self.live = history is None
        self.wishes: SimpleQueue[Wish] = SimpleQueue()
        self._now_s = now_s
        self._history = history or History()
        self._scene = self._history.at(self._history.last_s)
        self._lock = threading.Lock()
        self._changes = 0
        self._listening = self._remembering = False
        self._frame: Frame | None = None
        self._outline: Json | None = None
        self._pages = 0
        self._watching = 0

    @property
    def changes(self) -> int:
        """Number of changes, so that a reader can tell whether it has the newest state."""
        return self._changes

    @property
    def pages(self) -> int:
        """Number of open pages."""
        return self._pages

    def wanted(self) -> list[Wish]:
        """The wishes since the last call; those that end a drive come first."""
        return sorted((self.wishes.get() for _ in range(self.wishes.qsize())),
                      key=lambda wish: wish.deed not in STOPS)

    def permits(self, deed: Command) -> bool:
        """Tell whether a deed is permitted now."""
        with self._lock:
            return deed in judge(self._scene.facts(
                self._now_s(), listening=self._listening, remembering=self._remembering,
                live=True)).permitted

    @property
    def in_hand(self) -> tuple[str, str]:
        """Id and words of the mission under way; both empty for none."""
        with self._lock:
            belief = self._scene.belief.body if self._scene.belief is not None else None
            if not self._scene.open or not isinstance(belief, Belief):
                return '', ''
            return self._scene.goal_id, self._scene.goal_of(belief)

    @property
    def watching(self) -> bool:
        """Tell whether a page shows the camera's pictures."""
        return self._watching > 0

    @property
    def frame(self) -> Frame | None:
        """The newest picture of the camera."""
        return self._frame

    def hear(self, item: Item) -> None:
        """Take an item that was heard now."""
        with self._lock:
            now_s = self._now_s()
            self._scene.take(now_s, item)
            self._history.add(now_s, item)
            self._changes += 1

    def listens(self, listening: bool, remembering: bool = False) -> None:
        """Record whether the belief node hears goals, and the memory hears queries."""
        if (listening, remembering) != (self._listening, self._remembering):
            self._listening, self._remembering = listening, remembering
            self._changes += 1

    def show(self, jpeg: bytes) -> None:
        """Take the newest picture of the camera."""
        self._frame = Frame(self._frame.number + 1 if self._frame is not None else 1, jpeg)

    def watch(self, more: int) -> None:
        """Count the camera's watchers; after the last one the picture is dropped."""
        with self._lock:
            self._watching += more
            if not self._watching:
                self._frame = None

    def open_page(self) -> bool:
        """Count a page; False if too many are open."""
        with self._lock:
            if self._pages >= MAX_PAGES:
                return False
            self._pages += 1
            return True

    def close_page(self) -> None:
        """Uncount a page."""
        with self._lock:
            self._pages -= 1

    def view(self, at_s: float | None = None) -> Json:
        """The page's view, of now or of a time in the past."""
        with self._lock:
            past = at_s is not None or not self.live
            scene = self._at(at_s)
            now_s = self._now_s() if not past else (
                self._history.last_s if at_s is None else at_s)
            view = view_of(scene, now_s, live=not past, listening=self._listening,
                           remembering=self._remembering)
            last_s = self._now_s() if self.live else self._history.last_s
            return {**view, 'replay': not self.live, 'past': at_s is not None, 'last_s': last_s,
                    'map': self._map(scene)}

    def timeline(self, since: int) -> list[Json]:
        """The lines of the timeline from a number on."""
        with self._lock:
            return [entry_to_plain(entry) for entry in self._scene.timeline[since:]]

    def map_png(self, at_s: float | None) -> bytes | None:
        """The map as a PNG; None without a map."""
        return self._drawn(at_s, lambda scene, grid: map_pixels(grid))

    def heat_png(self, at_s: float | None) -> bytes | None:
        """The heat map of the target's possible positions as a PNG; None without a map."""
        return self._drawn(at_s, lambda scene, grid: heat_pixels(
            grid, tuple(scene.cones),
            scene.candidates.candidates if scene.candidates is not None else ()))

    def picture(self, look_id: str) -> bytes | None:
        """The JPEG of a look; None if it was not kept."""
        with self._lock:
            shown = self._history.picture(look_id)
        try:
            return None if shown is None else shown.load()
        except ContractError:
            return None

    def nearest_picture(self, x: float, y: float, yaw: float) -> str:
        """Id of the newest look with a picture near a pose; empty for none."""
        with self._lock:
            return self._scene.nearest_picture(x, y, yaw)

    def _at(self, at_s: float | None) -> PageScene:
        return self._scene if at_s is None else self._history.at(at_s)

    def _map(self, scene: PageScene) -> Json | None:
        """Outline of the map, cached by the map's key."""
        if scene.map is None:
            return None
        if self._outline is None or self._outline['key'] != scene.map.key:
            try:
                self._outline = outline_of(scene.map.key, scene.map.load())
            except ContractError:
                return None
        return self._outline

    def _drawn(self, at_s: float | None, draw: Callable[[PageScene, Any], Any]) -> bytes | None:
        with self._lock:
            scene = self._at(at_s)
            if scene.map is None:
                return None
            try:
                pixels = draw(scene, scene.map.load())
            except ContractError:
                return None
        return png_of(pixels)
