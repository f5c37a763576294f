"""Light in a world: lamps, sky and sun through the windows, and a few bounces.

Rays are cast once from every sample point: a cosine-weighted bundle over its hemisphere, one to
each lamp and one to the sun. The bundle sees either sky (through a pane) or another surface, whose
radiosity is looked up in a coarse grid of cells. Repeating the look-up gives the bounces (a
gathering form of radiosity; Cohen and Wallace, Radiosity and Realistic Image Synthesis, 1993).
"""

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav_sim.world.description import Room, WorldDescription
from semantic_nav_sim.world.meshes import Floats
from semantic_nav_sim.world.mujoco_model import SOLID, compile_solids
from semantic_nav_sim.world.rays import cast_many, collider_groups
from semantic_nav_sim.world.scene import SceneObject, WorldScene
from semantic_nav_sim.world.structure import Pane

HEMISPHERE_RAYS = 36
BOUNCES = 3
CELL_M = 0.25
REACH_M = 14.0
SHADE_M = 0.3
LAMP_REACH_M = 2.0
OFF_SURFACE_M = 0.015
# Colour and strength of the light of lamps (at 1 m), of the sky behind a pane and of the sun.
LAMP_RGB = np.array([1.0, 0.93, 0.82])
LAMP_STRENGTH = 1.5
LAMP_RADIUS_M = 0.12
SKY_RGB = np.array([2.1, 2.35, 2.7])
SUN_RGB = np.array([3.0, 2.75, 2.3])
FRAME_SHADE_M = 0.05


@dataclass(frozen=True, eq=False)
class Samples:
    """Sample points of surfaces in one room.

    Attributes:
        room: the room.
        points: shape (n, 3), metres.
        normals: shape (n, 3).
        albedo: share of light that each reflects, shape (n, 3).
        unshaded_by: id of the object that casts no shadow on them, if any.
    """

    room: str
    points: Floats
    normals: Floats
    albedo: Floats
    unshaded_by: str | None = None


@dataclass(frozen=True, eq=False)
class Lighting:
    """Light that arrives at samples.

    Attributes:
        diffuse: irradiance from lamps, sky and bounces, shape (n, 3).
        nearness: median length of the rays of the hemisphere, in metres, shape (n,).
    """

    diffuse: Floats
    nearness: Floats


def sun_direction(world: WorldDescription) -> Floats:
    """The unit vector to the sun, shape (3,)."""
    return np.array(world.sun.towards)


def _sun_through(pane: Pane, points: Floats, sun: Floats) -> NDArray[np.bool_]:
    """Mask of the points, shape (..., 3), that see the sun through a pane, between its bars."""
    towards = -float(sun @ pane.inward)
    if towards <= 1e-3:
        return np.zeros(points.shape[:-1], bool)
    along = ((points - pane.centre) @ pane.inward) / towards
    offset = np.abs(points + along[..., None] * sun - pane.centre)
    axis = int(np.argmin(np.abs(pane.inward[:2])))
    across, up = offset[..., axis], offset[..., 2]
    through = (across < pane.half[axis] - FRAME_SHADE_M) & (across > FRAME_SHADE_M / 2)
    return through & (up < pane.half[2] - FRAME_SHADE_M) & (along > 0)


def in_sun(scene: WorldScene, room: str, points: Floats) -> NDArray[np.bool_]:
    """Mask of the points, shape (..., 3), that see the sun through a window of their room.

    Furniture is ignored here; `shaded` accounts for it.
    """
    lit = np.zeros(points.shape[:-1], bool)
    for pane in scene.structure.panes:
        if pane.room == room:
            lit |= _sun_through(pane, points, sun_direction(scene.world))
    return lit


def shaded(scene: WorldScene, room: str, points: Floats) -> NDArray[np.bool_]:
    """Mask of the points of a room, shape (n, 3), that furniture hides from the sun."""
    place = next(r for r in scene.world.rooms if r.name == room)
    model = compile_solids(scene, _near(scene, place))
    sun = sun_direction(scene.world)
    to_sun = np.broadcast_to(sun, (len(points), 1, 3))
    _, geom = cast_many(model, collider_groups(SOLID), points, to_sun, REACH_M)
    _, shell = _geom_kinds(model)
    hidden: NDArray[np.bool_] = (geom[:, 0] >= 0) & ~shell[geom[:, 0]]
    return hidden


def solve(scene: WorldScene, samples: list[Samples], seed: int) -> list[Lighting]:
    """The light at all samples, with bounces among them.

    Args:
        scene: source of the light (lamps, sun and windows) and of the shade (furniture).
        samples: of the reflecting surfaces.
        seed: of the rays' directions.
    """
    rng = np.random.default_rng(seed)
    casts: dict[int, _Cast] = {}
    for room in scene.world.rooms:
        own = [k for k, part in enumerate(samples) if part.room == room.name]
        model = compile_solids(scene, _near(scene, room))
        for k in own:
            casts[k] = _cast(scene, room, model, samples[k], rng)
    ordered = [casts[k] for k in range(len(samples))]
    bounced = _bounce(samples, ordered)
    return [Lighting(cast.direct + arrived, cast.nearness)
            for cast, arrived in zip(ordered, bounced, strict=True)]


def _near(scene: WorldScene, room: Room) -> list[SceneObject]:
    """The furniture that shades a room: all that stands in it or in its doorways."""
    def beside(thing: SceneObject) -> bool:
        x, y, _ = thing.placing.apply((thing.low + thing.high) / 2)
        return (room.low[0] - SHADE_M < x < room.high[0] + SHADE_M
                and room.low[1] - SHADE_M < y < room.high[1] + SHADE_M)
    return [thing for thing in scene.objects.values() if not thing.movable and beside(thing)]


@dataclass(frozen=True, eq=False)
class _Cast:
    """Hits of the rays of one set of samples.

    Attributes:
        direct: light of lamps and sky, shape (n, 3).
        sunshine: light of the sun, shape (n, 3).
        nearness: as in Lighting.
        ends: end points of the hemispheres' rays, shape (n, k, 3).
        blocked: mask of the rays that do not end on a pane, shape (n, k).
    """

    direct: Floats
    sunshine: Floats
    nearness: Floats
    ends: Floats
    blocked: NDArray[np.bool_]


def _cast(scene: WorldScene, room: Room, model: mujoco.MjModel, samples: Samples,
          rng: np.random.Generator) -> _Cast:
    """Cast the rays of one set of samples against a model of its room."""
    lamps = [lamp for lamp in scene.world.lamps
             if room.low[0] - LAMP_REACH_M < lamp.at[0] < room.high[0] + LAMP_REACH_M
             and room.low[1] - LAMP_REACH_M < lamp.at[1] < room.high[1] + LAMP_REACH_M]
    places = np.array([lamp.at for lamp in lamps]).reshape(-1, 3)
    powers = np.array([lamp.power for lamp in lamps])
    origins = samples.points + OFF_SURFACE_M * samples.normals
    bundle = _hemisphere(samples.normals, rng)
    to_lamps = (places + LAMP_RADIUS_M * rng.standard_normal((len(origins), len(lamps), 3))
                - origins[:, None])
    lamp_distance = np.linalg.norm(to_lamps, axis=2)
    to_lamps /= lamp_distance[..., None]
    sun = sun_direction(scene.world)
    to_sun = np.broadcast_to(sun, (len(origins), 1, 3))
    body = -1 if samples.unshaded_by is None else model.body(samples.unshaded_by).id
    distance, geom = cast_many(model, collider_groups(SOLID), origins,
                               np.concatenate([bundle, to_lamps, to_sun], axis=1), REACH_M, body)
    pane, shell = _geom_kinds(model)
    hit, met = distance[:, :HEMISPHERE_RAYS], geom[:, :HEMISPHERE_RAYS]
    open_ = (met >= 0) & pane[met]
    lit = distance[:, HEMISPHERE_RAYS:-1] > lamp_distance - 0.05
    cosine = np.clip(np.einsum('nki,ni->nk', to_lamps, samples.normals), 0, 1)
    lamp_light = (lit * cosine * powers / (0.35 + lamp_distance ** 2)).sum(axis=1)
    direct = open_.mean(axis=1)[:, None] * SKY_RGB + LAMP_STRENGTH * lamp_light[:, None] * LAMP_RGB
    sunlit = ((geom[:, -1] < 0) | shell[geom[:, -1]]) & in_sun(scene, room.name, samples.points)
    strength = scene.world.sun.power * np.clip(samples.normals @ sun, 0, 1) * sunlit
    ends = origins[:, None] + np.where(np.isinf(hit), 0.0, hit)[..., None] * bundle
    return _Cast(direct, strength[:, None] * SUN_RGB, np.median(hit, axis=1), ends,
                 ~open_)


def _hemisphere(normals: Floats, rng: np.random.Generator) -> Floats:
    """Cosine-weighted directions about each normal, shape (n, HEMISPHERE_RAYS, 3)."""
    order = np.arange(HEMISPHERE_RAYS)
    share = (order + 0.5) / HEMISPHERE_RAYS
    # A sunflower spiral, rotated by a random angle at each point.
    angle = order * math.pi * (3 - math.sqrt(5)) + rng.uniform(0, math.tau, (len(normals), 1))
    helper = np.where(np.abs(normals[:, 2:]) < 0.9, [[0.0, 0, 1]], [[1.0, 0, 0]])
    tangent = np.cross(helper, normals)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    second = np.cross(normals, tangent)
    radius = np.sqrt(share)
    return ((radius * np.cos(angle))[..., None] * tangent[:, None]
            + (radius * np.sin(angle))[..., None] * second[:, None]
            + np.sqrt(1 - share)[None, :, None] * normals[:, None])


def _geom_kinds(model: mujoco.MjModel) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the geoms that are panes, and of those that belong to the shell, by geom id."""
    names = [model.geom(i).name for i in range(model.ngeom)]
    pane = np.array([name.startswith('pane') for name in names])
    shell = np.array([name.startswith(('pane', 'wall', 'roof', 'ground')) for name in names])
    return pane, shell


def _bounce(samples: list[Samples], casts: list[_Cast]) -> list[Floats]:
    """The light after one to BOUNCES reflections, for each set of samples, shape (n, 3)."""
    points = np.vstack([part.points for part in samples])
    albedo = np.vstack([part.albedo for part in samples])
    direct = np.vstack([cast.direct + cast.sunshine for cast in casts])
    ends = np.vstack([cast.ends for cast in casts])
    blocked = np.vstack([cast.blocked for cast in casts])
    low = np.minimum(points.min(axis=0), ends.reshape(-1, 3).min(axis=0))
    high = np.maximum(points.max(axis=0), ends.reshape(-1, 3).max(axis=0))
    shape = tuple(int(v) for v in np.ceil((high - low) / CELL_M) + 1)

    def cell(where: Floats) -> NDArray[np.int64]:
        index = ((where - low) / CELL_M).astype(np.int64)
        return (index[..., 0] * shape[1] + index[..., 1]) * shape[2] + index[..., 2]

    own = cell(points)
    counts = np.bincount(own, minlength=math.prod(shape))
    # A ray that ends without samples nearby (on furniture) takes the nearest cell with some.
    nearest = ndimage.distance_transform_edt(counts.reshape(shape) == 0, return_distances=False,
                                             return_indices=True)
    source = np.ravel_multi_index(tuple(nearest), shape).ravel()[cell(ends)]
    arrived = np.zeros_like(direct)
    for _ in range(BOUNCES):
        outgoing = albedo * (direct + arrived)
        for channel in range(3):
            total = np.bincount(own, outgoing[:, channel], math.prod(shape))
            mean = total / np.maximum(counts, 1)
            arrived[:, channel] = (mean[source] * blocked).mean(axis=1)
    return np.split(arrived, np.cumsum([len(part.points) for part in samples])[:-1])
