"""Render resources of a home: its compiled model, and the GL context with its textures."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import mujoco

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.world.model_cache import cached_model
from semantic_nav_sim.world.scene import WorldScene

_OVERVIEW_RESOLUTION_M = 0.01
_OVERVIEW_LIMIT_PX = 2048
T = TypeVar('T')


class Studio:
    """One home, ready to render. Opening it takes a second, so simulations may share it.

    Attributes:
        scene: of the home.
        camera: model of the pictures.
        overview_px: width and height of the overview picture.
        model: as loaded; to change it, take a copy.
        context: GL context; only for jobs on the studio's thread.
    """

    def __init__(self, scene: WorldScene, camera: CameraModel | None = None) -> None:
        """Load the compiled model, or build it the first time, and open a GL context.

        Args:
            scene: of the home.
            camera: model of the camera; None for the default one.

        Raises:
            ConfigError: this machine has no OpenGL library that works without a display.
        """
        self.scene = scene
        self.camera = camera or CameraModel()
        self.overview_px = _overview_px(scene)
        self.model = cached_model(scene)
        self._pool = ThreadPoolExecutor(1, 'gl')
        try:
            self._gl, self.context = self.submit(self._open).result()
        except BaseException:
            self._pool.shutdown()
            raise

    def submit(self, job: Callable[[], T]) -> 'Future[T]':
        """Run a job on the thread that owns the context; jobs run in order."""
        return self._pool.submit(job)

    def close(self) -> None:
        """Finish pending jobs, free the context, and end the thread."""
        self.submit(self._free).result()
        self._pool.shutdown()

    def _open(self) -> tuple[Any, mujoco.MjrContext]:
        model = self.model
        wide, high = (max(sizes) for sizes in zip(
            self.overview_px, (self.camera.width, self.camera.height), strict=True))
        model.vis.global_.offwidth, model.vis.global_.offheight = wide, high
        gl = _open_context(wide, high)
        gl.make_current()
        context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return gl, context

    def _free(self) -> None:
        self.context.free()
        self._gl.free()


def _overview_px(scene: WorldScene) -> tuple[int, int]:
    world = scene.world
    spans = [high - low + 2 * world.wall_thickness
             for low, high in zip(world.low, world.high, strict=True)]
    resolution = max(_OVERVIEW_RESOLUTION_M, max(spans) / _OVERVIEW_LIMIT_PX)
    return round(spans[0] / resolution), round(spans[1] / resolution)


def _open_context(width: int, height: int) -> Any:
    kind = os.environ.get('MUJOCO_GL', 'egl').lower()
    try:
        if kind == 'osmesa':
            from mujoco.osmesa import GLContext
        else:
            from mujoco.egl import GLContext
        return GLContext(width, height)
    except (ImportError, AttributeError, RuntimeError, OSError) as error:
        raise ConfigError(
            f'no OpenGL without a display through {kind}: {error}; install libegl1, libgl1 and '
            'libgl1-mesa-dri, or libosmesa6 and set MUJOCO_GL=osmesa') from error
