"""Nothing is left to look at only where the map shows floor."""

from dataclasses import replace

import numpy as np
import pytest
from builders import canonical
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.documents import Decision
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.effects import SendNav
from semantic_nav.verify.events import CostmapReceived, MapReceived

EXPLORE = canonical('explore')


def small(x: float, y: float, cells: int) -> OccupancyGrid:
    """Return a map of free cells of 5 cm."""
    return OccupancyGrid(np.zeros((cells, cells), np.int8), 0.05, x, y, 'map', 0)


def until_refused(rig: VerifierRig, grid: OccupancyGrid) -> Decision:
    """Explore until that is refused, on a map that is not the room's."""
    for _ in range(40):
        rig.hear(MapReceived(grid))
        rig.hear(CostmapReceived(rig.room.costmap(rig.clock.now.clock_ns)))
        rig.try_(EXPLORE, depth=rig.depth(()))
        while rig.code is None:
            rig.path()
        decision = rig.decision
        assert decision is not None
        if decision.code is not Code.OK:
            return decision
        sent = rig.sent
        rig.drive(sent.goal if isinstance(sent, SendNav) else Pose2D(
            rig.pose.x, rig.pose.y, rig.pose.yaw + sent.angle_rad))
        rig.finish()
        rig.stand()
    pytest.fail('it explored for ever')


@pytest.mark.parametrize(('grid', 'words'), [
    pytest.param(small(10.0, 10.0, 10), 'hold no floor within 0.5 m', id='beside the costmap'),
    pytest.param(small(3.2, 1.0, 12), 'hold no floor within 0.5 m', id='beside the robot'),
    pytest.param(replace(small(0.0, 0.0, 160), cells=np.full((120, 160), 100, np.int8)),
                 'the map holds no free cell: of 19200, 0 are unknown', id='occupied'),
    pytest.param(small(START.x - 0.4, START.y - 0.4, 16), 'no more than 0.6 m²', id='begun anew'),
])
def test_map_without_floor_is_unavailable(grid: OccupancyGrid, words: str) -> None:
    decision = until_refused(VerifierRig(), grid)
    assert decision.code is Code.MAP_UNAVAILABLE and words in decision.reason, decision


@pytest.mark.parametrize('value', [-1, 100])
def test_nothing_is_turned_for_on_a_map_without_a_free_cell(value: int) -> None:
    """One that knows nothing for good (slam_toolbox issue 535) had the robot turn eleven times."""
    rig = VerifierRig()
    rig.hear(MapReceived(replace(rig.map, cells=np.full_like(rig.map.cells, value))))
    decision = rig.try_(EXPLORE)
    assert decision is not None and decision.code is Code.MAP_UNAVAILABLE
    assert 'holds no free cell' in decision.reason
    rig.hear_maps()
    assert rig.try_(EXPLORE) is None or rig.code is Code.OK


def test_pictures_of_a_covered_lens_show_no_floor() -> None:
    rig = VerifierRig()
    for _ in range(3):
        _, observation = rig.see(EXPLORE, depth=np.zeros_like(rig.depth(())))
        assert observation.coverage == 0.0
    _, observation = rig.see(EXPLORE)
    assert observation.coverage > 0.0
