import math

import numpy as np
import pytest

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.navigator.behaviors import BackUp, BackUpCode, Spin, SpinCode, State, Wait
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.follower import is_clear
from semantic_nav_sim.navigator.geometry import STOP, Pose, Velocity, wrap

HERE = Pose(0.0, 0.0, 0.0)


def world():
    """Free, with a wall at x = -1 m."""
    cells = np.zeros((80, 80), dtype=np.int8)
    cells[:, 20] = 100
    return Costmap(OccupancyGrid(cells, 0.05, -2.0, -2.0, 'map', 0), 0.22, 0.45, 3.0)


def run(behavior, pose=HERE, stuck=False, dt_s=0.05):
    now_s, velocity = behavior.started_s, STOP
    while behavior.state is State.RUNNING:
        assert now_s < 60.0
        velocity = behavior.tick(now_s, pose)
        if not stuck:
            pose = pose.moved(velocity.linear * dt_s, velocity.angular * dt_s)
        now_s += dt_s
    assert velocity == STOP
    return pose, now_s


@pytest.mark.parametrize('angle', [1.57, -1.57, 5.0, 0.05])
def test_spin_turns_by_its_angle(angle):
    spin = Spin(world(), 0.0, HERE, angle, 10.0)
    pose, _ = run(spin)
    assert (spin.state, spin.code) == (State.SUCCEEDED, 0)
    assert abs(wrap(pose.yaw - angle)) < 0.06
    assert spin.done == pytest.approx(angle, abs=0.06)


def test_spin_gives_up_when_its_time_is_over():
    spin = Spin(world(), 0.0, HERE, 1.57, 2.0)
    _, ended_s = run(spin, stuck=True)
    assert (spin.state, spin.code) == (State.FAILED, SpinCode.TIMEOUT)
    assert ended_s == pytest.approx(2.0, abs=0.15)


def test_without_a_pose_behaviors_fail():
    spin = Spin(world(), 0.0, HERE, 1.57, 2.0)
    assert spin.tick(0.05, None) == STOP
    assert spin.code == SpinCode.TF_ERROR
    back = BackUp(world(), 0.0, None, (0.3, 0.0, 0.0), 0.1, 0.0)
    assert back.tick(0.0, HERE) == STOP
    assert back.code == BackUpCode.TF_ERROR


def test_spin_in_a_collision_fails():
    spin = Spin(world(), 0.0, Pose(-0.9, 0.0, 0.0), 1.57, 10.0)
    spin.tick(0.0, Pose(-0.9, 0.0, 0.0))
    assert spin.code == SpinCode.COLLISION_AHEAD


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_back_up_goes_backwards_whatever_the_sign(sign):
    back = BackUp(world(), 0.0, HERE, (0.3 * sign, 0.0, 0.0), 0.15 * sign, 10.0)
    pose, _ = run(back)
    assert back.state is State.SUCCEEDED
    assert pose.x == pytest.approx(-0.3, abs=0.01)


def test_back_up_stops_before_the_wall():
    back = BackUp(world(), 0.0, HERE, (2.0, 0.0, 0.0), 0.2, 0.0)
    pose, _ = run(back)
    assert back.code == BackUpCode.COLLISION_AHEAD
    assert -1.0 + 0.22 < pose.x < -0.1


def test_back_up_only_along_x():
    back = BackUp(world(), 0.0, HERE, (0.3, 0.1, 0.0), 0.1, 0.0)
    back.tick(0.0, HERE)
    assert back.code == BackUpCode.INVALID_INPUT


def test_back_up_gives_up_when_its_time_is_over():
    back = BackUp(world(), 0.0, HERE, (0.3, 0.0, 0.0), 0.1, 1.0)
    run(back, stuck=True)
    assert back.code == BackUpCode.TIMEOUT


def test_wait_waits():
    wait = Wait(0.0, 1.5)
    _, ended_s = run(wait)
    assert wait.state is State.SUCCEEDED
    assert ended_s == pytest.approx(1.5, abs=0.11)


def test_moving_away_from_something_too_close_is_allowed():
    costmap, pose = world(), Pose(-0.78, 0.0, 0.0)
    assert is_clear(costmap, pose, Velocity(0.2, 0.0), 1.0)
    assert not is_clear(costmap, pose, Velocity(-0.2, 0.0), 1.0)


def test_robot_that_is_wedged_does_not_move_at_all():
    costmap, pose = world(), Pose(-0.82, 0.0, 0.0)
    for velocity in (Velocity(0.2, 0.0), Velocity(-0.2, 0.0), Velocity(0.0, 1.0)):
        assert not is_clear(costmap, pose, velocity, 1.0)
    for behavior, code in ((Spin(costmap, 0.0, pose, 1.57, 10.0), 703),
                           (BackUp(costmap, 0.0, pose, (0.3, 0.0, 0.0), 0.15, 10.0), 714)):
        assert behavior.tick(0.1, pose) == STOP and behavior.code == code


def test_driving_on_beside_something_too_close_is_not():
    # The costmap tells a clearance by whole cells: within them the robot comes nearer unnoticed.
    costmap, pose = world(), Pose(-0.78, 0.0, math.pi / 2.0)
    assert costmap.clearance_at(pose.x, pose.y) <= costmap.robot_radius_m
    assert not is_clear(costmap, pose, Velocity(0.075, 0.0), 1.0)
    assert not is_clear(costmap, pose, Velocity(0.2, 0.2), 1.0)
    assert is_clear(costmap, pose, Velocity(0.2, -1.0), 1.0)
    assert is_clear(costmap, pose, Velocity(0.0, 1.0), 1.0)


def test_driving_an_arc():
    end = HERE.moved(math.pi / 2.0, math.pi / 2.0)
    assert (end.x, end.y, end.yaw) == pytest.approx((1.0, 1.0, math.pi / 2.0))
    back = end.moved(-math.pi / 2.0, -math.pi / 2.0)
    assert (back.x, back.y, back.yaw) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
