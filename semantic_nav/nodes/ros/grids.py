"""Map and costmap as they arrive: grids, and rectangles that update the costmap."""

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.stamps import Stamps, words_of_gap
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import cells_of, grid_of, same_frame
from semantic_nav.verify.events import (
    CostmapMissing,
    CostmapReceived,
    KeepoutMissing,
    KeepoutReceived,
    MapMissing,
    MapReceived,
)
from semantic_nav.verify.grounding.plausible import plausible

#: Reports the state of a grid.
Tell = Callable[..., None]
_MAP, _COSTMAP, _UPDATE = 'map', 'costmap', 'update of the costmap'


class CostmapAssembler:
    """Assembler of the newest costmap from whole grids and updates."""

    def __init__(self) -> None:
        """Begin without a costmap."""
        self.grid: OccupancyGrid | None = None

    def update(self, message: OccupancyGridUpdate, made_ns: int) -> bool:
        """Replace a part; return False if it does not fit the costmap held.

        Raises:
            ValueError: a value is not that of a costmap.
        """
        grid = self.grid
        if grid is None:
            return False
        bottom, right = message.y + message.height, message.x + message.width
        if message.x < 0 or message.y < 0 or bottom > grid.shape[0] or right > grid.shape[1] or (
                not message.data or len(message.data) != message.height * message.width):
            return False
        cells = grid.cells.copy()
        cells[message.y:bottom, message.x:right] = cells_of(
            message.data, message.height, message.width)
        self.grid = replace(grid, cells=cells, stamp_ns=made_ns)
        return True


class Grids:
    """Feed of map and keep-out mask, and of the costmap while it is wanted, with their faults.

    Attributes:
        spoilt: fault of the newest message of each grid, by its name.
    """

    def __init__(self, map_frame: str, feed: Callable[[Event], None], tell: Tell,
                 now_ns: Callable[[], int], why_silent: Callable[[str], str]) -> None:
        """Wait for grids.

        Args:
            map_frame: frame in which the grids must come.
            feed: takes the events.
            tell: takes name, level and words of the state of a grid.
            now_ns: returns the time on the clock of their stamps, in ns.
            why_silent: returns in words why nothing comes on a topic.
        """
        self._map_frame, self._feed, self._tell = map_frame, feed, tell
        self._now_ns, self._why_silent = now_ns, why_silent
        self._costmap = CostmapAssembler()
        self._costmap_wanted = self._costmap_is_new = False
        self._stamps: defaultdict[str, Stamps] = defaultdict(Stamps)
        self._fed_ns: dict[str, int] = {}
        self._barren = ''
        self.spoilt: dict[str, str] = {}

    @property
    def costmap_came(self) -> bool:
        """Tell whether there is a costmap to feed."""
        return self._costmap.grid is not None

    def want_costmap(self, wanted: bool) -> None:
        """Feed costmaps from now on, the newest at once; or stop."""
        self._costmap_wanted = wanted
        self._feed_costmap()

    def take_map(self, message: GridMessage) -> None:
        """Feed a map."""
        self._take(_MAP, message, MapReceived, MapMissing)

    def take_keepout(self, message: GridMessage) -> None:
        """Feed a keep-out mask."""
        self._take('keepout', message, KeepoutReceived, KeepoutMissing)

    def _take(self, name: str, message: GridMessage, received: Callable[[OccupancyGrid], Event],
              missing: Callable[[str], Event]) -> None:
        try:
            grid = self._grid_of(name, message)
            event = plausible(received(grid))
        except ValueError as error:
            event = missing(str(error))
        if isinstance(event, MapMissing | KeepoutMissing):
            self._refuse(name, event.reason)
        else:
            self._fed_ns[name] = grid.stamp_ns
            self._barren = grid.barren if name == _MAP else self._barren
            self.spoilt.pop(name, None)
        self._feed(event)

    def take_costmap(self, message: GridMessage) -> None:
        """Take a whole costmap."""
        try:
            grid = self._grid_of(_COSTMAP, message)
            event = plausible(CostmapReceived(grid))
        except ValueError as error:
            event = CostmapMissing(str(error))
        if isinstance(event, CostmapMissing):
            self._refuse_costmap(event)
            return
        self._costmap.grid = grid
        self._renewed()

    def take_update(self, message: OccupancyGridUpdate) -> None:
        """Take a part of the costmap."""
        try:
            self._check_frame(message)
            fits = self._costmap.update(message, self._made_ns(_UPDATE, message))
        except ValueError as error:
            self._refuse_costmap(CostmapMissing(str(error)))
            return
        if fits:
            self._renewed()
        elif self.costmap_came:
            self._refuse_costmap(CostmapMissing(
                f'an update of {message.width} x {message.height} cells at ({message.x}, '
                f'{message.y}) does not fit it: set always_send_full_costmap of that costmap'))

    def report(self, topics: dict[str, str], limits_s: dict[str, float], now_ns: int) -> None:
        """Report each grid: whether it came, and whether it is too old to drive by.

        Args:
            topics: topics by the names of the grids.
            limits_s: largest ages by these names, in s.
            now_ns: time on the clock of their stamps, in ns.
        """
        costmap = self._costmap.grid
        stamps = {**self._fed_ns, **({} if costmap is None else {_COSTMAP: costmap.stamp_ns})}
        for name, topic in topics.items():
            if name in self.spoilt:
                continue
            if name not in stamps:
                self._tell(name, Level.WARN, f'waiting for {topic}')
                continue
            age_s = seconds(now_ns - stamps[name])
            fault = self._fault_of(name, topic, age_s, limits_s.get(name, math.inf))
            if name == _MAP and self._barren:
                fault = f'{topic} {self._barren}: see whether SLAM hears the scanner, and TF'
            self._tell(name, *((Level.WARN, fault) if fault else (Level.OK, 'received')),
                       age_s=f'{age_s:.1f}')

    def _fault_of(self, name: str, topic: str, age_s: float, limit_s: float) -> str:
        """Fault in the age of a grid, in words; empty if there is none."""
        if math.isinf(limit_s):
            return ''
        stamps = self._stamps[name]
        fault = stamps.fault or (self._stamps[_UPDATE].fault if name == _COSTMAP else '')
        if abs(stamps.gap.behind_s) > limit_s:
            return words_of_gap(topic, stamps.gap.behind_s)
        if age_s > limit_s:
            return f'older than {limit_s:g} s: {self._why_silent(topic)}'
        return fault and (f'{fault}: its age is told by its arrival; let who publishes {topic} '
                          'stamp it')

    def _grid_of(self, name: str, message: GridMessage) -> OccupancyGrid:
        self._check_frame(message)
        return replace(grid_of(message), stamp_ns=self._made_ns(name, message))

    def _made_ns(self, name: str, message: GridMessage | OccupancyGridUpdate) -> int:
        return self._stamps[name].made_ns(stamp_ns(message.header.stamp), self._now_ns())

    def _check_frame(self, message: GridMessage | OccupancyGridUpdate) -> None:
        """Raise ValueError if the cells lie in another frame than poses and goal poses."""
        frame = message.header.frame_id
        if not same_frame(frame, self._map_frame):
            raise ValueError(
                f'it comes in the frame {frame!r}, but map_frame is {self._map_frame!r}')

    def _refuse(self, name: str, reason: str) -> None:
        """Keep the earlier grid, which will grow too old; report the fault until a good one."""
        self.spoilt[name] = reason
        self._tell(name, Level.ERROR, reason)

    def _refuse_costmap(self, missing: CostmapMissing) -> None:
        self._refuse(_COSTMAP, missing.reason)
        if self._costmap_wanted:
            self._feed(missing)

    def _renewed(self) -> None:
        self.spoilt.pop(_COSTMAP, None)
        self._costmap_is_new = True
        self._feed_costmap()

    def _feed_costmap(self) -> None:
        """Feed the newest costmap, once, and only while it is wanted."""
        grid = self._costmap.grid
        if grid is not None and self._costmap_wanted and self._costmap_is_new:
            self._costmap_is_new = False
            self._feed(CostmapReceived(grid))
