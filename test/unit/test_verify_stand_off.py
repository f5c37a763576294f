"""Poses before a target, and viewpoints that moved aside."""

import math

import numpy as np
import pytest
from builders import Block, Room
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import ROBOT, Known
from strategies import examples

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose, Rejection
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.planning.revisit import clear_pose_near
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.planning.target_rings import SAME_SIDE_RAD
from semantic_nav.verify.same_place import SAME_PLACE_M

#: More poses than a ring has room for.
EVERYWHERE = 20
CONFIG = VerifierConfig(path_tries=EVERYWHERE)
NEAR_M, FAR_M = CONFIG.stand_off_near_m, CONFIG.stand_off_far_m
TABLE = Block((4.0, 4.8), (2.6, 3.4), (0.0, 0.75))
TARGET = (4.15, 3.0)


def situation_of(room: Room, robot: Pose2D = ROBOT) -> Situation:
    return Known(room, robot, path_tries=EVERYWHERE).situation


def may_stand(situation: Situation, x: float, y: float) -> bool:
    return first_rejection(situation, GoalPose(x, y)) is None


def poses(room: Room, target: tuple[float, float] = TARGET, robot: Pose2D = ROBOT,
          seen_from: tuple[float, float] | None = None, avoid: tuple[Pose2D, ...] = (),
          far_m: float = FAR_M) -> tuple[Pose2D, ...]:
    return stand_off_poses(situation_of(room, robot), target, seen_from or (robot.x, robot.y),
                           NEAR_M, far_m, avoid)


def assert_good(found: tuple[Pose2D, ...], situation: Situation, target: tuple[float, float],
                far_m: float = FAR_M) -> None:
    for pose in found:
        assert NEAR_M - 1e-6 <= pose.distance_to(*target) <= far_m + 1e-6
        assert abs(pose.bearing_to(*target)) < 1e-6, 'faces it'
        assert may_stand(situation, pose.x, pose.y)
        assert situation.surroundings.costmap.value_at(pose.x, pose.y) <= CONFIG.clear_cost
        assert situation.surroundings.map.value_at(pose.x, pose.y) == 0


def test_table_is_approached_from_where_it_was_seen() -> None:
    found = poses(Room(blocks=[TABLE]))
    assert_good(found, situation_of(Room(blocks=[TABLE])), TARGET)
    best = found[0]
    assert best.x < 4.0 and abs(best.y - 3.0) < 0.5
    assert abs(wrap_angle(best.yaw)) < 0.6


@pytest.mark.parametrize(('seen_from', 'side'), [
    ((4.4, 5.0), lambda pose: pose.y > 3.4), ((4.4, 1.0), lambda pose: pose.y < 2.6),
    ((6.5, 3.0), lambda pose: pose.x > 4.8)])
def test_side_is_the_one_from_which_it_was_seen(seen_from, side) -> None:
    target = (4.4, 3.0)
    found = poses(Room(blocks=[TABLE]), target, seen_from=seen_from)
    assert found and side(found[0])


def test_poses_can_be_held_to_the_side_from_which_the_target_was_seen() -> None:
    situation = situation_of(Room())
    found = stand_off_poses(situation, TARGET, (ROBOT.x, ROBOT.y), NEAR_M, FAR_M, (),
                            SAME_SIDE_RAD)
    assert found and len(found) < len(poses(Room()))
    for pose in found:
        angle = math.atan2(pose.y - TARGET[1], pose.x - TARGET[0])
        assert abs(wrap_angle(angle - math.pi)) <= SAME_SIDE_RAD + 1e-6


def test_another_side_is_taken_where_that_one_is_not_clear() -> None:
    """Chairs stand round the table, but for the side away from where the mug was seen."""
    target = (4.4, 3.0)
    chairs = [Block((3.2, 3.7), (1.8, 4.2)), Block((3.7, 4.6), (1.8, 2.2)),
              Block((3.7, 4.6), (3.8, 4.2))]
    found = poses(Room(blocks=[TABLE, *chairs]), target, seen_from=(2.0, 3.0))
    assert found and all(pose.x > target[0] for pose in found)


def test_target_behind_a_wall_is_not_approached_through_the_wall() -> None:
    """A mug seen through the open door on a shelf that stands right behind the wall."""
    wall = Block((4.0, 4.1), (0.0, 4.5))
    room = Room(blocks=[wall])
    target = (4.5, 2.0)
    found = poses(room, target, seen_from=(2.0, 5.5))
    assert found, 'through the door, then'
    assert all(pose.x > 4.1 for pose in found)
    assert_good(found, situation_of(room), target)


@pytest.mark.parametrize('x', [3.85, 3.95, 4.05])
def test_target_before_a_wall_is_not_approached_from_behind_the_wall(x: float) -> None:
    """A picture that hangs there, and furniture before it. The grounding errs by centimetres."""
    room = Room(blocks=[Block((4.0, 4.1), (0.0, 4.5)), Block((2.7, 3.8), (1.0, 3.4))])
    assert poses(room, (x, 2.0), seen_from=(1.5, 2.0)) == ()


def test_furniture_between_blocks_too() -> None:
    """The stand-off in front of another table cannot see past it for sure."""
    room = Room(blocks=[Block((4.0, 4.1), (2.8, 3.2))])
    target = (4.6, 3.0)
    for pose in poses(room, target):
        for share in np.linspace(0, 1, 60):
            x = pose.x + (target[0] - pose.x) * share
            y = pose.y + (target[1] - pose.y) * share
            assert room.map().value_at(x, y) == 0


def test_what_the_target_stands_on_is_no_wall() -> None:
    deep = Block((4.0, 5.5), (2.0, 4.0), (0.0, 0.8))
    found = poses(Room(blocks=[deep]), (4.2, 3.0))
    assert found and found[0].x < 4.0


@pytest.mark.parametrize('target', [(4.75, 3.0), (-3.0, 3.0), (100.0, 100.0), (4.75, 9.0)])
def test_target_out_of_reach_has_no_pose(target: tuple[float, float]) -> None:
    wide = Block((3.5, 6.0), (1.75, 4.25), (0.0, 0.8))
    assert poses(Room(blocks=[wide]), target) == ()


def test_target_behind_a_closed_door_has_no_pose() -> None:
    assert poses(Room(blocks=[Block((3.0, 3.1), (0.0, 6.0))])) == ()


def test_poses_that_did_not_do_are_kept_clear_of() -> None:
    room = Room(blocks=[TABLE])
    first = poses(room)[0]
    for pose in poses(room, avoid=(first,)):
        assert pose.distance_to(first.x, first.y) >= 0.4


def test_there_are_no_more_poses_than_nav2_is_asked_for() -> None:
    every = poses(Room())
    few = stand_off_poses(Known(Room(), path_tries=2).situation, TARGET, (ROBOT.x, ROBOT.y),
                          NEAR_M, FAR_M, ())
    assert few == every[:2]
    for index, pose in enumerate(every):
        assert all(pose.distance_to(other.x, other.y) >= SAME_PLACE_M
                   for other in every[:index]), 'each is another try'


def test_ring_is_a_parameter() -> None:
    found = poses(Room(), far_m=2.0)
    assert max(pose.distance_to(*TARGET) for pose in found) == pytest.approx(2.0, abs=0.05)
    assert_good(found, situation_of(Room()), TARGET, 2.0)


@settings(max_examples=examples(40))
@given(st.floats(-2, 10), st.floats(-2, 8), st.floats(0.5, 7.5), st.floats(0.5, 5.5),
       st.lists(st.tuples(st.floats(1, 7), st.floats(1, 5)), max_size=3))
def test_every_pose_is_good(x: float, y: float, sx: float, sy: float,
                            pillars: list[tuple[float, float]]) -> None:
    room = Room(blocks=[Block((px, px + 0.4), (py, py + 0.4)) for px, py in pillars])
    situation = situation_of(room)
    if situation.surroundings.reach is None:
        return
    found = stand_off_poses(situation, (x, y), (sx, sy), NEAR_M, FAR_M, ())
    assert_good(found, situation, (x, y))


# Remembered viewpoints

def test_clear_viewpoint_stays_as_it_is() -> None:
    pose = Pose2D(6.013, 2.987, 1.234)
    assert clear_pose_near(pose, situation_of(Room())) is pose


def test_blocked_viewpoint_moves_to_the_nearest_clear_cell() -> None:
    room = Room(blocks=[Block((6.0, 6.2), (2.9, 3.1))])
    situation = situation_of(room)
    pose = Pose2D(6.3, 3.0, 1.0)
    moved = clear_pose_near(pose, situation)
    assert isinstance(moved, Pose2D)
    assert moved.yaw == pose.yaw and may_stand(situation, moved.x, moved.y)
    assert 0.1 < moved.distance_to(pose.x, pose.y) <= CONFIG.node_shift_m + 0.05
    nearest = min(math.hypot(x - pose.x, y - pose.y)
                  for x in np.arange(5.625, 7.0, 0.05) for y in np.arange(2.325, 3.7, 0.05)
                  if may_stand(situation, x, y))
    assert moved.distance_to(pose.x, pose.y) <= nearest + 0.08


@pytest.mark.parametrize(('pose', 'code'), [
    (Pose2D(5.0, 3.0, 0.0), Code.COLLISION_DETECTED), (Pose2D(-0.5, 3.0, 0.0), Code.OUT_OF_MAP),
    (Pose2D(9999.0, 9999.0, 0.0), Code.OUT_OF_MAP)])
def test_viewpoint_deep_in_something_is_refused(pose: Pose2D, code: Code) -> None:
    room = Room(blocks=[Block((4.0, 6.0), (2.0, 4.0))])
    rejection = clear_pose_near(pose, situation_of(room))
    assert isinstance(rejection, Rejection) and rejection.code is code


def test_viewpoint_beyond_a_closed_door_is_refused() -> None:
    room = Room(blocks=[Block((4.0, 4.1), (0.0, 6.0))])
    rejection = clear_pose_near(Pose2D(6.0, 3.0, 0.0), situation_of(room))
    assert isinstance(rejection, Rejection) and rejection.code is Code.UNREACHABLE
