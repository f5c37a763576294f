"""Tableware, drinks and cookware."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import half_ring, rotation_y, rotation_z


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


@LIBRARY.recipe('cup', (0.15, 0.15, 0.085), 'white_plastic', 'ceramic')
def cup(build: Assembly, look: Look) -> None:
    """A wide low cup on a saucer."""
    saucer, height = look.size[0] / 2, look.size[2]
    radius = 0.62 * saucer
    build.turned([(0, 0), (0.6 * saucer, 0), (saucer, 0.014), (0.96 * saucer, 0.016),
                  (0.6 * saucer, 0.006), (0, 0.006)], (0, 0, 0), look.material, sides=28)
    build.turned([(0, 0.008), (0.5 * radius, 0.008), (0.9 * radius, 0.5 * height),
                  (radius, height), (0.94 * radius, height)], (0, 0, 0), look.material, sides=26)
    build.turned([(0.94 * radius, height), (0.84 * radius, 0.5 * height), (0, 0.2 * height)],
                 (0, 0, 0), look.trim, sides=26, solid=False)
    build.mesh(half_ring(0.45 * radius, 0.1 * radius, (0, 0.9 * radius, 0.58 * height)),
               look.material)


@LIBRARY.recipe('drinking glass', (0.075, 0.075, 0.14), 'glass', 'white_plastic')
def drinking_glass(build: Assembly, look: Look) -> None:
    """A tumbler, half full."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (0.8 * radius, 0), (radius, height), (0.93 * radius, height)],
                 (0, 0, 0), look.material, sides=22)
    build.turned([(0.93 * radius, height), (0.86 * radius, 0.55 * height),
                  (0, 0.55 * height)], (0, 0, 0), look.trim, sides=22, solid=False)


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


@LIBRARY.recipe('plate', (0.25, 0.25, 0.022), 'ceramic')
def plate(build: Assembly, look: Look) -> None:
    """A flat plate."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (0.6 * radius, 0), (radius, height), (0.97 * radius, height),
                  (0.62 * radius, 0.3 * height), (0, 0.3 * height)], (0, 0, 0), look.material,
                 sides=32)


@LIBRARY.recipe('fruit bowl', (0.28, 0.28, 0.14), 'ceramic', 'orange_skin', 'red_skin')
def fruit_bowl(build: Assembly, look: Look) -> None:
    """A bowl with oranges and apples."""
    radius, height = look.size[0] / 2, 0.62 * look.size[2]
    build.turned([(0, 0), (0.45 * radius, 0), (0.85 * radius, 0.55 * height), (radius, height),
                  (0.95 * radius, height), (0.78 * radius, 0.55 * height),
                  (0.40 * radius, 0.10 * height), (0, 0.10 * height)], (0, 0, 0), look.material,
                 sides=28)
    fruit = 0.075
    for k in range(5):
        spot = rotation_z(k * math.tau / 5) @ (0.5 * radius, 0, 0.055)
        build.pillow((fruit, fruit, fruit * 0.95), spot, look.face if k % 2 else look.trim,
                     boxiness=0)
    build.pillow((fruit, fruit, fruit), (0, 0, 0.095), 'green_skin', boxiness=0)


@LIBRARY.recipe('pot', (0.24, 0.34, 0.17), 'steel', 'black_plastic')
def pot(build: Assembly, look: Look) -> None:
    """A cooking pot with a lid and two grips."""
    radius, height = look.size[0] / 2, look.size[2]
    body = 0.78 * height
    build.turned([(0, 0), (0.95 * radius, 0), (radius, 0.02), (radius, body), (0, body)],
                 (0, 0, 0), look.material, sides=30)
    build.turned([(1.01 * radius, body), (0.8 * radius, body + 0.018), (0, body + 0.024)],
                 (0, 0, 0), look.material, sides=30, solid=False)
    build.cylinder(0.02, height - body - 0.01, (0, 0, body + 0.02), look.trim, sides=14,
                   solid=False)
    for side in (-1, 1):
        build.box((0.07, look.size[1] / 2 - radius + 0.006, 0.016),
                  (0, side * (look.size[1] / 2 + radius) / 2, 0.72 * body), look.trim,
                  rounding=0.006, solid=False)


@LIBRARY.recipe('kettle', (0.17, 0.22, 0.25), 'steel', 'black_plastic')
def kettle(build: Assembly, look: Look) -> None:
    """An electric kettle with its handle behind."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0.012), (radius, 0.012), (0.98 * radius, 0.05),
                  (0.70 * radius, height - 0.04), (0.60 * radius, height - 0.02),
                  (0.1 * radius, height - 0.012), (0.1 * radius, height), (0, height)],
                 (0, 0, 0), look.material, sides=28)
    build.cylinder(radius, 0.014, (0, 0, 0), look.trim, sides=28, solid=False)
    build.box((0.02, 0.026, height * 0.62), (-radius - 0.025, 0, height * 0.52), look.trim,
              rounding=0.01, segments=2, rotation=rotation_y(0.12), solid=False)
    build.box((0.07, 0.024, 0.02), (-radius + 0.005, 0, height * 0.82), look.trim, rounding=0.008,
              solid=False)
    build.box((0.05, 0.03, 0.03), (0.72 * radius, 0, height * 0.78), look.material, rounding=0.01,
              rotation=rotation_y(-0.5), solid=False)
