"""Kitchen furniture and appliances."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_y

PLINTH_M = 0.10
WORKTOP_M = 0.04


def _base_unit(build: Assembly, look: Look) -> None:
    """Build the carcass and plinth of a kitchen unit, without its worktop and fronts."""
    depth, width, height = look.size
    build.box((depth - 0.04, width, height - PLINTH_M - WORKTOP_M),
              (-0.01, 0, (height - WORKTOP_M + PLINTH_M) / 2), look.material, rounding=0.003)
    build.box((depth - 0.12, width, PLINTH_M), (-0.05, 0, PLINTH_M / 2), 'black_plastic',
              rounding=0.002)


@LIBRARY.recipe('kitchen counter', (0.60, 2.3, 0.90), 'white_paint', 'marble')
def kitchen_counter(build: Assembly, look: Look) -> None:
    """Units under a stone worktop with a sink in its middle."""
    depth, width, height = look.size
    _base_unit(build, look)
    build.box((depth + 0.02, width, WORKTOP_M), (0, 0, height - WORKTOP_M / 2), look.trim,
              rounding=0.006)
    build.box((0.014, width, 0.12), (-depth / 2 + 0.007, 0, height + 0.06), look.trim,
              solid=False)
    units = max(1, round(width / 0.58))
    wide = width / units
    front = depth / 2 - 0.03
    for k in range(units):
        y = (k - (units - 1) / 2) * wide
        for low, high in ((PLINTH_M, 0.66), (0.665, height - WORKTOP_M)):
            build.box((0.02, wide - 0.012, high - low - 0.012),
                      (front + 0.008, y, (low + high) / 2), look.material, rounding=0.005,
                      solid=False)
            build.box((0.02, 0.18, 0.012), (front + 0.028, y, high - 0.06), 'steel',
                      rounding=0.005, solid=False)
    build.box((0.40, 0.54, 0.008), (0.02, 0, height + 0.002), 'steel', rounding=0.003, solid=False)
    build.box((0.32, 0.44, 0.004), (0.02, 0, height + 0.0065), 'grey_plastic', rounding=0.001,
              solid=False)
    build.cylinder(0.013, 0.26, (-0.22, 0, height), 'steel', sides=12, solid=False)
    build.box((0.20, 0.022, 0.022), (-0.13, 0, height + 0.25), 'steel', rounding=0.009,
              solid=False)
    free = (width - 0.66) / 2
    build.surface((0.02, (width - free) / 2, height), (depth - 0.16, free - 0.08), 'left')
    build.surface((0.02, -(width - free) / 2, height), (depth - 0.16, free - 0.08), 'top')


@LIBRARY.recipe('stove', (0.60, 0.60, 0.90), 'white_paint', 'black_plastic')
def stove(build: Assembly, look: Look) -> None:
    """A cooker with an oven, four plates and knobs."""
    depth, width, height = look.size
    _base_unit(build, look)
    build.box((depth + 0.01, width, WORKTOP_M), (0, 0, height - WORKTOP_M / 2), look.trim,
              rounding=0.005)
    front = depth / 2 - 0.03
    build.box((0.024, width - 0.02, 0.46), (front + 0.01, 0, 0.40), look.trim, rounding=0.006,
              solid=False)
    build.box((0.006, width - 0.16, 0.26), (front + 0.024, 0, 0.38), 'grey_plastic',
              rounding=0.002, solid=False)
    build.box((0.025, width - 0.14, 0.018), (front + 0.045, 0, 0.60), 'steel', rounding=0.007,
              solid=False)
    build.box((0.02, width - 0.02, 0.12), (front + 0.008, 0, 0.74), 'steel', rounding=0.004,
              solid=False)
    for k in range(5):
        build.cylinder(0.018, 0.025, (front + 0.015, (k - 2) * 0.1, 0.74), look.trim, sides=12,
                       rotation=rotation_y(math.pi / 2), solid=False)
    for x, y, r in ((-0.12, -0.14, 0.09), (-0.12, 0.14, 0.07), (0.13, -0.14, 0.07),
                    (0.13, 0.14, 0.10)):
        build.cylinder(r, 0.008, (x, y, height), 'grey_plastic', sides=24, solid=False)
        build.cylinder(r - 0.02, 0.0095, (x, y, height), 'black_metal', sides=24, solid=False)
    build.surface((0.0, 0.0, height + 0.01), (0.4, 0.4))


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


@LIBRARY.recipe('refrigerator', (0.64, 0.66, 1.80), 'steel', 'black_plastic')
def refrigerator(build: Assembly, look: Look) -> None:
    """A tall fridge with its freezer below."""
    depth, width, height = look.size
    build.box((depth - 0.05, width, height - 0.03), (-0.025, 0, (height + 0.03) / 2),
              'grey_plastic', rounding=0.012)
    for low, high in ((0.04, 0.62), (0.63, height - 0.005)):
        build.box((0.05, width - 0.006, high - low), (depth / 2 - 0.02, 0, (low + high) / 2),
                  look.material, rounding=0.014, segments=2, solid=False)
        grip = min(0.4, (high - low) * 0.5)
        z = 0.66 if low > 0.3 else high - grip - 0.04
        build.cylinder(0.011, grip, (depth / 2 + 0.045, width / 2 - 0.06, z), look.trim, sides=10,
                       solid=False)
    build.solid_box((depth, width, height), (0, 0, height / 2))


@LIBRARY.recipe('microwave', (0.36, 0.50, 0.29), 'black_plastic', 'steel', 'digital_clock')
def microwave(build: Assembly, look: Look) -> None:
    """A microwave oven with a dark door."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.trim, rounding=0.01)
    build.box((0.014, width * 0.70, height - 0.03), (depth / 2 + 0.004, width * 0.13, height / 2),
              look.material, rounding=0.004, solid=False)
    build.box((0.02, 0.016, height - 0.08), (depth / 2 + 0.024, -width * 0.2, height / 2),
              look.trim, rounding=0.006, solid=False)
    build.picture(0.08, 0.035, (depth / 2 + 0.002, -width * 0.36, height - 0.06), look.face)
    for k in range(3):
        build.cylinder(0.012, 0.008, (depth / 2, -width * 0.36, 0.06 + 0.045 * k), look.material,
                       sides=12, rotation=rotation_y(math.pi / 2), solid=False)


@LIBRARY.recipe('toaster', (0.18, 0.29, 0.19), 'steel', 'black_plastic')
def toaster(build: Assembly, look: Look) -> None:
    """A toaster for two slices."""
    depth, width, height = look.size
    build.box((depth, width, height - 0.02), (0, 0, height / 2 + 0.005), look.material,
              rounding=0.035, segments=3)
    build.box((depth - 0.03, width - 0.03, 0.02), (0, 0, 0.012), look.trim, solid=False)
    for x in (-0.03, 0.03):
        build.box((0.022, width - 0.09, 0.004), (x, 0, height - 0.004), look.trim,
                  rounding=0.001, solid=False)
    build.box((0.03, 0.03, 0.015), (0, -width / 2 - 0.01, height * 0.6), look.trim, solid=False)
