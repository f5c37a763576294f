"""Rendering of the camera's view."""

import copy
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.mover import Mover
from semantic_nav_sim.robot.studio import Studio
from semantic_nav_sim.world.meshes import Floats
from semantic_nav_sim.world.mujoco_model import (
    CAMERA,
    CAMERA_BODY,
    FAR_M,
    NEAR_M,
    NOWHERE,
    OVERHEAD,
    VISIBLE,
)
from semantic_nav_sim.world.scene import NOTHING_MOVED, Placing, Stage

OVERVIEW_HEIGHT_M = 12.0


@dataclass(frozen=True, eq=False)
class View:
    """Colour and depth of one view.

    Attributes:
        colour: uint8, shape (height, width, 3), RGB.
        depth_m: float32, shape (height, width), along the optical axis, infinite for none.
    """

    colour: NDArray[np.uint8]
    depth_m: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Overview:
    """The world from above, without its ceiling, north up.

    Attributes:
        picture: uint8, shape (rows, columns, 3), RGB.
        resolution_m: edge of a pixel.
        origin_x_m, origin_y_m: lower left corner of the picture in the map frame.
    """

    picture: NDArray[np.uint8]
    resolution_m: float
    origin_x_m: float
    origin_y_m: float


class Renderer:
    """Renderer of one stage. All but its construction runs on the studio's thread."""

    def __init__(self, studio: Studio, stage: Stage) -> None:
        """Place the things of the stage.

        Args:
            studio: of the stage's home.
            stage: the stage to render.
        """
        model, camera = copy.copy(studio.model), studio.camera
        self._model, self._stage, self._camera = model, stage, camera
        self._context, self._overview_px = studio.context, studio.overview_px
        model.cam_fovy[model.camera(CAMERA).id] = camera.fovy_deg
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 50)
        self._data = mujoco.MjData(model)
        self._mover = Mover(model, self._data, stage)
        mujoco.mj_kinematics(model, self._data)
        self._rect = mujoco.MjrRect(0, 0, camera.width, camera.height)
        self._fixed = mujoco.MjvCamera()
        self._fixed.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._fixed.fixedcamid = model.camera(CAMERA).id
        self._owner = self._object_of_geom()
        self._looks = np.flatnonzero(np.isin(model.geom_group, (VISIBLE, OVERHEAD)))
        self._groups = model.geom_group[self._looks].copy()

    def view(self, base: Pose2D, moved: Mapping[str, Placing] = NOTHING_MOVED,
             camera: CameraModel | None = None) -> View:
        """Render colour and depth in one pass.

        Args:
            base: pose of the base.
            moved: placings of moved objects.
            camera: model, which differs from the studio's by its mount; None for the studio's.
        """
        self._look_from(base, moved, camera)
        shape = (self._camera.height, self._camera.width)
        colour = np.empty((*shape, 3), np.uint8)
        buffer = np.empty(shape, np.float32)
        mujoco.mjr_render(self._rect, self._scene, self._context)
        mujoco.mjr_readPixels(colour, buffer, self._rect, self._context)
        return View(np.ascontiguousarray(colour[::-1]), _metric(buffer[::-1]))

    def depth(self, base: Pose2D, moved: Mapping[str, Placing], shrink: int,
              camera: CameraModel | None = None) -> NDArray[np.float32]:
        """Render depth alone, as in `View`.

        Args:
            base: pose of the base.
            moved: placings of moved objects.
            shrink: divisor of the camera's resolution, along each axis.
            camera: as in `view`.
        """
        self._look_from(base, moved, camera)
        small = self._camera.shrunk(shrink)
        buffer = np.empty((small.height, small.width), np.float32)
        rect = mujoco.MjrRect(0, 0, small.width, small.height)
        with self._flat():
            mujoco.mjr_render(rect, self._scene, self._context)
        mujoco.mjr_readPixels(None, buffer, rect, self._context)
        return _metric(buffer[::-1])

    def objects(self, base: Pose2D, moved: Mapping[str, Placing] = NOTHING_MOVED,
                camera: CameraModel | None = None) -> NDArray[np.int32]:
        """Render the index of the object that each pixel shows.

        Args:
            base: pose of the base.
            moved: placings of moved objects.
            camera: as in `view`.

        Returns:
            Shape (height, width): index in the stage's order of objects and people, -1 for none.
        """
        self._look_from(base, moved, camera)
        colour = np.empty((self._camera.height, self._camera.width, 3), np.uint8)
        with self._flat():
            mujoco.mjr_render(self._rect, self._scene, self._context)
        mujoco.mjr_readPixels(colour, None, self._rect, self._context)
        # A colour is the index in the list of drawn geoms, plus one; 0 is the background.
        drawn = self._scene.geoms[:self._scene.ngeom]
        owners = np.array([-1, *(self._owner[geom.objid] for geom in drawn)], np.int32)
        red, green, blue = (colour[..., k].astype(np.int32) for k in range(3))
        seen: NDArray[np.int32] = owners[red + (green << 8) + (blue << 16)]
        return np.ascontiguousarray(seen[::-1])

    def overview(self) -> Overview:
        """Render the world from above."""
        world = self._stage.scene.world
        wide, high = self._overview_px
        x0, y0 = (value - world.wall_thickness for value in world.low)
        resolution = (world.high[1] - world.low[1] + 2 * world.wall_thickness) / high
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        camera.orthographic = 1
        camera.lookat[:] = (x0 + wide / 2 * resolution, y0 + high / 2 * resolution, 0)
        camera.distance, camera.azimuth, camera.elevation = OVERVIEW_HEIGHT_M, 90, -90
        # The height of an orthographic free camera in metres.
        self._model.vis.global_.fovy = high * resolution
        self._update(camera, (VISIBLE,))
        picture = np.empty((high, wide, 3), np.uint8)
        rect = mujoco.MjrRect(0, 0, wide, high)
        mujoco.mjr_render(rect, self._scene, self._context)
        mujoco.mjr_readPixels(picture, None, rect, self._context)
        return Overview(np.ascontiguousarray(picture[::-1]), resolution, x0, y0)

    def _look_from(self, base: Pose2D, moved: Mapping[str, Placing],
                   camera: CameraModel | None = None) -> None:
        camera = camera or self._camera
        if self._mover.put(moved):
            # The culling needs the new positions of the bodies.
            mujoco.mj_kinematics(self._model, self._data)
        mount = self._model.body(CAMERA_BODY).mocapid[0]
        eye, axes = camera.position(base), camera.map_r_optical(base)
        # MuJoCo's cameras look along -z with y up; optical frames look along z with y down.
        rotation = np.stack([axes[:, 0], -axes[:, 1], -axes[:, 2]], axis=1)
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).ravel())
        self._data.mocap_pos[mount] = eye
        self._data.mocap_quat[mount] = quaternion
        self._update(self._fixed, (VISIBLE, OVERHEAD), self._in_view(eye, axes))

    def _in_view(self, eye: Floats, axes: Floats) -> NDArray[np.bool_]:
        """Mask of the visible geoms whose bounding sphere may reach into the picture."""
        where = (self._data.geom_xpos[self._looks] - eye) @ axes
        radius = self._model.geom_rbound[self._looks]
        seen: NDArray[np.bool_] = where[:, 2] > -radius
        for axis, size in ((0, self._camera.width), (1, self._camera.height)):
            half = math.atan(size / 2 / self._camera.focal_px)
            seen &= (np.abs(where[:, axis]) * math.cos(half) - where[:, 2] * math.sin(half)
                     < radius)
        return seen

    def _update(self, camera: mujoco.MjvCamera, groups: tuple[int, ...],
                seen: NDArray[np.bool_] | None = None) -> None:
        """Fill the scene with the geoms of some groups, or with those of them that are in view."""
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        option = mujoco.MjvOption()
        option.geomgroup[:] = 0
        option.geomgroup[list(groups)] = 1
        # The group decides what is drawn. The colliders of the rays have groups of their own.
        self._model.geom_group[self._looks] = (
            self._groups if seen is None else np.where(seen, self._groups, NOWHERE))
        mujoco.mjv_updateScene(self._model, self._data, option, None, camera,
                               mujoco.mjtCatBit.mjCAT_ALL, self._scene)

    @contextmanager
    def _flat(self) -> Iterator[None]:
        """Draw each geom in one colour that encodes its number, without light and texture."""
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
        try:
            yield
        finally:
            flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 0

    def _object_of_geom(self) -> NDArray[np.int32]:
        """The index of each geom's object in the stage's order, -1 for none."""
        order = {name: index for index, name in enumerate(
            [*self._stage.scene.objects, *(one.id for one in self._stage.scene.people)])}
        names = [self._model.body(int(body)).name for body in self._model.geom_bodyid]
        return np.array([order.get(name, -1) for name in names], np.int32)


def _metric(buffer: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert MuJoCo's reversed depth buffer (0 far, 1 near) to metres along the optical axis."""
    # z = near * far / (near + buffer * (far - near)), the inverse of glFrustum reversed.
    depth = np.float32(NEAR_M * FAR_M) / (np.float32(NEAR_M)
                                          + buffer * np.float32(FAR_M - NEAR_M))
    return np.where(buffer > 0, depth, np.float32(np.inf))
