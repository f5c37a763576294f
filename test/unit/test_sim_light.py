"""The light body: it measures what the full one does, without what that one needs."""

import io
import math
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
import small_world
from bench_rig import cache_beside
from PIL import Image

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.picture import prepare
from semantic_nav_sim.bench.bodies import FULL, LIGHT, open_home
from semantic_nav_sim.light.scanner import true_ranges
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.body import Body
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.lidar_model import LidarModel
from semantic_nav_sim.robot.profile import RobotProfile

VIEWS = (Pose2D(1.0, 1.5, 0.7), Pose2D(1.0, 1.0, 0.0), Pose2D(2.0, 1.4, -2.8),
         Pose2D(3.8, 1.5, -0.9), Pose2D(4.4, 1.6, 2.9), Pose2D(0.6, 0.6, 1.5))


@pytest.fixture(scope='module')
def bodies(small_home: str) -> Iterator[tuple[Body, Body]]:
    """Return a full and a light body in the same home, without faults and noise."""
    profile = load_profile(RobotProfile, 'none')
    with (cache_beside(small_home), open_home(small_home, FULL) as full,
          open_home(small_home, LIGHT) as light):
        yield (full(small_world.SEED_TABLE, profile=profile, moving_doors=True),
               light(small_world.SEED_TABLE, profile=profile, moving_doors=True))


@pytest.fixture(params=range(len(VIEWS)))
def placed(bodies: tuple[Body, Body], request: pytest.FixtureRequest) -> tuple[Body, Body]:
    for body in bodies:
        body._base.pose = VIEWS[request.param]
        # The door has moved at each view.
        body.step((1 + request.param) * 20_000_000_000)
        assert body.snapshot().true.distance_to(
            VIEWS[request.param].x, VIEWS[request.param].y) < 0.1
    return bodies


@pytest.mark.slow
def test_scans_agree(placed: tuple[Body, Body]) -> None:
    full, light = (np.minimum(body.scan()[1], 12.0) for body in placed)
    assert (np.abs(full - light) < 0.02).mean() > 0.97


@pytest.mark.slow
def test_depths_agree(placed: tuple[Body, Body]) -> None:
    full, light = (body.frame() for body in placed)
    assert light.camera.shrunk(1) == full.camera.shrunk(2)
    halved = full.depth_mm[::2, ::2].astype(int)
    assert (np.abs(halved - light.depth_mm) < 60).mean() > 0.9
    small = placed[1].depth().result()
    assert (np.abs(halved - small.depth_mm)[halved < 3500] < 60).mean() > 0.9


@pytest.mark.slow
def test_the_same_is_seen(placed: tuple[Body, Body]) -> None:
    full, light = ({seen.truth.id: seen for seen in body.sightings(body.snapshot())}
                   for body in placed)
    large = {name for name, seen in full.items() if seen.pixels > 200 and seen.share > 0.3}
    assert large <= light.keys()
    for name in large:
        assert light[name].pixels == pytest.approx(full[name].pixels, rel=0.5)
        assert light[name].share == pytest.approx(full[name].share, abs=0.3)
        assert light[name].distance_m == full[name].distance_m
        assert light[name].box == pytest.approx(full[name].box, abs=40.0)


@pytest.mark.slow
def test_both_move_alike(bodies: tuple[Body, Body]) -> None:
    ways = []
    for body in bodies:
        body._base.pose = VIEWS[0]
        start_ns = 1_000_000_000_000
        for tick in range(200):
            now_ns = start_ns + tick * 50_000_000
            body.command(0.4, 0.1, now_ns)
            body.step(now_ns)
        ways.append(body.snapshot())
    assert ways[0] == ways[1]
    assert ways[0].collisions > 0


def test_a_body_is_measured_anew_in_each_step_and_only_there(small_home: str) -> None:
    with cache_beside(small_home), open_home(small_home, LIGHT) as make_body:
        body = make_body(1)
    first = body.step(1_000_000_000)
    body.command(0.3, 0.1, 1_000_000_000)
    assert body.snapshot() is first is body.step(1_000_000_000)
    second = body.step(1_100_000_000)
    assert second.true != first.true and second.odom != first.odom
    assert body.snapshot() is second
    assert body.step(1_000_000_000).stamp_ns == first.stamp_ns


def test_bodies_of_one_seed_have_the_same_noise_one_after_the_other(small_home: str) -> None:
    with cache_beside(small_home), open_home(small_home, LIGHT) as make_body:
        first, second, other = (make_body(seed) for seed in (1, 1, 2))
    views = [[body.frame().depth_mm for _ in range(2)] for body in (first, second, other)]
    assert np.array_equal(views[0], views[1]) and not np.array_equal(*views[0])
    assert not np.array_equal(views[0], views[2])


@pytest.mark.parametrize('side_px', [336, 644, 1036])
def test_picture_is_recognised_as_the_model_gets_it(small_home: str, side_px: int) -> None:
    config = HypothesisConfig(image_long_side_px=side_px)
    with cache_beside(small_home), open_home(small_home, LIGHT) as make_body:
        body, memory = make_body(1), FrameMemory()
        frames = []
        for number in range(1, 31):
            body.step(number * 100_000_000)
            frames.append(body.frame())
            memory.add(frames[-1].colour, frames[-1].snapshot)
    for frame in frames:
        sent = Image.open(io.BytesIO(prepare(frame.colour, config).jpeg))
        match = memory.best(sent)
        assert match is not None and match.snapshot == frame.snapshot
        assert match.similarity > 0.94, 'well above what is found'


@pytest.mark.parametrize('yaw', [0.0, 0.3, math.pi, -2.0])
def test_a_square_room_is_measured(yaw: float) -> None:
    """Four walls as boxes around the robot, each outline counterclockwise."""
    edges = []
    for x0, y0, x1, y1 in ((-3, -3, 3, -2), (-3, 2, 3, 3), (-3, -2, -2, 2), (2, -2, 3, 2)):
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        edges += [(*a, *b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    lidar = LidarModel(rays=8)
    ranges = true_ranges(np.array(edges, float), lidar, Pose2D(0.5, 0.0, yaw))
    for angle, measured in zip(lidar.angles_rad + yaw, ranges, strict=True):
        cos, sin = math.cos(angle), math.sin(angle)
        ways = [(2.0 - 0.5) / cos if cos > 0 else (2.0 + 0.5) / -cos if cos < 0 else math.inf,
                2.0 / abs(sin) if sin else math.inf]
        assert measured == pytest.approx(min(ways))
    near = true_ranges(np.array(edges, float), LidarModel(rays=4, range_max_m=1.8),
                       Pose2D(0.5, 0.0, 0.0))
    assert np.isfinite(near).tolist() == [False, False, True, False]


def test_it_needs_no_mujoco() -> None:
    code = ('import sys; from semantic_nav_sim.bench.bodies import open_home; '
            'import semantic_nav_sim.bench.missions\n'
            'with open_home("apartment", "light") as home: home(1).frame()\n'
            'assert "mujoco" not in sys.modules')
    subprocess.run([sys.executable, '-c', code], check=True, timeout=120)
