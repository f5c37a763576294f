"""Household supplies: for laundry, cleaning and heating."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import half_ring, rotation_x, rotation_y, rotation_z


@LIBRARY.recipe('soap dispenser', (0.07, 0.07, 0.18), 'white_plastic', 'steel')
def soap_dispenser(build: Assembly, look: Look) -> None:
    """A bottle with a pump."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, 0.58 * height), (0.5 * radius, 0.68 * height),
                  (0.4 * radius, 0.74 * height), (0, 0.74 * height)], (0, 0, 0), look.material,
                 sides=20)
    build.cylinder(0.006, 0.22 * height, (0, 0, 0.74 * height), look.trim, sides=8, solid=False)
    build.box((0.06, 0.016, 0.014), (0.018, 0, 0.97 * height), look.trim, solid=False)


@LIBRARY.recipe('tissue box', (0.13, 0.24, 0.14), 'blue_paint', 'white_fabric')
def tissue_box(build: Assembly, look: Look) -> None:
    """A box with a tissue that sticks out."""
    depth, width, height = look.size
    body = 0.65 * height
    build.box((depth, width, body), (0, 0, body / 2), look.material, rounding=0.004)
    build.pillow((0.05, 0.09, 0.8 * height), (0, 0, 0.65 * height), look.trim, boxiness=0.2)


@LIBRARY.recipe('toilet paper', (0.12, 0.12, 0.11), 'white_fabric', 'cardboard')
def toilet_paper(build: Assembly, look: Look) -> None:
    """A roll that stands upright."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, height), (0.36 * radius, height)], (0, 0, 0),
                 look.material, sides=26)
    build.turned([(0.36 * radius, height), (0.36 * radius, 0.2 * height), (0, 0.2 * height)],
                 (0, 0, 0), look.trim, sides=20, solid=False)


@LIBRARY.recipe('candle', (0.09, 0.09, 0.17), 'red_skin', 'brass')
def candle(build: Assembly, look: Look) -> None:
    """A thick candle on a plate."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, 0.012), (0, 0.012)], (0, 0, 0), look.trim)
    build.cylinder(0.7 * radius, height - 0.04, (0, 0, 0.012), look.material)
    build.cylinder(0.003, 0.02, (0, 0, height - 0.03), 'black_plastic', sides=6, solid=False)


@LIBRARY.recipe('bucket', (0.28, 0.28, 0.27), 'blue_glaze', 'steel')
def bucket(build: Assembly, look: Look) -> None:
    """A bucket with its handle down."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (0.72 * radius, 0), (0.97 * radius, height), (radius, height),
                  (0.93 * radius, height), (0.7 * radius, 0.04), (0, 0.04)], (0, 0, 0),
                 look.material, sides=28)
    bow = half_ring(0.95 * radius, 0.006, (0, 0, 0))
    build.mesh(bow.moved(rotation_y(math.pi / 2 - 0.25) @ rotation_z(-math.pi / 2),
                         (0, 0, 0.9 * height)), look.trim)


@LIBRARY.recipe('watering can', (0.36, 0.18, 0.26), 'green_glaze', 'green_glaze')
def watering_can(build: Assembly, look: Look) -> None:
    """A can with a long spout."""
    _, width, height = look.size
    radius, body = width / 2, 0.65 * height
    build.cylinder(radius, body, (-0.06, 0, 0), look.material, sides=26)
    spout = rotation_y(0.9)
    build.turned([(0.022, 0), (0.012, 0.26)], (-0.02, 0, 0.25 * height), look.material, sides=12,
                 rotation=spout, solid=False)
    build.mesh(half_ring(0.09, 0.011, (0, 0, 0)).moved(rotation_z(math.pi / 2),
                                                     (-0.09, 0, 0.6 * height)), look.material)


@LIBRARY.recipe('ironing board', (0.36, 1.2, 0.88), 'blue_fabric', 'steel')
def ironing_board(build: Assembly, look: Look) -> None:
    """A padded board on crossed legs."""
    depth, width, height = look.size
    build.box((depth, width * 0.8, 0.04), (0, width * 0.1, height - 0.02), look.material,
              rounding=0.018, segments=2)
    build.box((depth * 0.6, width * 0.24, 0.04), (0, -width * 0.38, height - 0.02), look.material,
              rounding=0.018, segments=2)
    long = math.hypot(width * 0.6, height - 0.06)
    lean = math.atan2(width * 0.6, height - 0.06)
    for x, sign in ((-0.10, 1), (0.10, -1)):
        build.box((0.025, 0.025, long), (x, 0, (height - 0.05) / 2), look.trim,
                  rotation=rotation_x(sign * lean))
    for side in (-1, 1):
        build.box((depth, 0.025, 0.025), (0, side * width * 0.3, 0.0125), look.trim)
    build.surface((0, width * 0.15, height), (depth - 0.16, width * 0.5))


@LIBRARY.recipe('radiator', (0.09, 1.0, 0.58), 'white_paint', 'steel')
def radiator(build: Assembly, look: Look) -> None:
    """Upright ribs, a hand above the floor."""
    depth, width, height = look.size
    foot = 0.10
    build.solid_box((depth, width, height - foot), (0, 0, (height + foot) / 2))
    build.box((depth * 0.4, width, height - foot), (0, 0, (height + foot) / 2), look.material,
              solid=False)
    ribs = max(4, round(width / 0.07))
    for k in range(ribs):
        build.box((depth, width / ribs * 0.6, height - foot - 0.03),
                  (0, (k - (ribs - 1) / 2) * width / ribs, (height + foot) / 2), look.material,
                  rounding=0.012, solid=False)
    for side in (-1, 1):
        build.cylinder(0.012, foot, (0, side * (width / 2 - 0.06), 0), look.trim, sides=8)
    build.cylinder(0.022, 0.06, (0, width / 2, height - 0.10), 'white_plastic', sides=12,
                   rotation=rotation_x(-math.pi / 2), solid=False)
