"""Profiles of the robot: the files, the loader, and that each fault does what its name says."""

import dataclasses
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import small_world

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav_sim.profile_files import AMCL, SLAM, profile_names, robot_choice
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.camera_noise import SensorNoise
from semantic_nav_sim.robot.frames import compose, relative
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.localisation import Localisation
from semantic_nav_sim.robot.odometry import Odometry
from semantic_nav_sim.robot.outbox import Outbox
from semantic_nav_sim.robot.profile import Delivery, LocalisationErrors, RobotProfile
from semantic_nav_sim.schemas import load_schema
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.mujoco_model import compile_solids
from semantic_nav_sim.world.scene import build_scene, stage

load = partial(load_profile, RobotProfile)
NAMES = profile_names('robot')
#: Kinds of faults; more cameras are none.
PARTS = {part.name: type(getattr(RobotProfile(), part.name))
         for part in dataclasses.fields(RobotProfile) if part.name != 'other_cameras'}
DT_S = 0.05
START = Pose2D(1.0, 2.0, 0.5)
#: Of a drive through a home.
DRIVE_DT_S, DRIVE_M_S = 0.05, 0.4


def schema_of(part: str) -> dict[str, object]:
    schema = load_schema('robot_profile')
    found = schema['properties'][part]
    return found.get('properties') or schema['$defs']['delivery']['properties']


@pytest.mark.parametrize('name', NAMES)
def test_every_profile_can_be_loaded_and_combined(name: str) -> None:
    profile = load(name)
    assert (profile == RobotProfile()) == (name == 'none')
    assert load(f'{name}+none') == load(f'none + {name}') == profile


@pytest.mark.parametrize('part', PARTS)
def test_schema_and_dataclass_name_the_same(part: str) -> None:
    assert list(schema_of(part)) == [field.name for field in dataclasses.fields(PARTS[part])]


def test_every_fault_stands_in_a_profile_of_its_own() -> None:
    single = [load(name) for name in NAMES if name not in ('none', 'default', 'harsh')
              and not load(name).other_cameras]
    changed = {(part, field.name) for profile in single for part in PARTS
               for field in dataclasses.fields(PARTS[part])
               if getattr(getattr(profile, part), field.name) != field.default}
    assert changed == {(part, field.name) for part in PARTS
                       for field in dataclasses.fields(PARTS[part])}
    for profile in single:
        assert sum(getattr(profile, part) != PARTS[part]() for part in PARTS) == 1


def test_the_later_of_two_profiles_holds() -> None:
    both = load('default+wheel_slip')
    assert both.odometry == load('wheel_slip').odometry
    assert both.camera == load('default').camera


@pytest.mark.parametrize(('text', 'said'), [
    ('description: x\nscan: {noise_m: -1}', 'noise_m'),
    ('description: x\nscan: {range_m: 1}', 'range_m'),
    ('scan: {}', 'description'),
    ('description: x\npictures: {late_s: [2, 1]}', 'must rise'),
    ('description: x\nlocalisation: {jump_every_s: 2, jump_lasts_s: 3}', 'cannot come every'),
    ('- x', 'profile'), ('a: [', 'cannot be read')])
def test_a_wrong_profile_is_refused_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        load(str(path))


def test_an_unknown_profile_is_told_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r'no profile .mud. of the robot.*wheel_slip'):
        load('default+mud')


def ways(errors: LocalisationErrors, seed: int = 1,
         seconds: float = 60.0) -> list[tuple[float, Pose2D, Pose2D]]:
    """Return time, true pose and what is believed along a round of a perfect odometry."""
    localisation, found = Localisation(START, seed, errors), []
    for tick in range(1, round(seconds / DT_S)):
        turn = tick * DT_S * 0.3
        true = compose(START, Pose2D(math.sin(turn), 1 - math.cos(turn), turn))
        odom = relative(START, true)
        localisation.update(true, odom, DT_S)
        found.append((tick * DT_S, true, compose(localisation.map_t_odom, odom)))
    return found


def test_without_faults_the_robot_knows_where_it_is() -> None:
    odometry = Odometry(START, 3, RobotProfile().odometry)
    for turn in np.arange(0.0, 6.0, 0.1):
        true = compose(START, Pose2D(math.sin(turn), 1 - math.cos(turn), turn))
        odometry.update(true, DT_S)
        measured = compose(START, odometry.pose)
        assert (measured.x, measured.y) == pytest.approx((true.x, true.y))
    for _, true, believed in ways(RobotProfile().localisation):
        assert believed.distance_to(true.x, true.y) < 1e-6


def test_wheel_slip_spoils_the_odometry() -> None:
    def drift(name: str) -> float:
        ends = []
        for seed in range(20):
            odometry = Odometry(START, seed, load(name).odometry)
            for way in np.arange(0.1, 4.0, 0.1):
                odometry.update(compose(START, Pose2D(way, 0.0, 0.0)), DT_S)
            ends.append(abs(odometry.pose.x - 3.9))
        return float(np.mean(ends))
    assert drift('wheel_slip') > 4 * drift('default') > 0


def errors_of(name: str, seed: int, seconds: float = 210.0) -> np.ndarray:
    """Return what the localisation errs in each moment of a drive, float[n, 3]: x, y [m], turn."""
    rng, profile = np.random.default_rng(seed), load(name)
    true = Pose2D(0.0, 0.0, 0.0)
    odometry = Odometry(true, seed, profile.odometry)
    localisation = Localisation(true, seed, profile.localisation)
    steps, found = [], []
    while len(steps) < seconds / DRIVE_DT_S:
        turn_rad, way_m = rng.uniform(-2.2, 2.2), rng.uniform(0.3, 3.0)
        turns = math.ceil(abs(turn_rad) / (0.8 * DRIVE_DT_S))
        steps += [Pose2D(0.0, 0.0, turn_rad / turns)] * turns
        steps += [Pose2D(DRIVE_M_S * DRIVE_DT_S, 0.0, 0.0)] * round(
            way_m / DRIVE_M_S / DRIVE_DT_S)
    for step in steps:
        true = compose(true, step)
        odometry.update(true, DRIVE_DT_S)
        localisation.update(true, odometry.pose, DRIVE_DT_S)
        held = compose(localisation.map_t_odom, odometry.pose)
        found.append((held.x - true.x, held.y - true.y, wrap_angle(held.yaw - true.yaw)))
    return np.array(found)


def test_usual_localisation_is_that_of_amcl_or_of_the_slam_that_makes_the_map() -> None:
    assert load('default').localisation == load('amcl').localisation
    for choice, localiser, taken in [
            ('default', AMCL, 'default'), ('default', SLAM, 'default+slam'),
            ('default+no_depth', SLAM, 'default+slam+no_depth'), ('none', SLAM, 'none'),
            ('default + amcl', SLAM, 'default'), ('harsh', SLAM, 'harsh')]:
        assert load(robot_choice(choice, localiser)) == load(taken)


def test_localisation_errs_by_the_figures_of_amcl() -> None:
    """Those of Nav2 1.3.13, driven for 210 s through the simulated home, against the truth."""
    drives = [errors_of('default', seed) for seed in range(12)]
    errors = np.concatenate(drives)
    off_m, turned_rad = np.hypot(errors[:, 0], errors[:, 1]), np.abs(errors[:, 2])
    assert np.quantile(off_m, [0.5, 0.9]) == pytest.approx([0.076, 0.142], rel=0.1)
    assert np.quantile(turned_rad, 0.9) == pytest.approx(0.055, rel=0.1)
    largest_m = [np.hypot(drive[:, 0], drive[:, 1]).max() for drive in drives]
    assert np.median(largest_m) == pytest.approx(0.20, rel=0.15)
    # Seldom so far.
    assert turned_rad.max() == pytest.approx(0.167, rel=0.3)


def test_localisation_errs_by_the_figure_of_slam_toolbox() -> None:
    errors = np.concatenate([errors_of('default+slam', seed) for seed in range(6)])
    assert np.median(np.hypot(errors[:, 0], errors[:, 1])) == pytest.approx(0.022, rel=0.1)


def test_error_of_the_localisation_creeps_and_is_forgotten() -> None:
    drives = [errors_of('amcl', seed)[:, :2] for seed in range(6)]

    def alike(apart_s: float) -> float:
        apart = round(apart_s / DRIVE_DT_S)
        before, after = (np.concatenate([drive[part].ravel() for drive in drives])
                         for part in (slice(None, -apart), slice(apart, None)))
        return float(np.corrcoef(before, after)[0, 1])
    assert alike(1.0) > 0.8 and abs(alike(20.0)) < 0.3
    steps_m = np.hypot(*np.diff(drives[0], axis=0).T)
    # As the correction slides, beside what the odometry errs in one step.
    assert steps_m.max() < 0.05 * DRIVE_DT_S + 0.02
    assert np.array_equal(errors_of('amcl', 3), errors_of('amcl', 3))
    assert not np.array_equal(errors_of('amcl', 3), errors_of('amcl', 4))


def test_localisation_noise_is_larger_than_usual() -> None:
    def error(name: str) -> float:
        return float(np.mean([believed.distance_to(true.x, true.y)
                              for seed in range(8)
                              for _, true, believed in ways(load(name).localisation, seed)]))
    assert error('localisation_noise') > 1.5 * error('default')


def test_the_localisation_jumps_when_and_as_far_as_told_and_recovers() -> None:
    errors = LocalisationErrors(jump_m=1.5, jump_rad=0.6, jump_after_s=20.0, jump_every_s=25.0,
                                jump_lasts_s=6.0)
    found = ways(errors)
    lost = [(time_s, believed.distance_to(true.x, true.y), relative(true, believed).yaw)
            for time_s, true, believed in found if believed.distance_to(true.x, true.y) > 1e-6]
    times = np.array([time_s for time_s, _, _ in lost])
    assert np.all(((times >= 19.99) & (times < 26.01)) | ((times >= 44.99) & (times < 51.01)))
    assert len(times) == pytest.approx(2 * 6.0 / DT_S, abs=3)
    # It drives on in the displaced map.
    assert lost[0][1] == pytest.approx(1.5)
    assert all(abs(turn) == pytest.approx(0.6) for _, _, turn in lost)
    assert ways(errors) == found != ways(errors, seed=2)


def test_dropouts_are_told_as_no_measurement() -> None:
    scene = build_scene(world_from(small_world.document()))
    here = stage(scene, small_world.SEED_TABLE)
    model = compile_solids(scene, scene.objects.values())

    def scan(name: str) -> np.ndarray:
        return Lidar(model, here, 0, load(name).scan).scan(Pose2D(1.0, 1.5, 0.0))
    lossy, whole = scan('default+scan_dropouts'), scan('default')
    assert 0.1 < np.isnan(lossy).mean() < 0.3
    assert not np.isnan(whole).any()
    # What is measured is measured as before.
    assert np.array_equal(lossy[~np.isnan(lossy)], whole[~np.isnan(lossy)])
    # The window lies higher, so that every ray meets something.
    assert np.isfinite(scan('none')).all()


def depth_of(name: str, metres: float = 3.0) -> np.ndarray:
    noise = SensorNoise(4, load(name).camera)
    return noise.depth_mm(np.full((480, 640), metres, np.float32))


def test_depth_has_holes_in_patches() -> None:
    depth = depth_of('depth_holes')
    empty = depth == 0
    assert empty.mean() == pytest.approx(0.35, abs=0.05)
    assert (depth[~empty] == 3000).all()
    assert empty[:16, :16].all() or not empty[:16, :16].any()
    assert not np.array_equal(empty, SensorNoise(5, load('depth_holes').camera).depth_mm(
        np.full((480, 640), 3.0, np.float32)) == 0)


def test_depth_comes_in_steps_that_grow_with_the_distance() -> None:
    noise = SensorNoise(4, load('depth_steps').camera)

    def step_mm(metres: float) -> float:
        ramp = np.linspace(metres - 0.3, metres + 0.3, 4096, dtype=np.float32).reshape(64, 64)
        return float(np.mean(np.diff(np.unique(noise.depth_mm(ramp)))))
    assert step_mm(1.0) == pytest.approx(10, rel=0.2)
    assert step_mm(3.0) == pytest.approx(90, rel=0.2)
    assert not noise.depth_mm(np.full((8, 8), np.inf, np.float32)).any()


def test_depth_noise_grows_with_the_square_of_the_distance() -> None:
    assert depth_of('depth_noise', 1.0).std() == pytest.approx(8, rel=0.15)
    assert depth_of('depth_noise', 3.0).std() == pytest.approx(72, rel=0.15)
    assert depth_of('none').std() == 0


def test_pictures_are_grainy() -> None:
    flat = np.full((64, 64, 3), 128, np.uint8)
    assert SensorNoise(1, load('camera_noise').camera).colour(flat).std() > 6
    assert np.array_equal(SensorNoise(1, load('none').camera).colour(flat), flat)


def delivered(delivery: Delivery, seed: int = 3) -> list[tuple[int, int]]:
    """Return number and lateness [ns] of what arrives of 100 measurements at 10 Hz."""
    outbox, arrived = Outbox[int](seed, 'test', delivery), []
    for tick in range(1200):
        now_ns = tick * NS_PER_S // 100
        if tick % 10 == 0 and tick < 1000:
            outbox.put(tick // 10, now_ns)
        arrived += [(number, now_ns - number * NS_PER_S // 10) for number in outbox.due(now_ns)]
    return arrived


def test_what_has_no_fault_arrives_at_once() -> None:
    assert delivered(Delivery()) == [(number, 0) for number in range(100)]


def test_dropped_frames_never_arrive() -> None:
    arrived = delivered(load('dropped_frames').pictures)
    assert 30 < len(arrived) < 70
    assert all(late_ns == 0 for _, late_ns in arrived)
    assert arrived == delivered(load('dropped_frames').pictures)
    assert arrived != delivered(load('dropped_frames').pictures, seed=4)


def test_late_frames_arrive_late_and_in_order() -> None:
    arrived = delivered(load('late_frames').pictures)
    assert [number for number, _ in arrived] == list(range(100))
    assert all(0.4 * NS_PER_S <= late_ns <= 1.02 * NS_PER_S for _, late_ns in arrived)
    assert len({late_ns for _, late_ns in arrived}) > 10
