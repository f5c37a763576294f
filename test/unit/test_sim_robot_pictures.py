"""What the camera sees, how exactly, and what the truth server says of it."""

import io
import json
import math
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import small_world
from numpy.typing import NDArray
from PIL import Image

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.body import Frame
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel
from semantic_nav_sim.robot.camera_noise import SensorNoise
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.renderer import View
from semantic_nav_sim.robot.sightings import Sighting, sightings
from semantic_nav_sim.robot.simulation import Simulation
from semantic_nav_sim.robot.studio import Studio
from semantic_nav_sim.robot.truth import Truth
from semantic_nav_sim.robot.truth_server import LARGEST_POST_BYTES, serve_truth
from semantic_nav_sim.world.meshes import rotation_z
from semantic_nav_sim.world.mujoco_model import SOLID, compile_solids
from semantic_nav_sim.world.rays import RayCaster, collider_groups
from semantic_nav_sim.world.scene import Placing

pytestmark = pytest.mark.slow

TABLE_VIEW = Pose2D(1.0, 1.6, math.radians(30))
OTHER_VIEW = Pose2D(1.6, 1.6, math.radians(150))


@pytest.fixture(scope='module')
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulation]:
    folder = tmp_path_factory.mktemp('sim')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('XDG_CACHE_HOME', str(folder / 'cache'))
        world = small_world.write_world(folder / 'small')
        simulation = Simulation(str(world), small_world.SEED_TABLE)
    yield simulation
    simulation.close()


def view(simulation: Simulation, base: Pose2D) -> View:
    return simulation.draw(lambda renderer: renderer.view(base)).result()


def seen_from(simulation: Simulation, base: Pose2D) -> dict[str, Sighting]:
    objects = simulation.draw(lambda renderer: renderer.objects(base)).result()
    found = sightings(objects, simulation.stage.truth(), simulation.camera, base)
    return {sighting.truth.id: sighting for sighting in found}


def project(camera: CameraModel, base: Pose2D, points: NDArray[np.float64],
            ) -> NDArray[np.float64]:
    """Project map points, shape (n, 3), with the published transforms and intrinsics."""
    map_t_optical = Transform.from_pose(base) @ camera.base_t_camera @ CAMERA_T_OPTICAL
    x, y, z = map_t_optical.inverse().apply(points).T
    cx, cy = camera.centre_px
    return np.stack([cx + camera.focal_px * x / z, cy + camera.focal_px * y / z], 1)


def test_depth_agrees_with_the_intrinsics_to_the_millimetre(simulation: Simulation) -> None:
    camera, scene = simulation.camera, simulation.stage.scene
    caster = RayCaster(compile_solids(scene, ()), collider_groups(SOLID))
    axes, eye = camera.map_r_optical(TABLE_VIEW), camera.position(TABLE_VIEW)
    depth = view(simulation, TABLE_VIEW).depth_m
    shell = simulation.draw(lambda r: r.objects(TABLE_VIEW)).result() < 0
    rng = np.random.default_rng(0)
    (cx, cy), checked = camera.centre_px, 0
    for _ in range(400):
        u, v = int(rng.integers(camera.width)), int(rng.integers(camera.height))
        if not shell[v, u]:
            continue
        ray = axes @ [(u - cx) / camera.focal_px, (v - cy) / camera.focal_px, 1.0]
        [distance], _ = caster.cast(eye, (ray / np.linalg.norm(ray))[None], 20.0)
        error = abs(distance / np.linalg.norm(ray) - depth[v, u])
        # Frames, skirting boards and the window's niche are no colliders.
        checked += error < 0.002
    assert checked > 200


def test_an_object_appears_where_the_transforms_say(simulation: Simulation) -> None:
    stage = simulation.stage
    thing, placing = stage.scene.objects['green_bottle'], stage.placings['green_bottle']
    vertices = np.vstack([visual.mesh.vertices for visual in thing.visuals])
    placed = vertices @ rotation_z(placing.yaw_rad).T + placing.position
    pixels = project(simulation.camera, TABLE_VIEW, placed)
    x1, y1, x2, y2 = seen_from(simulation, TABLE_VIEW)['green_bottle'].box
    # A pixel's middle is its coordinate, the box counts pixels from edge to edge.
    assert (x1 - 0.5, y1 - 0.5) == pytest.approx(pixels.min(axis=0), abs=1.1)
    assert (x2 - 0.5, y2 - 0.5) == pytest.approx(pixels.max(axis=0), abs=1.1)


@pytest.mark.parametrize('support_m', [0.45, 0.6, 0.75, 0.9])
def test_something_on_furniture_close_ahead_is_in_view(support_m: float) -> None:
    camera, base = CameraModel(), Pose2D(0, 0, 0)
    x = camera.mount[0] + 0.7
    corners = np.array([(x + dx, y, support_m + z) for dx in (-0.05, 0.05)
                        for y in (-0.06, 0.06) for z in (0.0, 0.12)])
    pixels = project(camera, base, corners)
    assert (pixels > 0).all() and (pixels < (camera.width - 1, camera.height - 1)).all()
    horizon = project(camera, base, np.array([[1e4, 0, camera.mount[2]]]))
    assert 0.2 * camera.height < horizon[0, 1] < 0.4 * camera.height
    assert 70 <= math.degrees(camera.hfov_rad) <= 75


def test_what_stands_in_front_of_an_object_takes_from_its_share(simulation: Simulation) -> None:
    truths, camera = simulation.stage.truth(), simulation.camera
    objects = simulation.draw(lambda r: r.objects(TABLE_VIEW)).result()
    index = next(n for n, truth in enumerate(truths) if truth.id == 'green_bottle')
    shares = []
    for hidden in (0.0, 0.7, 0.9):
        rows, columns = np.nonzero(objects == index)
        covered = objects.copy()
        top = rows <= rows.min() + hidden * (rows.max() - rows.min())
        covered[rows[top], columns[top]] = -1
        [seen] = [one for one in sightings(covered, truths, camera, TABLE_VIEW)
                  if one.truth.id == 'green_bottle']
        shares.append(seen.share)
    assert shares[0] > 0.8 and shares[1] < 0.5 and shares[2] < 0.2
    assert seen.scaled(0.5, 0.5).share == seen.share


def test_a_person_is_seen_where_they_walk(simulation: Simulation) -> None:
    here = Pose2D(0.5, 1.4, 0.0)
    moved = {'person_1': Placing((2.3, 1.4, 0.0), math.pi / 2)}
    objects = simulation.draw(lambda renderer: renderer.objects(here, moved)).result()
    with_person = simulation.draw(lambda renderer: renderer.view(here, moved)).result()
    truths = simulation.stage.truth(moved)
    [person] = [one for one in sightings(objects, truths, simulation.camera, here)
                if one.truth.kind == 'person']
    x1, y1, x2, y2 = person.box
    assert y2 - y1 > 1.8 * (x2 - x1) and person.pixels > 5000
    assert x1 < simulation.camera.width / 2 < x2
    rows, columns = np.nonzero(objects == len(simulation.stage.scene.objects))
    depth = with_person.depth_m[rows, columns]
    assert np.median(depth) == pytest.approx(1.8, abs=0.25)
    red, green, blue = np.median(with_person.colour[rows, columns], axis=0)
    assert max(red, blue) > green, 'a red shirt and blue trousers'
    away = {'person_1': Placing((4.0, 2.5, 0.0), 0.0)}
    gone = simulation.draw(lambda renderer: renderer.view(here, away)).result()
    assert np.median(gone.depth_m[rows, columns]) > 2.0


def test_the_mug_is_seen_red_and_measured(simulation: Simulation) -> None:
    seen = seen_from(simulation, TABLE_VIEW)
    mug = seen['red_mug']
    x1, y1, x2, y2 = (round(value) for value in mug.box)
    patch = view(simulation, TABLE_VIEW).colour[y1:y2, x1:x2].reshape(-1, 3).astype(int)
    assert np.median(patch[:, 0] - patch[:, 1]) > 60
    eye = simulation.camera.position(TABLE_VIEW)
    assert mug.distance_m == pytest.approx(math.dist(mug.truth.position, eye))
    assert not mug.edge
    assert mug.pixels <= (x2 - x1) * (y2 - y1)
    assert seen['table'].pixels > mug.pixels
    behind = Pose2D(TABLE_VIEW.x, TABLE_VIEW.y, TABLE_VIEW.yaw + math.pi)
    assert 'red_mug' not in seen_from(simulation, behind)


def test_what_the_picture_cuts_is_at_its_edge(simulation: Simulation) -> None:
    close = Pose2D(1.75, 1.75, math.radians(60))
    assert seen_from(simulation, close)['table'].edge


def test_the_same_pose_gives_the_same_picture(simulation: Simulation) -> None:
    first, again = view(simulation, TABLE_VIEW), view(simulation, TABLE_VIEW)
    assert np.array_equal(first.colour, again.colour)
    assert np.array_equal(first.depth_m, again.depth_m)
    assert first.colour.std() > 20


def test_sensor_noise_is_light_and_follows_the_seed() -> None:
    flat = np.full((480, 640, 3), 128, np.uint8)
    noise, again = (SensorNoise(1, load_profile(RobotProfile).camera) for _ in range(2))
    noisy = noise.colour(flat)
    assert np.array_equal(noisy, again.colour(flat))
    assert not np.array_equal(noisy, noise.colour(flat))
    assert 0.8 < noisy.astype(float).std() < 2.0
    for distance in (1.0, 3.0):
        depth = noise.depth_mm(np.full((480, 640), distance, np.float32))
        assert depth.dtype == np.uint16
        assert depth.mean() == pytest.approx(1000 * distance, abs=1)
        assert depth.astype(float).std() == pytest.approx(1.2 * distance ** 2, rel=0.15)
    for unseen in (0.1, 9.0, np.inf):
        assert not noise.depth_mm(np.full((4, 4), unseen, np.float32)).any()


def test_missing_opengl_is_told_with_what_to_do(simulation: Simulation,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('MUJOCO_GL', 'osmesa')
    monkeypatch.setenv('PYOPENGL_PLATFORM', 'egl')
    with pytest.raises(ConfigError, match='install libegl1'):
        Studio(simulation.stage.scene)


def test_simulations_that_share_a_studio_draw_what_each_draws_alone(
        simulation: Simulation) -> None:
    alone = view(simulation, TABLE_VIEW)
    studio = Studio(simulation.stage.scene)
    try:
        other, same = (Simulation(studio, seed) for seed in (
            small_world.SEED_STOOL, small_world.SEED_TABLE))
        elsewhere = view(other, TABLE_VIEW)
        other.close()
        shared = view(same, TABLE_VIEW)
    finally:
        studio.close()
    assert np.array_equal(shared.colour, alone.colour)
    assert np.array_equal(shared.depth_m, alone.depth_m)
    assert not np.array_equal(elsewhere.colour, alone.colour), 'the mug stands elsewhere'


def encoded(colour: NDArray[np.uint8] | Image.Image, size: tuple[int, int] | None = None,
            kind: str = 'JPEG') -> bytes:
    picture = colour if isinstance(colour, Image.Image) else Image.fromarray(colour)
    if size:
        picture = picture.resize(size, Image.Resampling.BILINEAR)
    content = io.BytesIO()
    picture.save(content, kind, **({'quality': 80} if kind == 'JPEG' else {}))
    return content.getvalue()


def publish(simulation: Simulation, memory: FrameMemory, base: Pose2D, now_s: int) -> Frame:
    """Take a picture as the node does, from a pose of choice."""
    simulation._base.pose = base
    simulation.step(now_s * 1_000_000_000)
    frame = simulation.frame()
    memory.add(frame.colour, frame.snapshot)
    return frame


@pytest.fixture
def memory() -> FrameMemory:
    return FrameMemory(kept=8)


@pytest.fixture
def truth(simulation: Simulation, memory: FrameMemory) -> Truth:
    return Truth(simulation, memory, lambda: simulation.snapshot().stamp_ns)


@pytest.mark.parametrize(('size', 'kind'), [
    (None, 'PNG'), (None, 'JPEG'), ((644, 476), 'JPEG'), ((392, 294), 'JPEG')])
def test_a_published_picture_is_recognised(
        simulation: Simulation, memory: FrameMemory, truth: Truth, size: tuple[int, int] | None,
        kind: str) -> None:
    frame = publish(simulation, memory, TABLE_VIEW, 10)
    publish(simulation, memory, OTHER_VIEW, 13)
    answer = truth.seen(encoded(frame.colour, size, kind))
    assert answer['found'] and answer['similarity'] > 0.93
    assert answer['age_s'] == pytest.approx(3.0)
    assert answer['room'] == 'den'
    width, height = size or (640, 480)
    assert (answer['width'], answer['height']) == (width, height)
    boxes = {item['id']: item for item in answer['objects']}
    plain = seen_from(simulation, TABLE_VIEW)['red_mug'].box
    scaled = [value * factor for value, factor in zip(
        plain, (width / 640, height / 480) * 2, strict=True)]
    assert boxes['red_mug']['box'] == pytest.approx(scaled, abs=0.02)
    assert boxes['red_mug']['colour'] == 'red'


@pytest.mark.parametrize('change', ['mirrored', 'upside down', 'channels', 'hue', 'brighter',
                                    'grey', 'foreign', 'another pose'])
def test_another_picture_is_not_recognised(simulation: Simulation, memory: FrameMemory,
                                           truth: Truth, change: str) -> None:
    colour = publish(simulation, memory, TABLE_VIEW, 20).colour
    hue = np.asarray(Image.fromarray(colour).convert('HSV')).copy()
    hue[..., 0] += 24
    noise = np.random.default_rng(0).integers(0, 255, colour.shape, np.uint8)
    changed: dict[str, Any] = {
        'mirrored': colour[:, ::-1], 'upside down': colour[::-1], 'channels': colour[..., ::-1],
        'hue': Image.fromarray(hue, 'HSV').convert('RGB'),
        'brighter': np.clip(colour.astype(int) + 20, 0, 255).astype(np.uint8),
        'grey': Image.fromarray(colour).convert('L'), 'foreign': noise,
        'another pose': view(simulation, OTHER_VIEW).colour}
    answer = truth.seen(encoded(changed[change]))
    assert not answer['found'], answer['similarity']
    assert answer['objects'] == [] and answer['room'] == ''


def test_a_picture_older_than_the_memory_is_forgotten(
        simulation: Simulation, memory: FrameMemory, truth: Truth) -> None:
    assert not truth.seen(encoded(view(simulation, TABLE_VIEW).colour))['found']
    frame = publish(simulation, memory, TABLE_VIEW, 30)
    for k in range(7):
        publish(simulation, memory, OTHER_VIEW, 31 + k)
    assert truth.seen(encoded(frame.colour))['found']
    publish(simulation, memory, OTHER_VIEW, 40)
    assert not truth.seen(encoded(frame.colour))['found']


@pytest.fixture
def server(simulation: Simulation, truth: Truth) -> Iterator[str]:
    with serve_truth(truth, simulation.overview, 0) as server:
        yield server.url


def get(url: str, data: bytes | None = None) -> Any:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, data), timeout=20) as reply:
        return json.load(reply)


def test_the_server_answers_over_http(simulation: Simulation, memory: FrameMemory,
                                      server: str) -> None:
    frame = publish(simulation, memory, TABLE_VIEW, 50)
    pose = get(f'{server}/pose')
    assert set(pose) == {'stamp_ns', 'x', 'y', 'yaw', 'collisions', 'distance_m'}
    assert (pose['x'], pose['stamp_ns']) == (TABLE_VIEW.x, 50_000_000_000)
    world = get(f'{server}/world')
    assert (world['name'], world['seed']) == ('small', small_world.SEED_TABLE)
    [mug] = [item for item in world['objects'] if item['id'] == 'red_mug']
    assert set(mug) == {'id', 'name', 'kind', 'colour', 'room', 'position', 'size', 'yaw'}
    assert world['rooms'][1] == {'name': 'store', 'kind': 'store', 'x0': 3, 'y0': 0, 'x1': 5,
                                 'y1': 3}
    current = get(f'{server}/view')
    assert current['room'] == 'den'
    assert {'red_mug', 'table'} <= {item['id'] for item in current['objects']}
    answer = get(f'{server}/seen', encoded(frame.colour))
    assert answer['found'] and answer['objects'] == current['objects']


def test_the_overview_lies_where_its_headers_say(simulation: Simulation, server: str) -> None:
    # A person in red stays where one was drawn last.
    away = {'person_1': Placing((50.0, 50.0, 0.0), 0.0)}
    simulation.draw(lambda renderer: renderer.view(TABLE_VIEW, away)).result()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f'{server}/overview.png', timeout=20) as reply:
        picture = np.asarray(Image.open(io.BytesIO(reply.read())).convert('RGB')).astype(int)
        x0, y0, resolution = (float(reply.headers[name])
                              for name in ('X-Origin-X', 'X-Origin-Y', 'X-Resolution'))
    [mug] = [item for item in get(f'{server}/world')['objects'] if item['id'] == 'red_mug']
    red = (picture[..., 0] > 90) & (picture[..., 1] < 0.4 * picture[..., 0])
    rows, columns = np.nonzero(red)
    middle = (x0 + (np.median(columns) + 0.5) * resolution,
              y0 + (picture.shape[0] - np.median(rows) - 0.5) * resolution)
    assert middle == pytest.approx(mug['position'][:2], abs=0.03)


@pytest.mark.parametrize(('path', 'data', 'status'), [
    ('/nothing', None, 404), ('/pose', b'x', 405), ('/seen', b'', 400), ('/seen', b'GIF89a', 400),
    ('/seen', bytes(LARGEST_POST_BYTES + 1), 413)])
def test_nonsense_is_refused(server: str, path: str, data: bytes | None, status: int) -> None:
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as caught:
        get(server + path, data)
    # The refusal of a post that is too long may come while it is still being sent.
    if status != 413 or isinstance(caught.value, urllib.error.HTTPError):
        assert isinstance(caught.value, urllib.error.HTTPError)
        assert caught.value.code == status
    assert get(f'{server}/pose')


def test_a_taken_port_is_told(simulation: Simulation, truth: Truth, server: str) -> None:
    with pytest.raises(ConfigError, match='cannot be had'):
        serve_truth(truth, simulation.overview, int(server.rsplit(':', 1)[1]))


def test_commands_hold_for_half_a_second(simulation: Simulation) -> None:
    simulation._base.pose = Pose2D(1.0, 1.5, 0.0)
    start_ns = 100_000_000_000
    simulation.step(start_ns)
    simulation.command(0.3, 0.0, start_ns)
    speeds = [simulation.step(start_ns + tick * 20_000_000).speed_m_s for tick in range(1, 100)]
    assert max(speeds) == pytest.approx(0.3, rel=0.1)
    assert speeds[20] > 0.25
    assert speeds[-1] == 0
    before = simulation.snapshot()
    assert simulation.step(start_ns - 5).true == before.true


def test_the_server_tells_what_was_run_into(simulation: Simulation, server: str) -> None:
    assert get(f'{server}/collisions') == {'collisions': []}
    simulation._base.pose = Pose2D(2.3, 1.0, math.pi / 2)
    start_ns = 200_000_000_000
    simulation.step(start_ns)
    for now_ns in range(start_ns, start_ns + 3_000_000_000, 50_000_000):
        simulation.command(0.5, 0.0, now_ns)
        simulation.step(now_ns)
    [bump] = get(f'{server}/collisions')['collisions']
    assert bump['object'] == 'table'
    assert start_ns < bump['stamp_ns'] < start_ns + 3_000_000_000
    assert (bump['x'], bump['y']) == pytest.approx((2.3, 1.9), abs=0.05)
