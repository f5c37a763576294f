"""Small things that can be carried away."""

import math

import numpy as np

from semantic_nav.sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav.sim.world.meshes import half_ring, rotation_x, rotation_y, rotation_z


@LIBRARY.recipe('mug', (0.095, 0.095, 0.115), 'red_glaze', 'ceramic')
def mug(build: Assembly, look: Look) -> None:
    """A mug with a handle to its left and a white inside."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (0.88 * radius, 0), (radius, 0.08 * height), (radius, height),
                  (0.93 * radius, height)], (0, 0, 0), look.material, sides=28)
    build.turned([(0.93 * radius, height), (0.90 * radius, 0.1 * height), (0, 0.1 * height)],
                 (0, 0, 0), look.trim, sides=28, solid=False)
    build.mesh(half_ring(0.62 * radius, 0.14 * radius, (0, radius, 0.52 * height), 14),
               look.material)


@LIBRARY.recipe('bowl', (0.20, 0.20, 0.085), 'red_glaze', 'ceramic')
def bowl(build: Assembly, look: Look) -> None:
    """An open bowl."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (0.45 * radius, 0), (0.5 * radius, 0.08 * height),
                  (0.86 * radius, 0.6 * height), (radius, height), (0.95 * radius, height)],
                 (0, 0, 0), look.material, sides=30)
    build.turned([(0.95 * radius, height), (0.80 * radius, 0.6 * height),
                  (0.4 * radius, 0.12 * height), (0, 0.12 * height)], (0, 0, 0), look.trim,
                 sides=30, solid=False)


@LIBRARY.recipe('bottle', (0.08, 0.08, 0.31), 'green_glass', 'cardboard')
def bottle(build: Assembly, look: Look) -> None:
    """A wine bottle."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, 0.60 * height), (0.8 * radius, 0.68 * height),
                  (0.36 * radius, 0.78 * height), (0.34 * radius, 0.97 * height),
                  (0, 0.97 * height)], (0, 0, 0), look.material, sides=22)
    build.cylinder(0.3 * radius, 0.04 * height, (0, 0, 0.96 * height), look.trim, sides=12,
                   solid=False)
    build.turned([(1.02 * radius, 0.2 * height), (1.02 * radius, 0.46 * height)], (0, 0, 0),
                 'ceramic', sides=22, solid=False)


@LIBRARY.recipe('soap dispenser', (0.07, 0.07, 0.18), 'white_plastic', 'steel')
def soap_dispenser(build: Assembly, look: Look) -> None:
    """A bottle with a pump."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, 0.58 * height), (0.5 * radius, 0.68 * height),
                  (0.4 * radius, 0.74 * height), (0, 0.74 * height)], (0, 0, 0), look.material,
                 sides=20)
    build.cylinder(0.006, 0.22 * height, (0, 0, 0.74 * height), look.trim, sides=8, solid=False)
    build.box((0.06, 0.016, 0.014), (0.018, 0, 0.97 * height), look.trim, solid=False)


@LIBRARY.recipe('book', (0.16, 0.22, 0.032), 'red_fabric', 'ceramic', 'red_cover')
def book(build: Assembly, look: Look) -> None:
    """A closed book that lies flat."""
    depth, width, height = look.size
    build.box((depth - 0.008, width - 0.006, height - 0.006), (0.003, 0, height / 2), look.trim,
              rounding=0.001)
    for z in (0.0025, height - 0.0025):
        build.box((depth, width, 0.005), (0, 0, z), look.material, rounding=0.001, solid=False)
    build.box((0.006, width, height), (-depth / 2 + 0.003, 0, height / 2), look.material,
              rounding=0.002, solid=False)
    build.picture(depth, width, (0, 0, height + 0.0006), look.face,
                  rotation_z(-math.pi / 2) @ rotation_y(-math.pi / 2))


@LIBRARY.recipe('milk carton', (0.08, 0.08, 0.24), 'ceramic', face='milk_label')
def milk_carton(build: Assembly, look: Look) -> None:
    """A carton with a gable."""
    depth, width, height = look.size
    body = 0.82 * height
    build.box((depth, width, body), (0, 0, body / 2), look.material, rounding=0.002)
    for k in range(4):
        turn = rotation_z(k * math.pi / 2)
        build.picture(width - 0.002, body - 0.002, turn @ (depth / 2 + 0.0006, 0, body / 2),
                      look.face, turn)
    for side in (-1, 1):
        build.box((0.004, width, 0.062), (side * depth / 4.4, 0, body + 0.019), look.material,
                  rounding=0.001, rotation=rotation_y(-side * 0.85), solid=False)
    build.box((0.006, width, 0.022), (0, 0, height - 0.012), look.material, rounding=0.001,
              solid=False)


@LIBRARY.recipe('cushion', (0.14, 0.42, 0.40), 'orange_fabric')
def cushion(build: Assembly, look: Look) -> None:
    """A cushion that leans backwards against something."""
    depth, width, height = look.size
    build.pillow((height, width, depth), (0, 0, height / 2), look.material, boxiness=0.66,
                 rotation=rotation_y(-math.pi / 2 - 0.3))


@LIBRARY.recipe('backpack', (0.22, 0.34, 0.46), 'navy_fabric', 'orange_fabric')
def backpack(build: Assembly, look: Look) -> None:
    """A rucksack that stands on the floor."""
    depth, width, height = look.size
    build.box((depth * 0.72, width, height), (-0.02, 0, height / 2), look.material,
              rounding=0.075, segments=3)
    build.box((0.10, width * 0.7, height * 0.45), (depth / 2 - 0.06, 0, height * 0.30),
              look.material, rounding=0.04, segments=3)
    build.box((0.012, width * 0.66, 0.014), (depth / 2 - 0.008, 0, height * 0.44), look.trim,
              solid=False)
    build.box((0.03, 0.09, 0.03), (-0.02, 0, height), look.trim, rounding=0.01, solid=False)


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


@LIBRARY.recipe('shoes', (0.28, 0.24, 0.11), 'black_leather', 'ceramic')
def shoes(build: Assembly, look: Look) -> None:
    """A pair of shoes side by side."""
    depth, width, height = look.size
    for side in (-1, 1):
        y = side * width / 4
        build.box((depth, 0.09, 0.025), (0, y, 0.0125), look.trim, rounding=0.01, solid=False)
        build.pillow((depth - 0.01, 0.09, height * 1.1), (0, y, 0.6 * height), look.material,
                     boxiness=0.4)
        build.box((depth * 0.42, 0.078, height - 0.02), (-depth * 0.26, y, height / 2 + 0.01),
                  look.material, rounding=0.03, segments=2, solid=False)
    build.solid_box((depth, width - 0.04, height), (0, 0, height / 2))


@LIBRARY.recipe('plate', (0.25, 0.25, 0.022), 'ceramic')
def plate(build: Assembly, look: Look) -> None:
    """A flat plate."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (0.6 * radius, 0), (radius, height), (0.97 * radius, height),
                  (0.62 * radius, 0.3 * height), (0, 0.3 * height)], (0, 0, 0), look.material,
                 sides=32)


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
