"""Bakes light into the textures of floors, walls and ceilings, and computes the objects' tints."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from semantic_nav_sim.world.materials import Materials
from semantic_nav_sim.world.meshes import Floats, rotation_z
from semantic_nav_sim.world.mujoco_model import Light
from semantic_nav_sim.world.radiosity import (
    OFF_SURFACE_M,
    SUN_RGB,
    Lighting,
    Samples,
    in_sun,
    shaded,
    solve,
    sun_direction,
)
from semantic_nav_sim.world.scene import SceneObject, WorldScene
from semantic_nav_sim.world.structure import LitSurface

Single = NDArray[np.float32]
# Spacing of the points where light is gathered, of the texels, and of the rays that find the edges
# of shadows in the sun.
SAMPLE_M = {'floor': 0.10, 'wall': 0.14, 'ceiling': 0.24}
TEXEL_M = {'floor': 0.006, 'wall': 0.010, 'ceiling': 0.020}
SHADOW_M = 0.025
# Linear light to display values; an object under TINT_LEVEL keeps its full colour.
GAMMA = 2.2
EXPOSURE = 1.15
TINT_LEVEL = 0.62
# Clearance of samples from a wall, and distance at which a side counts as hidden.
CLEAR_M = 0.015
BURIED_M = 0.08
_TO_LINEAR = (np.arange(256, dtype=np.float32) / 255) ** np.float32(GAMMA)


def bake(scene: WorldScene, seed: int = 0) -> Light:
    """Light a scene; movable objects cast no shadow.

    Args:
        scene: the scene.
        seed: of the rays' directions.
    """
    materials = Materials(scene.world.materials)
    surfaces = scene.structure.surfaces
    textures = {name: materials[name].texture() for name in {s.material for s in surfaces}}
    fixed = [thing for thing in scene.objects.values() if not thing.movable]
    inset = scene.world.wall_thickness / 2 + CLEAR_M
    grids = [_grid(surface, textures[surface.material], inset) for surface in surfaces]
    things = [_around(thing, scene) for thing in fixed]
    lighting = solve(scene, [*grids, *things], seed)
    baked = []
    walls: dict[str, list[Floats]] = {}
    for surface, light in zip(surfaces, lighting[:len(grids)], strict=True):
        tile = materials[surface.material].tile_m or 1.0
        baked.append(_texture(scene, surface, textures[surface.material], tile, light))
        if surface.kind == 'wall':
            walls.setdefault(surface.room, []).append(light.diffuse)
    tints = {room: _tint(np.vstack(values).mean(axis=0)) for room, values in walls.items()}
    for thing, light in zip(fixed, lighting[len(grids):], strict=True):
        open_ = light.nearness > BURIED_M
        tints[thing.id] = _tint(light.diffuse[open_].mean(axis=0) if open_.any()
                                else light.diffuse.max(axis=0))
    return Light(baked, tints)


def _cells(surface: LitSurface, edge_m: float) -> tuple[int, int]:
    """The number of cells of about that edge along u and v."""
    along, up = np.linalg.norm(surface.u), np.linalg.norm(surface.v)
    return max(2, round(float(along) / edge_m)), max(2, round(float(up) / edge_m))


def _grid(surface: LitSurface, texture: NDArray[np.uint8], inset_m: float) -> Samples:
    """The samples of a surface, v outer, u inner, kept clear of the surrounding walls."""
    nu, nv = _cells(surface, SAMPLE_M[surface.kind])
    share = [(np.arange(n) + 0.5) / n for n in (nu, nv)]
    if surface.kind != 'wall':
        # Floors and ceilings reach into the walls' middle lines.
        insets = [inset_m / float(np.linalg.norm(edge)) for edge in (surface.u, surface.v)]
        share = [np.clip(s, inset, 1 - inset) for s, inset in zip(share, insets, strict=True)]
    points = _points(surface, share[0], share[1]).reshape(-1, 3)
    albedo = _TO_LINEAR[texture].reshape(-1, 3).mean(axis=0).astype(float)
    count = len(points)
    return Samples(surface.room, points, np.tile(surface.normal, (count, 1)),
                   np.tile(albedo, (count, 1)))


def _around(thing: SceneObject, scene: WorldScene) -> Samples:
    """Samples on the sides of an object's bounding box, which the object itself does not shade."""
    middle, half = (thing.low + thing.high) / 2, (thing.high - thing.low) / 2
    points, normals = [], []
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1)):
        normal = np.zeros(3)
        normal[axis] = sign
        for a in (-0.6, 0.6):
            for b in (-0.6, 0.6):
                offset = half * normal
                offset[(axis + 1) % 3] = a * half[(axis + 1) % 3]
                offset[(axis + 2) % 3] = b * half[(axis + 2) % 3]
                points.append(thing.placing.apply(middle + offset))
                normals.append(rotation_z(thing.placing.yaw_rad) @ normal)
    x, y, _ = thing.placing.apply(middle)
    room = scene.world.room_at(float(x), float(y)) or scene.world.rooms[0]
    return Samples(room.name, np.array(points), np.array(normals),
                   np.full((len(points), 3), 0.4), thing.id)


def _tone(radiance: Single) -> Single:
    """Display values, 0 to 255, of linear light, with a soft shoulder."""
    x = EXPOSURE * radiance
    mapped = x * (1 + x / 6.0) / (1 + 0.62 * x)
    return np.clip(mapped, 0, 1) ** np.float32(1 / GAMMA) * 255


def _tint(irradiance: Floats) -> Floats:
    """The share of its display colour that an object keeps under some light, 0 to 1."""
    tint: Floats = np.clip(_tone(np.float32(0.5) * irradiance.astype(np.float32))
                           / _tone(np.full(3, 0.5 * TINT_LEVEL, np.float32)), 0.25, 1.0)
    return tint


def _texture(scene: WorldScene, surface: LitSurface, texture: NDArray[np.uint8], tile_m: float,
             light: Lighting) -> NDArray[np.uint8]:
    """A surface's texture with baked light, top row first."""
    nu, nv = _cells(surface, SAMPLE_M[surface.kind])
    columns, rows = _cells(surface, TEXEL_M[surface.kind])
    diffuse = ndimage.gaussian_filter(light.diffuse.reshape(nv, nu, 3), (1.1, 1.1, 0),
                                      mode='nearest')
    irradiance = np.stack([_enlarged(diffuse[..., k], columns, rows) for k in range(3)], 2)
    across = (np.arange(columns) + 0.5) / columns
    up = (np.arange(rows) + 0.5) / rows
    sunshine = _sunshine(scene, surface, across, up)
    if sunshine is not None:
        irradiance += sunshine[..., None] * SUN_RGB.astype(np.float32)
    # Metres along the map's axes, so that tiles and planks continue from wall to wall.
    start_u, start_v = _offsets(surface)
    high, wide = texture.shape[:2]
    column = ((start_u + across * np.linalg.norm(surface.u)) / tile_m * wide).astype(int) % wide
    row = ((start_v + up * np.linalg.norm(surface.v)) / tile_m * high).astype(int) % high
    albedo = _TO_LINEAR[texture[row[:, None], column[None, :]]]
    return _tone(albedo * irradiance).astype(np.uint8)[::-1]


def _offsets(surface: LitSurface) -> tuple[float, float]:
    """The coordinates of the origin along u and v."""
    u = surface.u / np.linalg.norm(surface.u)
    v = surface.v / np.linalg.norm(surface.v)
    return float(surface.origin @ u), float(surface.origin @ v)


def _enlarged(field: Floats, columns: int, rows: int) -> Single:
    image = Image.fromarray(field.astype(np.float32))
    return np.asarray(image.resize((columns, rows), Image.Resampling.BICUBIC))


def _sunshine(scene: WorldScene, surface: LitSurface, across: Floats, up: Floats) -> Single | None:
    """The sun's irradiance on each texel, shape (rows, columns); None without sun."""
    strength = float(surface.normal @ sun_direction(scene.world)) * scene.world.sun.power
    if strength <= 0:
        return None
    lit = in_sun(scene, surface.room, _points(surface, across, up))
    if not lit.any():
        return None
    # Shadows of furniture are cast on a coarser grid than the texels.
    nu, nv = _cells(surface, SHADOW_M)
    points = _points(surface, (np.arange(nu) + 0.5) / nu, (np.arange(nv) + 0.5) / nv)
    shade = np.zeros((nv, nu))
    where = ndimage.binary_dilation(in_sun(scene, surface.room, points), iterations=2)
    shade[where] = shaded(scene, surface.room, points[where] + OFF_SURFACE_M * surface.normal)
    shade = ndimage.gaussian_filter(shade, 0.7)
    edges = ndimage.gaussian_filter(lit.astype(np.float32), 1.6)
    return np.float32(strength) * edges * (1 - _enlarged(shade, len(across), len(up)))


def _points(surface: LitSurface, across: Floats, up: Floats) -> Floats:
    """The points at shares of u and v, shape (len(up), len(across), 3)."""
    points: Floats = (surface.origin + across[None, :, None] * surface.u
                      + up[:, None, None] * surface.v)
    return points
