"""Toys."""

import math

import numpy as np

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_x, rotation_y, rotation_z


@LIBRARY.recipe('ball', (0.22, 0.22, 0.22), 'white_plastic', 'black_plastic')
def ball(build: Assembly, look: Look) -> None:
    """A football."""
    radius = look.size[0] / 2
    build.pillow(look.size, (0, 0, radius), look.material, boxiness=0)
    golden = (1 + math.sqrt(5)) / 2
    corners = [(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    for turn in (0, 1, 2):
        for corner in corners:
            x, y, z = np.roll(corner, turn)
            yaw, pitch = math.atan2(y, x), math.atan2(math.hypot(x, y), z)
            rotation = rotation_z(yaw) @ rotation_y(pitch)
            cap = [(0.33 * radius, 0.955 * radius), (0, 1.012 * radius)]
            build.turned(cap, (0, 0, radius), look.trim, sides=5, rotation=rotation, solid=False)
    build.solid_box((radius, radius, radius), (0, 0, radius))


@LIBRARY.recipe('toy car', (0.20, 0.10, 0.085), 'yellow_plastic', 'black_plastic')
def toy_car(build: Assembly, look: Look) -> None:
    """A toy car."""
    depth, width, height = look.size
    build.box((depth, width, 0.45 * height), (0, 0, 0.42 * height), look.material, rounding=0.014,
              segments=2)
    build.box((0.5 * depth, 0.86 * width, 0.40 * height), (-0.02, 0, 0.8 * height), look.material,
              rounding=0.016, segments=2)
    build.box((0.51 * depth, 0.87 * width, 0.2 * height), (-0.02, 0, 0.8 * height), look.trim,
              rounding=0.01, solid=False)
    for x in (-0.3, 0.3):
        for side in (-1, 1):
            build.cylinder(0.24 * height, 0.018, (x * depth, side * (width / 2) + 0.009,
                                                  0.24 * height), look.trim, sides=14,
                           rotation=rotation_x(math.pi / 2), solid=False)


@LIBRARY.recipe('teddy bear', (0.24, 0.26, 0.34), 'teddy', 'beige_fabric')
def teddy_bear(build: Assembly, look: Look) -> None:
    """A bear that sits."""
    height = look.size[2]
    build.pillow((0.17, 0.19, 0.55 * height), (-0.02, 0, 0.28 * height), look.material, boxiness=0)
    build.pillow((0.09, 0.12, 0.32 * height), (0.045, 0, 0.28 * height), look.trim, boxiness=0)
    build.pillow((0.15, 0.17, 0.15), (-0.01, 0, 0.70 * height), look.material, boxiness=0)
    build.pillow((0.06, 0.07, 0.05), (0.06, 0, 0.67 * height), look.trim, boxiness=0)
    build.pillow((0.02, 0.026, 0.02), (0.09, 0, 0.69 * height), 'black_plastic', boxiness=0)
    for side in (-1, 1):
        build.pillow((0.04, 0.06, 0.06), (-0.01, side * 0.068, 0.90 * height), look.material,
                     boxiness=0)
        build.pillow((0.018, 0.016, 0.018), (0.062, side * 0.032, 0.75 * height), 'black_plastic',
                     boxiness=0)
        build.pillow((0.08, 0.06, 0.13), (0.03, side * 0.10, 0.40 * height), look.material,
                     boxiness=0, rotation=rotation_x(side * 0.5))
        build.pillow((0.16, 0.075, 0.08), (0.07, side * 0.07, 0.045), look.material, boxiness=0)
    build.solid_box((0.18, 0.2, 0.85 * height), (0, 0, 0.43 * height))


@LIBRARY.recipe('building blocks', (0.22, 0.22, 0.16), 'red_glaze', 'blue_glaze',
                'yellow_plastic')
def building_blocks(build: Assembly, look: Look) -> None:
    """A small tower of blocks and one that fell off."""
    high = look.size[2] / 3
    for x, y, z, turn, colour in ((-0.04, -0.04, 0.5, 0.2, look.material),
                                  (-0.04, 0.04, 0.5, 0.0, look.trim),
                                  (-0.04, 0.0, 1.5, 0.5, look.face),
                                  (-0.04, 0.0, 2.5, 0.1, 'green_glaze'),
                                  (0.07, 0.02, 0.5, 0.8, 'orange_glaze')):
        build.box((high, high, high), (x, y, z * high), colour, rounding=0.003,
                  rotation=rotation_z(turn))
