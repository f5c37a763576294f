"""What a scan shows: silence is not taken for a clear view."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room, canonical
from numpy.typing import NDArray
from verifier_rig import VerifierRig

from semantic_nav.contracts.documents import Observation
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import UNKNOWN
from semantic_nav.verify.events import LookFrozen, Scan
from semantic_nav.verify.floor.scanner import ScanView, shown_by, walls_within

Spoil = Callable[[NDArray[np.float32]], NDArray[np.float32]]
ROOM, HALL = Room(), Room(width_m=30.0, depth_m=30.0)
AT, AMID = Pose2D(2.0, 3.0, 0.0), Pose2D(15.0, 15.0, 0.0)
#: Stands before the robot and in no map, as a closed door does.
DOOR = Block((4.0, 4.3), (0.1, 5.9), (0.0, 2.2))
#: A post in the hall, which is in no map.
POST = Block((17.0, 17.3), (13.0, 17.0), (0.0, 2.0))


def scan_at(room: Room, pose: Pose2D, reach_m: float = 12.0,
            extra: tuple[Block, ...] = ()) -> Scan:
    mount = Transform((0.0, 0.0, 0.2), (0.0, 0.0, 0.0, 1.0))
    return room.scan(Transform.from_pose(pose) @ mount, Transform.identity(), extra, reach_m)


def shown(scan: Scan, room: Room) -> ScanView:
    return shown_by(scan, scan.odom_T_scanner, room.map())


def lost(share: float, value: float) -> Spoil:
    def spoil(ranges: NDArray[np.float32]) -> NDArray[np.float32]:
        gone = np.random.default_rng(4).random(ranges.size) < share
        return np.where(gone, np.float32(value), ranges)
    return spoil


def searched(spoil: Spoil) -> Observation:
    """Look round about, with scans that are spoilt; returns the last observation."""
    rig = VerifierRig(ROOM, AT)
    rig.scanned, rig.passers = True, (DOOR,)
    whole = rig.freeze

    def freeze(look_id: str, depth: NDArray[np.uint16] | None = None) -> LookFrozen:
        frozen = whole(look_id, depth)
        assert frozen.scan is not None
        return replace(frozen, scan=replace(frozen.scan,
                                            ranges_m=spoil(frozen.scan.ranges_m.copy())))

    rig.freeze = freeze  # type: ignore[method-assign]
    for yaw in np.arange(-3.0, 3.2, 0.8):
        rig.drive(Pose2D(AT.x, AT.y, float(yaw)))
        rig.stand()
        _, observation = rig.see(canonical('explore'))
    return observation


@pytest.fixture(scope='module')
def sound() -> Observation:
    """Return what whole scans lead to."""
    return searched(lambda ranges: ranges)


@pytest.mark.parametrize('value', [math.inf, math.nan])
def test_scanner_that_measures_nothing_is_a_fault_and_no_coverage(value: float) -> None:
    observation = searched(lost(1.0, value))
    assert observation.coverage == 0.0 and observation.p_here == 0.5
    assert 'the laser scanner measures nothing' in observation.ungrounded_reason
    assert 'motor' in observation.ungrounded_reason, 'it says what to look at'


@pytest.mark.parametrize('share', [0.35, 0.6])
@pytest.mark.parametrize('value', [math.inf, math.nan])
def test_lost_echoes_show_nothing_behind_what_is_there(share: float, value: float,
                                                       sound: Observation) -> None:
    """rplidar_ros issue 13: echoes are lost here and there."""
    observation = searched(lost(share, value))
    assert 0.8 * sound.coverage < observation.coverage <= sound.coverage + 0.01
    assert observation.ungrounded_reason == ''


def test_nearly_no_echoes_are_a_fault() -> None:
    assert 'measures nothing' in searched(lost(0.97, math.inf)).ungrounded_reason


def test_ray_that_met_nothing_shows_the_floor_up_to_the_reach_where_the_map_has_nothing() -> None:
    """Of a scanner of 8 m in a hall of 30 m: all but the rays to the near wall meet nothing."""
    pose = Pose2D(5.0, 15.0, 0.0)
    told = shown(scan_at(HALL, pose, 8.0), HALL)
    assert told.fault == '' and told.clear_m[180] == pytest.approx(8.0, abs=0.1)
    assert told.clear_m[0] == pytest.approx(4.9, abs=0.1), 'the wall behind'


def test_echoes_that_are_lost_in_a_hall_show_nothing_behind_a_post() -> None:
    scan = scan_at(HALL, Pose2D(14.0, 15.0, 0.0), 16.0, (POST,))
    scan = replace(scan, ranges_m=lost(0.35, math.inf)(scan.ranges_m))
    ahead = shown(scan, HALL).clear_m[180 - 30:180 + 31]
    assert np.nanmax(ahead) < 4.0


def test_black_cloth_before_a_wall_shows_nothing() -> None:
    """No echo comes from a whole sector, in which the map has a wall that would give one."""
    scan = scan_at(ROOM, AT)
    ranges = scan.ranges_m.copy()
    ranges[165:196] = math.inf
    told = shown(replace(scan, ranges_m=ranges), ROOM)
    assert told.fault == '' and np.isnan(told.clear_m[165:196]).all()
    assert np.isfinite(told.clear_m[:165]).all()


def test_few_lost_echoes_are_no_way_through() -> None:
    scan = scan_at(HALL, Pose2D(14.0, 15.0, 0.0), 8.0, (POST,))
    ranges = scan.ranges_m.copy()
    ranges[178:183] = math.inf
    assert np.isnan(shown(replace(scan, ranges_m=ranges), HALL).clear_m[178:183]).all()


def test_unknown_floor_is_not_shown_by_a_ray_that_met_nothing() -> None:
    grid = HALL.map()
    grid.cells[:, 220:] = UNKNOWN
    scan = scan_at(HALL, Pose2D(5.0, 15.0, 0.0), 8.0)
    told = shown_by(scan, scan.odom_T_scanner, grid)
    assert told.clear_m[180] == pytest.approx(6.0, abs=0.1)


@pytest.mark.parametrize('change', [{'reach_m': 0.0}, {}])
def test_nothing_is_shown_by_silence_alone(change: dict[str, float]) -> None:
    """Neither where the reach of the scanner is unknown, nor in the middle of a hall."""
    scan = scan_at(HALL, AMID, 8.0)
    assert np.isinf(scan.ranges_m).all()
    told = shown(replace(scan, **change), HALL)
    assert np.isnan(told.clear_m).all()
    assert told.fault == '', 'it may be so'


def test_without_a_map_only_what_was_met_is_shown() -> None:
    scan = scan_at(HALL, Pose2D(5.0, 15.0, 0.0), 8.0)
    told = shown_by(scan, scan.odom_T_scanner, None)
    np.testing.assert_array_equal(np.isfinite(told.clear_m), np.isfinite(scan.ranges_m))


def test_walls_that_a_scanner_must_meet() -> None:
    assert walls_within(ROOM.map(), AT.x, AT.y, 12.0)
    assert not walls_within(HALL.map(), AMID.x, AMID.y, 8.0)
