"""Where the memory holds the robot to be, and how far it drove between places."""

import pytest

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.trail import Trail

HERE = Pose2D(1.0, 2.0, 0.0)


@pytest.mark.parametrize(('ahead_s', 'known', 'trusted'), [
    (0.0, True, True), (1.9, True, True), (2.1, False, False), (-1.9, True, True),
    (-2.1, True, False), (-89.0, True, False), (-91.0, False, False)])
def test_pose_of_the_past_is_kept_for_a_while_and_one_of_the_future_is_not(
        ahead_s: float, known: bool, trusted: bool) -> None:
    trail = Trail(2.0, 1.0)
    now = Now(1000 * NS_PER_S, 0, 0)
    trail.on_pose(now.clock_ns + round(ahead_s * NS_PER_S), RobotPose(HERE, True, 0.0))
    assert trail.robot(now) == (HERE if known else None)
    assert trail.trusted(now) is trusted


def test_no_way_leads_over_a_jump() -> None:
    trail = Trail(2.0, 1.0)
    for x, jump_m in ((0.0, 0.0), (1.0, 0.0)):
        trail.on_pose(0, RobotPose(Pose2D(x, 0.0, 0.0), True, jump_m))
        trail.at_place()
    trail.on_pose(0, RobotPose(Pose2D(2.0, 0.0, 0.0), True, 0.5))
    assert trail.driven_m() == 1.0
    trail.on_pose(0, RobotPose(Pose2D(9.0, 0.0, 0.0), True, 7.0))
    assert trail.driven_m() is None
    trail.at_place()
    trail.on_pose(0, RobotPose(Pose2D(9.5, 0.0, 0.0), True, 0.0))
    assert trail.driven_m() == 0.5
