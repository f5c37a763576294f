"""Decoration of rooms."""

import math

import numpy as np

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import Mesh, rectangle, rotation_y, rotation_z, sheet


@LIBRARY.recipe('rug', (1.8, 2.6, 0.008), 'persian_rug')
def rug(build: Assembly, look: Look) -> None:
    """A flat rug with a fitted picture; a robot drives over it."""
    depth, width, height = look.size
    build.mesh(rectangle((-depth / 2, -width / 2, height), (depth, 0, 0), (0, width, 0)),
               look.material)


@LIBRARY.recipe('picture', (0.03, 0.8, 0.6), 'walnut', 'ceramic', 'landscape_hills')
def picture(build: Assembly, look: Look) -> None:
    """A framed picture with a white mount, for a wall."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.006)
    build.picture(width - 0.05, height - 0.05, (depth / 2 + 0.001, 0, height / 2), look.trim)
    build.picture(width - 0.15, height - 0.15, (depth / 2 + 0.002, 0, height / 2), look.face)


@LIBRARY.recipe('mirror', (0.03, 0.55, 0.75), 'steel', 'mirror')
def mirror(build: Assembly, look: Look) -> None:
    """A framed mirror, for a wall; it shows a pale sheen, no reflection."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.005)
    build.box((0.004, width - 0.05, height - 0.05), (depth / 2, 0, height / 2), look.trim,
              rounding=0.001, solid=False)


def _blade(length: float, width: float, droop: float) -> Mesh:
    """Return a leaf that grows along x from the origin and bends down."""
    u = np.linspace(0, 1, 7)[:, None]
    v = np.linspace(-0.5, 0.5, 3)[None, :]
    half = np.sin(np.pi * np.clip(0.06 + 0.94 * u, 0, 1)) ** 0.75
    points = np.stack(np.broadcast_arrays(
        length * u, width * v * half,
        -droop * length * u ** 2 - 0.25 * width * (2 * np.abs(v)) * half), 2)
    texcoords = np.stack(np.broadcast_arrays(0.3 * u, 0.3 * (v + 0.5)), 2)
    return sheet(np.ascontiguousarray(points), np.ascontiguousarray(texcoords)).two_sided()


@LIBRARY.recipe('potted plant', (0.75, 0.75, 1.2), 'leaf', 'terracotta')
def potted_plant(build: Assembly, look: Look) -> None:
    """A pot with long leaves that hang over."""
    depth, _, height = look.size
    pot = 0.30 * height
    radius = 0.24 * depth
    build.turned([(0, 0), (0.75 * radius, 0), (radius, pot), (1.08 * radius, pot),
                  (1.08 * radius, pot + 0.02), (0.9 * radius, pot + 0.02),
                  (0.88 * radius, pot - 0.03)], (0, 0, 0), look.trim, sides=26)
    build.cylinder(0.9 * radius, 0.01, (0, 0, pot - 0.035), 'soil', sides=24, solid=False)
    rng = np.random.default_rng(look.seed)
    reach = height - pot
    for k in range(38):
        rise = rng.uniform(0.75, 1.45) if k % 3 else rng.uniform(0.35, 0.8)
        length = min(rng.uniform(0.55, 1.0) * reach, 0.40 * depth / math.cos(rise))
        turn = rotation_z(k * 2.4 + rng.uniform(-0.3, 0.3)) @ rotation_y(-rise)
        blade = _blade(length, rng.uniform(0.07, 0.11), rng.uniform(0.15, 0.4))
        build.mesh(blade.moved(turn, (0, 0, pot - 0.03)), look.material)
    build.solid_box((0.5 * depth, 0.5 * depth, 0.6 * reach), (0, 0, pot + 0.3 * reach))


@LIBRARY.recipe('curtain', (0.10, 0.55, 2.3), 'beige_fabric', 'steel')
def curtain(build: Assembly, look: Look) -> None:
    """One drawn-back side of a curtain, in folds, with its piece of rail."""
    depth, width, height = look.size
    folds = max(3, round(width / 0.11))
    v = np.linspace(-0.5, 0.5, 8 * folds + 1)[:, None]
    z = np.linspace(0.02, height - 0.03, 5)[None, :]
    wave = np.sin(2 * math.pi * folds * v) * (0.32 + 0.16 * (1 - z / height))
    gather = 1 - 0.10 * np.sin(math.pi * z / height)
    points = np.stack(np.broadcast_arrays(depth * wave, width * v * gather, z), 2)
    build.mesh(sheet(np.ascontiguousarray(points)).two_sided(), look.material)
    build.box((0.022, width + 0.16, 0.022), (0, 0, height - 0.01), look.trim, rounding=0.009,
              solid=False)
    build.solid_box((0.6 * depth, width, height), (0, 0, height / 2))


@LIBRARY.recipe('vase', (0.16, 0.16, 0.34), 'green_glaze', 'yellow_fabric')
def vase(build: Assembly, look: Look) -> None:
    """A vase with a few yellow flowers."""
    radius = look.size[0] / 2
    high = 0.60 * look.size[2]
    build.turned([(0, 0), (0.6 * radius, 0), (radius, 0.4 * high), (0.85 * radius, 0.65 * high),
                  (0.45 * radius, 0.86 * high), (0.55 * radius, high), (0.45 * radius, high)],
                 (0, 0, 0), look.material, sides=26)
    for k in range(6):
        turn = rotation_z(k * math.tau / 6) @ rotation_y(0.32 if k else 0.0)
        stalk = look.size[2] - high + 0.03 * (k % 2)
        build.cylinder(0.004, stalk, (0, 0, high - 0.02), 'leaf', sides=6, rotation=turn,
                       solid=False)
        build.pillow((0.055, 0.055, 0.035), turn @ (0, 0, stalk) + (0, 0, high - 0.02), look.trim,
                     boxiness=0, rotation=turn)
