"""`bench reality`: what it makes of frames of which the truth is known."""

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from builders import Block, Room, box_of
from scipy.spatial.transform import Rotation

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.show.table import Measure
from semantic_nav_sim.bench.frames import Frame, load_frames
from semantic_nav_sim.bench.reality import Scene, measures, sighting_of, with_things
from semantic_nav_sim.cli.bench import main

CAMERA = Intrinsics(240, 180, 190.0, 190.0, 119.5, 89.5)
TABLE = Block((3.4, 4.8), (2.0, 4.2), (0.0, 0.7))
MUGS = (Block((3.8, 3.9), (2.5, 2.6), (0.7, 0.82)), Block((4.1, 4.2), (3.4, 3.5), (0.7, 0.82)))
CHAIR = Block((3.6, 3.65), (1.4, 1.8), (0.45, 0.95))
BARS = [*(Block((3.6, 3.65), (1.4, 1.8), heights) for heights in (
            (0.45, 0.55), (0.63, 0.77), (0.85, 0.95))),
        *(Block((3.6, 3.65), (y, y + 0.06), (0.45, 0.95)) for y in (1.4, 1.74))]
#: The frame in which poses are told: anyhow.
WORLD_T_MAP = Transform((0.7, -1.2, 0.4), tuple(
    Rotation.from_euler('xyz', (1.9, 0.2, -0.4)).as_quat().tolist()))


def looking(x: float, y: float, z: float, turn: Sequence[float] = (0.0, 0.0, 0.0)) -> Transform:
    """Return the optical frame of a camera that looks at the table, turned beside that."""
    yaw, pitch = math.atan2(2.7 - y, 3.8 - x), math.atan2(z - 0.7, math.hypot(2.7 - y, 3.8 - x))
    to_optical = Rotation.from_matrix([[0, 0, 1], [-1, 0, 0], [0, -1, 0]])
    turned = (Rotation.from_euler('ZY', (yaw, pitch)) * to_optical
              * Rotation.from_rotvec(np.array(turn)))
    qx, qy, qz, qw = turned.as_quat().tolist()
    return Transform((x, y, z), (qx, qy, qz, qw))


@lru_cache
def scene(off_rad: float, count: int = 12) -> Scene:
    """Return looks at two mugs and a chair by a camera that is turned otherwise than it says."""
    rng, room = np.random.default_rng(3), Room(blocks=[TABLE, *BARS])
    frames, sightings = [], []
    for number in range(count):
        x, y = 2.0 + 0.3 * rng.random(), 1.6 + 2.0 * number / count
        true = looking(x, y, 1.4)
        depth = room.depth(true, CAMERA, MUGS)
        said = looking(x, y, 1.4, off_rad * rng.normal(size=3))
        frames.append(Frame(f'frame-{number:03d}', b'', depth, said))
        sightings += [sighting_of(label, box_of(true, CAMERA, block), number, frames[-1], CAMERA)
                      for label, block in (('cup', MUGS[0]), ('cup', MUGS[1]), ('chair', CHAIR))]
    return Scene(frames, CAMERA, with_things(sightings))


def by_name(found: Sequence[Measure]) -> dict[str, Measure]:
    """Return the lines of all frames."""
    return {one.name: one for one in found if not one.group}


def test_boxes_of_one_thing_are_told_by_what_lies_in_their_middle() -> None:
    cups = [one for one in scene(0.0).sightings if one.label == 'cup']
    first, second = ({one.thing for one in cups[number::2]} for number in (0, 1))
    assert len(first) == len(second) == 1 and first != second and -1 not in first | second


SQUARES = 'their error over their covariance, squared, mean'


def test_camera_that_is_as_far_off_as_is_stated_knows_it() -> None:
    found = by_name(measures(scene(0.02), 0))
    assert found[SQUARES].holds and found['of these unclear [share]'].holds
    assert found['of these more than 0.3 m from the thing [share]'].holds
    assert len([one for one in found.values() if one.bar]) == 7


def test_things_seen_in_turns_keep_a_track_each() -> None:
    """Each frame shows both mugs, from places too near to each other to be views of their own."""
    found = by_name(measures(scene(0.02), 0))
    assert found['cups that are seen again'].figure == 2
    assert found['pairs of these with one track'].holds
    assert found['sightings again that begin another track [share]'].figure == 0


@pytest.mark.parametrize(('off_rad', 'too_low'), [(0.06, False), (0.0, True)])
def test_camera_that_is_off_otherwise_than_is_stated_falls_short(
        off_rad: float, too_low: bool) -> None:
    square = by_name(measures(scene(off_rad), 0))[SQUARES]
    assert square.holds is False and (square.figure < 2.0) is too_low


def write(folder: Path, frames: Sequence[Frame]) -> None:
    """Write frames as they are read, in a world whose axes point anywhere."""
    np.savetxt(folder / 'camera-intrinsics.txt', [
        [CAMERA.fx, 0, CAMERA.cx], [0, CAMERA.fy, CAMERA.cy], [0, 0, 1]])
    for frame in frames:
        depth = np.where(frame.depth_mm == 0, np.uint16(65535), frame.depth_mm)
        cv2.imwrite(str(folder / f'{frame.name}.depth.png'), depth)
        cv2.imwrite(str(folder / f'{frame.name}.color.jpg'),
                    np.zeros((*depth.shape, 3), np.uint8))
        np.savetxt(folder / f'{frame.name}.pose.txt',
                   (WORLD_T_MAP @ frame.map_T_camera).matrix)


def test_frames_are_set_upright_on_the_lowest_level_surface(tmp_path: Path) -> None:
    written = scene(0.0, 6).frames
    write(tmp_path, written)
    read, camera = load_frames(tmp_path)
    assert camera == CAMERA and [one.name for one in read] == [one.name for one in written]
    for one, true in zip(read, written, strict=True):
        np.testing.assert_array_equal(one.depth_mm, true.depth_mm)
        assert one.map_T_camera.translation[2] == pytest.approx(1.4, abs=0.02)
        ahead, held = (frame.map_T_camera.matrix[2, :3] for frame in (one, true))
        np.testing.assert_allclose(ahead, held, atol=0.02)


@pytest.mark.parametrize('spoilt', ['frame-000.pose.txt', 'frame-001.depth.png'])
def test_frames_that_cannot_be_read_are_named(tmp_path: Path, spoilt: str) -> None:
    with pytest.raises(ConfigError, match=r'holds no NAME\.color\.jpg'):
        load_frames(tmp_path)
    write(tmp_path, scene(0.0, 2).frames)
    (tmp_path / spoilt).write_text('1 2 3')
    with pytest.raises(ConfigError, match=spoilt):
        load_frames(tmp_path)


def test_command_says_what_it_needs(capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        main(['reality'])
    assert '--frames' in capsys.readouterr().err
    monkeypatch.setenv('SEMANTIC_NAV_DETECTOR', str(tmp_path))
    assert main(['reality', '--frames', str(tmp_path)]) == 1
    assert 'no detector in' in capsys.readouterr().err
