"""What else stands in a home: shower, dishwasher, radiator, toy chest, piano and their like."""

import math

from semantic_nav.sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav.sim.world.meshes import rotation_x, rotation_y


@LIBRARY.recipe('shower', (0.9, 0.9, 2.0), 'ceramic', 'steel', 'glass')
def shower(build: Assembly, look: Look) -> None:
    """A tray with a glass screen on its left and a rod with a head at its back."""
    depth, width, height = look.size
    build.box((depth, width, 0.12), (0, 0, 0.06), look.material, rounding=0.02, segments=2)
    build.box((depth - 0.12, width - 0.12, 0.004), (0, 0, 0.121), 'grey_plastic', rounding=0.001,
              solid=False)
    for z in (0.14, height - 0.01):
        build.box((depth, 0.022, 0.022), (0, width / 2 - 0.012, z), look.trim, solid=False)
    for x in (-depth / 2 + 0.012, depth / 2 - 0.012):
        build.box((0.022, 0.022, height - 0.12), (x, width / 2 - 0.012, (height + 0.12) / 2),
                  look.trim)
    # Half a screen, as there is no transparent material: the front half stays open.
    build.box((depth * 0.45, 0.012, height - 0.18), (-depth * 0.26, width / 2 - 0.012,
                                                     height / 2 + 0.06), look.face, solid=False)
    build.cylinder(0.011, 1.0, (-depth / 2 + 0.06, 0, 0.9), look.trim, sides=10)
    build.box((0.22, 0.02, 0.02), (-depth / 2 + 0.15, 0, 1.9), look.trim, solid=False)
    build.cylinder(0.10, 0.02, (-depth / 2 + 0.26, 0, 1.87), look.trim, sides=20, solid=False)
    build.box((0.05, 0.16, 0.05), (-depth / 2 + 0.04, 0, 1.05), look.trim, rounding=0.015,
              solid=False)


@LIBRARY.recipe('dishwasher', (0.60, 0.60, 0.86), 'white_plastic', 'marble')
def dishwasher(build: Assembly, look: Look) -> None:
    """A flat front with a bar to open it, under a piece of worktop."""
    depth, width, height = look.size
    build.box((depth - 0.03, width, height - 0.14), (-0.015, 0, (height - 0.04 + 0.10) / 2),
              look.material, rounding=0.005)
    build.box((depth - 0.10, width, 0.10), (-0.05, 0, 0.05), 'black_plastic', rounding=0.002)
    build.box((depth, width, 0.04), (0, 0, height - 0.02), look.trim)
    front = depth / 2 - 0.03
    build.box((0.02, width - 0.02, 0.09), (front + 0.01, 0, height - 0.10), 'grey_plastic',
              rounding=0.004, solid=False)
    build.box((0.02, width - 0.14, 0.02), (front + 0.035, 0, height - 0.19), 'steel',
              rounding=0.008, solid=False)
    build.surface((0, 0, height), (depth - 0.14, width - 0.1))


@LIBRARY.recipe('toy chest', (0.42, 0.8, 0.45), 'red_glaze', 'yellow_plastic')
def toy_chest(build: Assembly, look: Look) -> None:
    """A chest with a lid that overhangs, and two round grips."""
    depth, width, height = look.size
    build.box((depth - 0.03, width - 0.03, height - 0.05), (0, 0, (height - 0.05) / 2),
              look.material, rounding=0.01)
    build.box((depth, width, 0.05), (0, 0, height - 0.025), look.trim, rounding=0.015, segments=2)
    for side in (-1, 1):
        build.cylinder(0.04, 0.012, (depth / 2 - 0.016, side * width / 4, height * 0.5), look.trim,
                       sides=18, rotation=rotation_y(math.pi / 2), solid=False)
    build.surface((0, 0, height), (depth - 0.1, width - 0.12))


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


@LIBRARY.recipe('piano', (0.60, 1.45, 1.15), 'black_wood', 'ceramic')
def piano(build: Assembly, look: Look) -> None:
    """An upright piano with its keys."""
    depth, width, height = look.size
    back = 0.32
    build.box((back, width, height), (-(depth - back) / 2, 0, height / 2), look.material,
              rounding=0.01)
    build.box((depth - back, width, 0.14), (back / 2, 0, 0.66), look.material, rounding=0.01)
    build.box((0.15, width - 0.16, 0.02), (depth / 2 - 0.10, 0, 0.735), look.trim, rounding=0.002,
              solid=False)
    for octave in range(7):
        for key in (0, 1, 3, 4, 5):
            y = (octave - 3) * (width - 0.16) / 7 + (key - 2.7) * (width - 0.16) / 49
            build.box((0.09, 0.011, 0.012), (depth / 2 - 0.13, y, 0.75), 'black_plastic',
                      rounding=0.001, solid=False)
    for side in (-1, 1):
        build.box((0.07, 0.07, 0.60), (depth / 2 - 0.06, side * (width / 2 - 0.06), 0.30),
                  look.material)
    build.surface((-(depth - back) / 2, 0, height), (back - 0.08, width - 0.2))


@LIBRARY.recipe('wall shelf', (0.22, 0.8, 0.24), 'oak', 'black_metal', 'book_spines_a')
def wall_shelf(build: Assembly, look: Look) -> None:
    """A board on two brackets with a row of books, to hang on a wall."""
    depth, width, height = look.size
    build.box((depth, width, 0.026), (0, 0, 0.013), look.material, rounding=0.004)
    for side in (-1, 1):
        build.box((depth - 0.04, 0.02, 0.02), (-0.02, side * width * 0.35, -0.008), look.trim,
                  solid=False)
    books = width * 0.62
    build.box((depth * 0.65, books, height - 0.03), (-depth * 0.12, (width - books) / 2 - 0.03,
                                                     0.026 + (height - 0.03) / 2), 'soil',
              rounding=0.002)
    build.picture(books, height - 0.03, (depth * 0.207, (width - books) / 2 - 0.03,
                                         0.026 + (height - 0.03) / 2), look.face)
