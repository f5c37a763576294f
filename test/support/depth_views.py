"""Depth pictures of an empty room with one thing in it, computed."""

import numpy as np

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.camera import CameraModel

CAMERA = CameraModel()
(CX, CY), F = CAMERA.centre_px, CAMERA.focal_px
INTRINSICS = Intrinsics(CAMERA.width, CAMERA.height, F, F, CX, CY)
WALL_X = 5.0
Thing = tuple[float, float, float, float]
#: From x to x, the height of its top and how far that reaches down [m].
TABLE = (1.5, 2.3, 0.75, 0.04)
#: Somebody, who hides all that is behind.
BODY = (1.82, 2.1, 1.75, 1.75)


def seen_by_camera(base: Pose2D, table: Thing | None) -> np.ndarray:
    """Return the depth of an empty floor, a wall, and a thing that spans all y."""
    across, down = np.meshgrid(np.arange(CAMERA.width), np.arange(CAMERA.height))
    rays = np.stack([(across - CX) / F, (down - CY) / F, np.ones(across.shape)], -1)
    rays = rays @ CAMERA.map_r_optical(base).T
    eye = CAMERA.position(base)
    depth = np.where(rays[..., 2] < 0, -eye[2] / np.minimum(rays[..., 2], -1e-9), np.inf)
    ahead = np.maximum(rays[..., 0], 1e-9)
    depth = np.minimum(depth, (WALL_X - eye[0]) / ahead)
    if table is not None:
        x0, x1, z, deep_m = table
        top = np.where((rays[..., 2] < 0) & (z < eye[2]),
                       (z - eye[2]) / np.minimum(rays[..., 2], -1e-9), np.inf)
        x = eye[0] + top * rays[..., 0]
        depth = np.where((x >= x0) & (x <= x1), np.minimum(top, depth), depth)
        front = (x0 - eye[0]) / ahead
        height = eye[2] + front * rays[..., 2]
        depth = np.where((height <= z) & (height >= z - deep_m), np.minimum(front, depth), depth)
    return np.where(depth < 8, depth * 1000, 0).astype(np.uint16)
