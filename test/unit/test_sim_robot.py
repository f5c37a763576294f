"""The base, its odometry, the localisation's stand-in and the lidar, on a usual day."""

import math

import numpy as np
import pytest
import small_world
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.base import Base, BaseLimits, Drive
from semantic_nav_sim.robot.frames import compose, relative
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.localisation import Localisation
from semantic_nav_sim.robot.odometry import Odometry
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.world.floor_plan import BAND_M
from semantic_nav_sim.world.footprints import Cleared, Footprints
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.mujoco_model import compile_solids
from semantic_nav_sim.world.scene import build_scene, stage

DT_S = 0.02
SCENE = build_scene(world_from(small_world.document()))
STAGE = stage(SCENE, small_world.SEED_TABLE)
FOOTPRINTS = Footprints(STAGE.colliders(), *BAND_M)
CLEARED = Cleared(FOOTPRINTS, SCENE.world.low, SCENE.world.high, 0.25)
RADIUS_M = BaseLimits().shape.radius_m
USUAL = load_profile(RobotProfile, 'default+slam')


@given(st.floats(-0.5, 5.5), st.floats(-0.5, 3.5), st.floats(0.0, 0.4))
def test_what_is_cleared_holds_nothing_near(x: float, y: float, reach_m: float) -> None:
    one, other = (outlines.nearest(x, y, reach_m) for outlines in (CLEARED, FOOTPRINTS))
    assert (one.gap_m, one.name) == (other.gap_m, other.name)


def drive(base: Base, speed_m_s: float, turn_rad_s: float, seconds: float) -> None:
    for _ in range(round(seconds / DT_S)):
        base.step(speed_m_s, turn_rad_s, DT_S)


def test_the_base_keeps_its_limits() -> None:
    base = Base(FOOTPRINTS, Pose2D(0.6, 1.4, 0.0))
    base.step(5.0, 9.0, DT_S)
    assert base.speed_m_s == pytest.approx(base.limits.acceleration_m_s2 * DT_S)
    drive(base, 0.0, 9.0, 1.0)
    assert base.turn_rad_s == pytest.approx(base.limits.turn_rad_s)
    base = Base(FOOTPRINTS, Pose2D(0.6, 1.4, 0.0))
    drive(base, 5.0, 0.0, 1.0)
    assert base.speed_m_s == pytest.approx(base.limits.speed_m_s)
    assert base.collisions == 0
    assert base.distance_m == pytest.approx(base.pose.x - 0.6)
    assert base.pose.y == pytest.approx(1.4)


def test_turning_on_the_spot_goes_nowhere() -> None:
    base = Base(FOOTPRINTS, Pose2D(1.5, 1.4, 0.0))
    drive(base, 0.0, 1.0, 2.0)
    assert (base.pose.x, base.pose.y) == (1.5, 1.4)
    assert 1.5 < base.pose.yaw < 2.0


def test_a_wall_stops_the_base_and_counts_once_for_each_run() -> None:
    base = Base(FOOTPRINTS, Pose2D(0.8, 1.4, math.pi))
    drive(base, 0.5, 0.0, 4.0)
    assert base.pose.x == pytest.approx(0.06 + RADIUS_M, abs=1e-3)
    assert base.collisions == 1
    drive(base, -0.5, 0.0, 1.0)
    drive(base, 0.5, 0.0, 2.0)
    assert base.collisions == 2


def test_the_base_knows_what_it_ran_into() -> None:
    named = STAGE.named_colliders()
    footprints = Footprints([one for one, _ in named], *BAND_M, [name for _, name in named])
    base = Base(footprints, Pose2D(2.3, 1.0, math.pi / 2))
    assert base.met == ''
    drive(base, 0.5, 0.0, 4.0)
    assert (base.collisions, base.met) == (1, 'table')
    drive(base, -0.5, 0.0, 5.0)
    assert (base.collisions, base.met) == (2, 'wall')
    assert footprints.nearest(1.5, 1.0, 0.2).name == ''


def test_an_omnidirectional_base_goes_sideways_and_a_differential_one_does_not() -> None:
    start = Pose2D(1.0, 1.0, math.pi / 2)
    omni, usual = Base(FOOTPRINTS, start, drive=Drive.OMNIDIRECTIONAL), Base(FOOTPRINTS, start)
    for base in (omni, usual):
        for _ in range(100):
            base.step(0.0, 0.0, DT_S, -0.3)
    assert (omni.pose.y, omni.pose.yaw) == pytest.approx((1.0, math.pi / 2))
    assert 1.5 < omni.pose.x < 1.6
    assert usual.pose == start
    odometry = Odometry(start, 0, RobotProfile().odometry)
    odometry.update(omni.pose, 2.0)
    assert odometry.sideways_m_s == pytest.approx(-(omni.pose.x - 1.0) / 2)
    assert odometry.speed_m_s == pytest.approx(0.0, abs=1e-9)


def test_the_limits_hold_across_both_directions_of_an_omnidirectional_base() -> None:
    base = Base(FOOTPRINTS, Pose2D(0.6, 0.6, 0.0), drive=Drive.OMNIDIRECTIONAL)
    base.step(1.0, 0.0, DT_S, 1.0)
    step = base.limits.acceleration_m_s2 * DT_S
    assert math.hypot(base.speed_m_s, base.sideways_m_s) == pytest.approx(step)
    for _ in range(50):
        base.step(1.0, 0.0, DT_S, 1.0)
    assert math.hypot(base.speed_m_s, base.sideways_m_s) == pytest.approx(base.limits.speed_m_s)
    assert base.speed_m_s == pytest.approx(base.sideways_m_s)
    assert base.pose.x == pytest.approx(base.pose.y)


def test_the_base_slides_along_a_wall() -> None:
    base = Base(FOOTPRINTS, Pose2D(0.4, 0.7, math.radians(135)))
    drive(base, 0.5, 0.0, 2.0)
    assert base.pose.x == pytest.approx(0.06 + RADIUS_M, abs=1e-3)
    assert base.pose.y > 1.2


@given(st.lists(st.tuples(st.floats(-0.6, 0.6), st.floats(-1.2, 1.2), st.floats(0.1, 2.0)),
                min_size=1, max_size=12))
@settings(max_examples=25)
def test_no_drive_ends_inside_anything(legs: list[tuple[float, float, float]]) -> None:
    base = Base(FOOTPRINTS, Pose2D(1.0, 1.5, 0.0))
    for speed, turn, seconds in legs:
        drive(base, speed, turn, seconds)
        gap, *_ = FOOTPRINTS.nearest(base.pose.x, base.pose.y, RADIUS_M)
        assert gap > RADIUS_M - 2e-3
        assert STAGE.scene.world.room_at(base.pose.x, base.pose.y) is not None


def test_footprints_know_inside_outside_and_the_way_out() -> None:
    # The table: 0.8 by 0.6 m about (2.3, 2.4).
    gap, away, _ = FOOTPRINTS.nearest(2.3, 1.9, 1.0)
    assert gap == pytest.approx(0.2)
    assert away == pytest.approx((0, -1))
    gap, away, _ = FOOTPRINTS.nearest(2.3, 2.15, 1.0)
    assert gap == pytest.approx(-0.05)
    assert away == pytest.approx((0, -1), abs=1e-9)
    gap, away, _ = FOOTPRINTS.nearest(2.3, 2.1, 1.0)
    assert gap == pytest.approx(0, abs=1e-9)
    assert away == pytest.approx((0, -1))
    assert FOOTPRINTS.nearest(1.5, 1.0, 0.2).gap_m == math.inf


@given(*[st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-3, 3))] * 2)
def test_relative_undoes_compose(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    first, second = Pose2D(*a), Pose2D(*b)
    back = relative(first, compose(first, second))
    assert (back.x, back.y, back.yaw) == pytest.approx(b, abs=1e-9)


def wander(seed: int, seconds: float = 120.0) -> list[tuple[Pose2D, Pose2D, Pose2D]]:
    """Return true, measured and localised poses along a drive in a room."""
    start = Pose2D(1.0, 1.5, 0.3)
    base, rng = Base(FOOTPRINTS, start), np.random.default_rng(5)
    odometry = Odometry(start, seed, USUAL.odometry)
    localisation = Localisation(start, seed, USUAL.localisation)
    speed = turn = 0.0
    poses = []
    for tick in range(round(seconds / DT_S)):
        if tick % 50 == 0:
            speed, turn = float(rng.uniform(-0.2, 0.6)), float(rng.uniform(-1, 1))
        base.step(speed, turn, DT_S)
        odometry.update(base.pose, DT_S)
        localisation.update(base.pose, odometry.pose, DT_S)
        poses.append((base.pose, odometry.pose, compose(localisation.map_t_odom, odometry.pose)))
    return poses


@pytest.mark.slow
def test_odometry_drifts_and_localisation_corrects_it() -> None:
    poses = wander(3)
    start = Pose2D(1.0, 1.5, 0.3)
    drift = [compose(start, odom).distance_to(true.x, true.y) for true, odom, _ in poses]
    error = [known.distance_to(true.x, true.y) for true, _, known in poses]
    turned = [abs(relative(true, known).yaw) for true, _, known in poses]
    assert 0.04 < max(drift) < 3.0
    assert max(error) < 0.12
    assert float(np.mean(error)) < 0.05
    assert max(turned) < 0.08


@pytest.mark.slow
def test_localisation_slides_and_never_jumps() -> None:
    poses = wander(4)
    for (_, odom, known), (_, next_odom, next_known) in zip(poses, poses[1:], strict=False):
        expected = compose(known, relative(odom, next_odom))
        jump = expected.distance_to(next_known.x, next_known.y)
        assert jump <= Localisation.SLIDE_M_S * DT_S + 1e-3


def test_noise_follows_the_seed() -> None:
    assert wander(7, 5.0) == wander(7, 5.0)
    assert wander(7, 5.0)[-1][1] != wander(8, 5.0)[-1][1]


def test_a_robot_that_stands_measures_no_motion() -> None:
    odometry = Odometry(Pose2D(1, 1, 1), 0, USUAL.odometry)
    for _ in range(100):
        odometry.update(Pose2D(1, 1, 1), DT_S)
    assert odometry.pose == Pose2D(0, 0, 0)
    assert odometry.speed_m_s == odometry.turn_rad_s == 0


def lidar(seed: int) -> Lidar:
    return Lidar(compile_solids(SCENE, SCENE.objects.values()), STAGE, seed, USUAL.scan)


def test_the_scan_measures_the_walls() -> None:
    scan = lidar(0).scan(Pose2D(1.0, 1.5, math.pi / 2))
    assert scan.shape == (360,) and scan.dtype == np.float32
    # The middle ray looks ahead, north; a quarter to its left lies west.
    assert scan[180] == pytest.approx(2.94 - 1.5, abs=0.04)
    assert scan[270] == pytest.approx(1.0 - 0.06, abs=0.04)
    assert scan[0] == pytest.approx(1.5 - 0.06, abs=0.04)


def test_the_scan_sees_through_the_doorway() -> None:
    scan = lidar(0).scan(Pose2D(1.5, 1.3, 0.0))
    assert scan[180] == pytest.approx(4.94 - 1.5, abs=0.04)


def test_the_scan_is_noisy_by_seed() -> None:
    here = Pose2D(1.0, 1.5, 0.0)
    assert np.array_equal(lidar(1).scan(here), lidar(1).scan(here))
    assert not np.array_equal(lidar(1).scan(here), lidar(2).scan(here))
    spread = np.std([lidar(seed).scan(here)[0] for seed in range(40)])
    assert 0.003 < spread < 0.02
