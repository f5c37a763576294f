"""A simulated robot with several cameras: each sees, measures and is recognised as itself."""

import io
import math
from collections.abc import Iterator

import numpy as np
import pytest
import small_world
from bench_rig import cache_beside
from PIL import Image
from scipy import ndimage

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.contracts.grid import LETHAL, OccupancyGrid
from semantic_nav.verify.grounding.camera_view import CameraView
from semantic_nav_sim.bench.bodies import FULL, LIGHT, open_home
from semantic_nav_sim.bench.camera import mounted
from semantic_nav_sim.bench.robot import Robot
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.body import Body
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.truth import Truth

VIEW = Pose2D(1.0, 1.5, 0.7)
LEFT_RAD = 1.2
PROFILE = load_profile(RobotProfile, 'none+side_cameras')


@pytest.fixture(params=[LIGHT, pytest.param(FULL, marks=pytest.mark.slow)])
def body(small_home: str, request: pytest.FixtureRequest) -> Iterator[Body]:
    with cache_beside(small_home), open_home(small_home, request.param) as home:
        made = home(small_world.SEED_TABLE, profile=PROFILE)
        yield made
        made.close()


def stand(body: Body, yaw: float, now_s: int) -> None:
    body._base.pose = Pose2D(VIEW.x, VIEW.y, yaw)
    body.step(now_s * 1_000_000_000)


def test_camera_looks_where_its_mount_says() -> None:
    model = CameraModel(mount=(0.1, 0.2, 0.9), yaw_rad=LEFT_RAD)
    map_T_optical = Transform.from_pose(VIEW) @ model.base_t_camera @ CAMERA_T_OPTICAL
    assert map_T_optical.matrix[:3, :3] == pytest.approx(model.map_r_optical(VIEW))
    assert map_T_optical.translation == pytest.approx(tuple(model.position(VIEW)))


def test_side_camera_sees_what_the_first_one_would_after_a_turn(body: Body) -> None:
    """All of them sit on one mast, in the middle of the base."""
    stand(body, VIEW.yaw, 10)
    aside, there = body.frame('left'), body.depth('left').result()
    seen = {one.truth.id: one.box for one in body.sightings(body.snapshot(), 'left')}
    ahead = body.frame()
    stand(body, VIEW.yaw + LEFT_RAD, 20)
    turned = body.frame()
    assert np.abs(aside.depth_mm.astype(int) - turned.depth_mm).mean() < 2.0
    assert np.abs(aside.depth_mm.astype(int) - ahead.depth_mm).mean() > 100.0
    assert np.abs(there.depth_mm.astype(int) - body.depth().result().depth_mm).mean() < 2.0
    again = {one.truth.id: one.box for one in body.sightings(body.snapshot())}
    assert seen.keys() == again.keys() and seen
    for name, box in seen.items():
        assert box == pytest.approx(again[name], abs=2.0)


def test_picture_is_recognised_with_the_camera_that_took_it(body: Body) -> None:
    memory = FrameMemory()
    truth = Truth(body, memory, lambda: body.snapshot().stamp_ns)
    stand(body, VIEW.yaw, 10)
    frames = {name: body.frame(name) for name in ('', 'left', 'right')}
    for name, frame in frames.items():
        memory.add(frame.colour, frame.snapshot, name)
    for name, frame in frames.items():
        content = io.BytesIO()
        Image.fromarray(frame.colour).save(content, 'PNG')
        answer = truth.seen(content.getvalue())
        assert answer['found']
        shown = {item['id'] for item in answer['objects']}
        assert shown == {one.truth.id for one in body.sightings(frame.snapshot, name)}


def test_verifier_is_told_where_the_cameras_sit(small_home: str) -> None:
    with cache_beside(small_home), open_home(small_home, LIGHT) as home:
        told = {one.camera: CameraView(one.intrinsics, Transform.identity(), one.base_T_camera)
                for one in mounted(home(1, profile=PROFILE))}
        assert mounted(home(1)) == []
    assert told.keys() == {'left', 'right'}
    assert told['left'].heading_rad == pytest.approx(LEFT_RAD)
    assert told['right'].heading_rad == pytest.approx(-LEFT_RAD)
    assert told['left'].half_angle_rad == pytest.approx(CameraModel().hfov_rad / 2)


def test_cameras_all_round_leave_no_gap() -> None:
    headings = sorted([0.0, *load_profile(
        RobotProfile, 'cameras_all_round').other_cameras.values()])
    gaps = np.diff([*headings, headings[0] + math.tau])
    assert len(headings) == 5 and (gaps <= CameraModel().hfov_rad + 1e-3).all()
    assert all(wrap_angle(one) == one for one in headings)


def test_map_holds_what_each_camera_sees(small_home: str) -> None:
    """The robot with further cameras knows all that the one with the first alone knows."""
    def mapped(profile: RobotProfile, turned_rad: float) -> OccupancyGrid:
        body = home(small_world.SEED_TABLE, profile=profile)
        stand(body, VIEW.yaw + turned_rad, 0)
        return Robot(body, Scheduler(), 1, None, mapping=True).map

    with cache_beside(small_home), open_home(small_home, LIGHT) as home:
        together = mapped(PROFILE, 0.0)
        walls = ndimage.binary_dilation(together.cells == LETHAL, np.ones((3, 3)))
        for turned_rad in (0.0, LEFT_RAD, -LEFT_RAD):
            alone = mapped(load_profile(RobotProfile, 'none'), turned_rad)
            # Each map begins where its own sight does: the same wall lies up to a cell off.
            there = [alone.centre_of(row, column) for row, column in np.argwhere(
                alone.cells == LETHAL)]
            held = [walls[together.cell_of(*place)] for place in there]
            assert np.mean(held) > 0.95


def test_local_costmap_holds_the_table_that_any_camera_sees(small_home: str) -> None:
    """The scan passes under it."""
    def seen(profile: str) -> bool:
        body = home(small_world.SEED_TABLE, profile=load_profile(RobotProfile, profile))
        body.step(998_000_000_000)
        # The table lies to the left.
        body._base.pose = Pose2D(1.4, 2.4, -LEFT_RAD)
        body.step(999_000_000_000)
        scheduler = Scheduler()
        robot = Robot(body, scheduler, 1, None, mapping=True)
        scheduler.run(lambda: False, 2.5)
        x, y, _ = (Transform.from_pose(body.snapshot().odom) @ Transform.from_pose(Pose2D(
            0.9 * math.cos(LEFT_RAD), 0.9 * math.sin(LEFT_RAD), 0.0))).translation
        return robot.local_costmap.clearance_at(x, y) < 0.1

    with cache_beside(small_home), open_home(small_home, LIGHT) as home:
        assert seen('none+side_cameras')
        assert not seen('none')
        assert not seen('none+side_cameras+no_depth')


@pytest.mark.parametrize('cameras', ['{camera: 1.0}', '{left: 4.0}', '{"/left": 1.0}', '[left]'])
def test_cameras_that_cannot_be_are_refused(cameras: str, tmp_path) -> None:
    path = tmp_path / 'wrong.yaml'
    path.write_text(f'description: wrong\nother_cameras: {cameras}\n')
    with pytest.raises(ConfigError):
        load_profile(RobotProfile, str(path))
