"""Maps and costmaps as their publishers send them."""

import math

import builders as B
import numpy as np
import pytest
from geometry_msgs.msg import Quaternion
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import to_stamp
from semantic_nav.nodes.ros.grids import Grids
from semantic_nav.verify.events import CostmapMissing, CostmapReceived, MapMissing, MapReceived

NOW_S = 1000
ROOM = B.Room().map().cells
LIMITS_S = {'costmap': 3.0}


class Fed:
    """Grids on a clock that is set by hand, and what came of them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.told: dict[str, tuple[Level, str]] = {}
        self.now_s = float(NOW_S)
        self.grids = Grids('map', self.events.append, self._tell, self._now_ns,
                           lambda topic: f'nobody publishes {topic}')
        self.grids.want_costmap(True)

    def _now_ns(self) -> int:
        return round(self.now_s * NS_PER_S)

    def _tell(self, name: str, level: Level, words: str, **figures: object) -> None:
        del figures
        self.told[name] = level, words

    def report(self) -> tuple[Level, str]:
        """Return what is said of the costmap."""
        self.grids.report({'costmap': '/costmap'}, LIMITS_S, self._now_ns())
        return self.told['costmap']

    @property
    def costmap(self) -> CostmapReceived:
        event = self.events[-1]
        assert isinstance(event, CostmapReceived)
        return event

    def age_s(self) -> float:
        return self.now_s - self.costmap.grid.stamp_ns / NS_PER_S


def grid(cells: np.ndarray = ROOM, stamp_s: float = NOW_S,
         turn: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)) -> GridMessage:
    message = GridMessage()
    message.header.frame_id = 'map'
    message.header.stamp = to_stamp(round(stamp_s * NS_PER_S))
    message.info.resolution = 0.05
    message.info.height, message.info.width = cells.shape
    x, y, z, w = turn
    message.info.origin.orientation = Quaternion(x=x, y=y, z=z, w=w)
    message.data = cells.astype(np.int8).ravel().tolist()
    return message


def part(x: int, y: int, stamp_s: float, value: int = 100) -> OccupancyGridUpdate:
    message = OccupancyGridUpdate(x=x, y=y, width=5, height=5, data=[value] * 25)
    message.header.frame_id = 'map'
    message.header.stamp = to_stamp(round(stamp_s * NS_PER_S))
    return message


def with_cells(value: int) -> np.ndarray:
    cells = ROOM.copy()
    cells[20:60] = value
    return cells


@pytest.mark.parametrize('turn', [
    (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1e-16, -1.0), (0.0, 0.0, 5e-4, 1.0)])
def test_map_that_is_not_turned_is_taken(turn: tuple[float, float, float, float]) -> None:
    fed = Fed()
    fed.grids.take_map(grid(turn=turn))
    assert isinstance(fed.events[-1], MapReceived)


@pytest.mark.parametrize(('turn', 'words'), [
    # navigation2 issue 1511, navigation issue 993
    ((0.0, 0.0, math.sin(0.78), math.cos(0.78)), 'turned by 1.56 rad'),
    ((0.0, 0.0, 1.0, 0.0), 'turned by 3.14 rad'),
    ((0.0, 0.0, 0.7, 0.7), 'turned by 1.57 rad'),
    ((0.0, 0.0, math.nan, math.nan), 'is no number'),
    ((1.0, 0.0, 0.0, 0.0), 'tilted')])
def test_map_that_is_turned_is_refused_with_the_angle(
        turn: tuple[float, float, float, float], words: str) -> None:
    fed = Fed()
    fed.grids.take_map(grid(turn=turn))
    event = fed.events[-1]
    assert isinstance(event, MapMissing) and words in event.reason
    assert fed.told['map'] == (Level.ERROR, event.reason)


@pytest.mark.parametrize('value', [-2, -3, -128])
def test_raw_costs_are_none_of_a_grid(value: int) -> None:
    fed = Fed()
    fed.grids.take_map(grid(with_cells(value)))
    fed.grids.take_costmap(grid())
    fed.grids.take_update(part(50, 50, NOW_S, value))
    reasons = [event.reason for event in fed.events
               if isinstance(event, MapMissing | CostmapMissing)]
    assert len(reasons) == 2 and all(f'({value + 256} of 255)' in one for one in reasons)


def test_more_than_occupied_is_occupied() -> None:
    fed = Fed()
    fed.grids.take_costmap(grid(with_cells(127)))
    assert fed.costmap.grid.cells.max() == 100


def test_costmap_with_the_stamp_0_is_as_old_as_its_arrival() -> None:
    """As of publishers that never fill it in; each new one counts, with what is new on it."""
    fed = Fed()
    fed.grids.take_costmap(grid(stamp_s=0))
    fed.now_s += 1.0
    fed.grids.take_costmap(grid(with_cells(100), stamp_s=0))
    assert fed.costmap.grid.cells[55, 55] == 100 and fed.age_s() == 0.0
    assert fed.report() == (Level.WARN, 'its stamp is 0: its age is told by its arrival; let who '
                                        'publishes /costmap stamp it')
    fed.now_s += 5.0
    assert fed.report()[1] == 'older than 3 s: nobody publishes /costmap'


def test_updates_with_the_stamp_0_are_as_old_as_their_arrival() -> None:
    """As Nav2 sent them before Jazzy."""
    fed = Fed()
    fed.grids.take_costmap(grid())
    for shift in (0, 5):
        fed.now_s += 1.0
        fed.grids.take_update(part(50 + shift, 50 + shift, 0))
        assert fed.age_s() == 0.0
    assert fed.costmap.grid.cells[52, 52] == fed.costmap.grid.cells[57, 57] == 100
    assert 'stamp is 0' in fed.report()[1]


def test_stamp_that_stands_still_gives_way_to_the_arrival() -> None:
    """navigation2 issue 2897; one that comes twice, for who listens again, is as old as before."""
    fed = Fed()
    for _ in range(2):
        fed.grids.take_costmap(grid())
        fed.now_s += 2.0
    fed.grids.take_costmap(grid(with_cells(100)))
    assert fed.costmap.grid.cells[55, 55] == 100 and fed.age_s() == 0.0
    assert 'stands still at 1000.0 s' in fed.report()[1]
    fed.grids.take_costmap(grid(stamp_s=fed.now_s))
    assert fed.report() == (Level.OK, 'received')


def test_costmap_that_came_twice_with_one_stamp_grows_old() -> None:
    fed = Fed()
    fed.grids.take_costmap(grid())
    fed.now_s += 10.0
    fed.grids.take_costmap(grid())
    assert fed.age_s() == 10.0


@pytest.mark.parametrize(('stamp_s', 'words'), [
    (NOW_S - 312.0, '312.0 s behind this computer'), (NOW_S + 312.0, '312.0 s ahead of'),
    (NOW_S + 1.7e9, 'this node has the time of a simulation')])
def test_clock_of_who_publishes_it_is_named(stamp_s: float, words: str) -> None:
    fed = Fed()
    for later_s in range(3):
        fed.now_s = NOW_S + later_s
        fed.grids.take_costmap(grid(stamp_s=stamp_s + later_s))
    level, said = fed.report()
    assert level is Level.WARN and words in said


def test_update_that_fits_nowhere_is_named() -> None:
    fed = Fed()
    fed.grids.take_update(part(50, 50, NOW_S))
    assert not fed.events, 'there is nothing to fit yet'
    fed.grids.take_costmap(grid())
    fed.grids.take_update(part(500, 50, NOW_S))
    assert 'does not fit' in fed.told['costmap'][1]
    fed.grids.take_costmap(grid())
    assert fed.report() == (Level.OK, 'received')


@pytest.mark.parametrize(('value', 'unknown'), [(-1, ROOM.size), (100, 0)])
def test_map_without_a_free_cell_is_named_until_one_is_there(value: int, unknown: int) -> None:
    """Of slam_toolbox (issue 535) one may know nothing for good."""
    fed = Fed()
    for cells, level, words in (
            (np.full_like(ROOM, value), Level.WARN, f'holds no free cell: of {ROOM.size}, '
             f'{unknown} are unknown'), (ROOM, Level.OK, 'received')):
        fed.grids.take_map(grid(cells))
        fed.grids.report({'map': '/map'}, LIMITS_S, fed._now_ns())
        assert fed.told['map'][0] is level and words in fed.told['map'][1]
