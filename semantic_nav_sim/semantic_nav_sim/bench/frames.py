"""Frames of a real RGB-D camera in a folder, in a map whose z axis points up from the floor."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Transform

#: Depth value of pixels without a measurement.
_NO_DEPTH = 65535
#: Stride in pixels and number of frames from which the up direction is estimated. Slopes are
#: measured over one stride.
_STRIDE_PX, _MOST_FRAMES = 8, 40
#: Largest difference in depth between neighbours on one surface, in metres.
_ONE_SURFACE_M = 0.1
#: Largest tilt of a level surface at the first and the last iteration, in rad, and the number of
#: iterations.
_TILTED_RAD, _ROUNDS = (0.5, 0.1), 10
#: Thickness of a layer in which level surfaces are counted, in metres, and the least share of the
#: floor.
_LAYER_M, _FLOOR_SHARE = 0.05, 0.02
_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """A picture with its depth.

    Attributes:
        name: of its files; sorts them by time.
        picture: encoded.
        depth_mm: shape (height, width), 0 for no measurement.
        map_T_camera: of the optical frame; z points up and is 0 on the floor.
    """

    name: str
    picture: bytes
    depth_mm: NDArray[np.uint16]
    map_T_camera: Transform


def load_frames(folder: Path) -> tuple[list[Frame], Intrinsics]:
    """Read `NAME.color.jpg`, `NAME.depth.png` in mm and `NAME.pose.txt` (camera to world, 4 x 4).

    Args:
        folder: of these files and of `camera-intrinsics.txt`, the matrix of the pinhole camera.

    Returns:
        The frames by name, and the camera of their depth.

    Raises:
        ConfigError: a file is missing or invalid.
    """
    names = sorted(path.name.removesuffix('.color.jpg') for path in folder.glob('*.color.jpg'))
    if not names:
        raise ConfigError(f'{folder} holds no NAME.color.jpg')
    try:
        depths = [_depth_mm(folder / f'{name}.depth.png') for name in names]
        poses = [_matrix(folder / f'{name}.pose.txt', 4) for name in names]
        k = _matrix(folder / 'camera-intrinsics.txt', 3)
        pictures = [(folder / f'{name}.color.jpg').read_bytes() for name in names]
    except (OSError, ValueError) as error:
        raise ConfigError(f'the frames in {folder} cannot be read: {error}') from error
    height, width = depths[0].shape
    camera = Intrinsics(width, height, *map(float, (k[0, 0], k[1, 1], k[0, 2], k[1, 2])))
    map_T_world = _upright(depths, poses, camera)
    return [Frame(*parts, _transform(map_T_world @ pose)) for *parts, pose in zip(
        names, pictures, depths, poses, strict=True)], camera


def _depth_mm(path: Path) -> NDArray[np.uint16]:
    depth = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if depth is None or depth.dtype != np.uint16 or depth.ndim != 2:
        raise ValueError(f'{path.name} is no depth picture of 16 bit')
    return np.where(depth == _NO_DEPTH, np.uint16(0), depth).astype(np.uint16)


def _matrix(path: Path, size: int) -> _Array:
    matrix = np.loadtxt(path)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        raise ValueError(f'{path.name} holds no matrix of {size} x {size} numbers')
    return matrix


def _transform(matrix: _Array) -> Transform:
    x, y, z = matrix[:3, 3].tolist()
    qx, qy, qz, qw = Rotation.from_matrix(matrix[:3, :3]).as_quat().tolist()
    return Transform((x, y, z), (qx, qy, qz, qw))


def _upright(depths: list[NDArray[np.uint16]], poses: list[_Array], camera: Intrinsics) -> _Array:
    """Return the map_T_world that makes level surfaces level, with the lowest of them at 0.

    The world frame of a tracked camera is arbitrary. Tables and floors tell the up direction.
    """
    every = -(-len(poses) // _MOST_FRAMES)
    parts = [_surfaces(depth, pose, camera) for depth, pose in
             zip(depths[::every], poses[::every], strict=True)]
    normals, points = (np.concatenate(part) for part in zip(*parts, strict=True))
    # Most pictures are held upright.
    up = -np.mean([pose[:3, 1] for pose in poses], axis=0)
    for tilted_rad in np.linspace(*_TILTED_RAD, _ROUNDS):
        level = normals @ (up / np.linalg.norm(up)) > np.cos(tilted_rad)
        if not level.any():
            raise ConfigError('no frame shows a level surface, such as a table or the floor')
        up = np.median(normals[level], axis=0)
    up = up / np.linalg.norm(up)
    heights_m = np.sort(points[level] @ up)
    layers = np.floor(heights_m / _LAYER_M)
    names, counts = np.unique(layers, return_counts=True)
    floor = names[counts >= _FLOOR_SHARE * heights_m.size][0]
    map_T_world = np.eye(4)
    map_T_world[:3, :3] = Rotation.align_vectors([[0.0, 0.0, 1.0]], [up])[0].as_matrix()
    map_T_world[2, 3] = -float(np.median(heights_m[(layers >= floor) & (layers <= floor + 1)]))
    return map_T_world


def _surfaces(depth_mm: NDArray[np.uint16], pose: _Array,
              camera: Intrinsics) -> tuple[_Array, _Array]:
    """Normals towards the camera, and points, of the surfaces in a frame, shape (n, 3) each."""
    z = cv2.medianBlur(depth_mm, 5)[::_STRIDE_PX, ::_STRIDE_PX].astype(np.float64) / 1000.0
    v, u = np.mgrid[0:depth_mm.shape[0]:_STRIDE_PX, 0:depth_mm.shape[1]:_STRIDE_PX]
    points = np.stack([(u - camera.cx) / camera.fx * z, (v - camera.cy) / camera.fy * z, z],
                      axis=2)
    here, right, down = points[:-1, :-1], points[:-1, 1:], points[1:, :-1]
    whole = (here[..., 2] > 0) & (np.abs(right - here)[..., 2] < _ONE_SURFACE_M) & (
        np.abs(down - here)[..., 2] < _ONE_SURFACE_M)
    normals = np.cross(down - here, right - here)[whole]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    turn = pose[:3, :3].T
    return normals @ turn, here[whole] @ turn + pose[:3, 3]
