"""Personal belongings: clothes, books, small things."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import half_ring, rotation_y, rotation_z


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


@LIBRARY.recipe('photo frame', (0.10, 0.18, 0.24), 'oak', face='landscape_lake')
def photo_frame(build: Assembly, look: Look) -> None:
    """A framed photograph that leans on its stand."""
    depth, width, height = look.size
    lean = rotation_y(-0.22)
    build.box((0.016, width, height), lean @ (0, 0, height / 2), look.material, rounding=0.004,
              rotation=lean, solid=False)
    build.picture(width - 0.04, height - 0.04, lean @ (0.0086, 0, height / 2), look.face, lean)
    build.solid_box((depth * 0.6, width, height * 0.95), (-0.02, 0, height * 0.475))


@LIBRARY.recipe('phone', (0.15, 0.075, 0.012), 'black_plastic', 'grey_plastic')
def phone(build: Assembly, look: Look) -> None:
    """A telephone that lies on its back."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.004)
    build.box((depth - 0.012, width - 0.008, 0.001), (0, 0, height), look.trim, rounding=0,
              solid=False)


@LIBRARY.recipe('headphones', (0.19, 0.19, 0.09), 'black_plastic', 'grey_fabric')
def headphones(build: Assembly, look: Look) -> None:
    """Headphones that lie on their shells."""
    width, height = look.size[1], look.size[2]
    for side in (-1, 1):
        build.cylinder(0.042, 0.3 * height, (0.04, side * (width / 2 - 0.05), 0.02), look.material,
                       sides=18)
        build.cylinder(0.038, 0.02, (0.04, side * (width / 2 - 0.05), 0), look.trim, sides=18,
                       solid=False)
    bow = half_ring(width / 2 - 0.05, 0.011, (0, 0, 0))
    build.mesh(bow.moved(rotation_z(math.pi / 2) @ rotation_y(math.pi / 2),
                         (0.04, 0, 0.03)), look.material)


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


@LIBRARY.recipe('hat', (0.30, 0.30, 0.13), 'wicker', 'red_fabric')
def hat(build: Assembly, look: Look) -> None:
    """A hat with a brim and a band."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0.004), (radius, 0.01), (0.56 * radius, 0.02),
                  (0.50 * radius, 0.85 * height), (0.38 * radius, height), (0, height)],
                 (0, 0, 0), look.material, sides=30)
    build.turned([(0.57 * radius, 0.02), (0.56 * radius, 0.045)], (0, 0, 0), look.trim, sides=30,
                 solid=False)
