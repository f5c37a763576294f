"""Bathroom furniture."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_y


@LIBRARY.recipe('toilet', (0.68, 0.38, 0.80), 'ceramic', 'white_plastic')
def toilet(build: Assembly, look: Look) -> None:
    """A bowl with its lid down before a cistern."""
    depth, width, height = look.size
    bowl, front = 0.20, depth / 2 - 0.22
    build.turned([(0, 0), (0.13, 0), (0.12, 0.10), (0.15, 0.24), (bowl - 0.01, 0.36),
                  (bowl, 0.40), (0, 0.40)], (front, 0, 0), look.material, sides=28)
    build.box((0.30, 0.24, 0.38), (front - 0.16, 0, 0.20), look.material, rounding=0.05,
              segments=2)
    build.turned([(0, 0.40), (bowl + 0.005, 0.40), (bowl + 0.005, 0.425), (bowl - 0.02, 0.44),
                  (0, 0.44)], (front, 0, 0), look.trim, sides=28)
    build.box((0.18, width, height - 0.40), (-depth / 2 + 0.09, 0, (height + 0.40) / 2),
              look.material, rounding=0.03, segments=2)
    build.cylinder(0.02, 0.01, (-depth / 2 + 0.09, 0, height), 'steel', sides=14, solid=False)


@LIBRARY.recipe('sink', (0.46, 0.60, 0.86), 'ceramic', 'white_paint')
def sink(build: Assembly, look: Look) -> None:
    """A washbasin on a cupboard, with a tap."""
    depth, width, height = look.size
    build.box((depth - 0.06, width - 0.06, height - 0.22), (-0.03, 0, height / 2 - 0.03),
              look.trim)
    for side in (-1, 1):
        build.box((0.016, (width - 0.06) / 2 - 0.012, height - 0.26),
                  (depth / 2 - 0.055, side * (width - 0.06) / 4, height / 2 - 0.03), look.trim,
                  solid=False)
        build.box((0.016, 0.012, 0.14), (depth / 2 - 0.035, side * 0.03, height - 0.28), 'steel',
                  solid=False)
    build.box((depth, width, 0.13), (0, 0, height - 0.065), look.material, rounding=0.035,
              segments=3)
    build.turned([(0.155, height + 0.002), (0.13, height + 0.001), (0, height + 0.001)][::-1],
                 (0.02, 0, 0), 'grey_plastic', sides=28, solid=False)
    build.cylinder(0.014, 0.14, (-depth / 2 + 0.06, 0, height), 'steel', sides=12, solid=False)
    build.box((0.13, 0.024, 0.022), (-depth / 2 + 0.11, 0, height + 0.13), 'steel',
              rounding=0.009, solid=False)
    build.surface((-0.05, width / 2 - 0.08, height), (0.2, 0.1))


@LIBRARY.recipe('bathtub', (0.76, 1.7, 0.56), 'ceramic', 'white_paint')
def bathtub(build: Assembly, look: Look) -> None:
    """A panelled tub; its front is one long side."""
    depth, width, height = look.size
    rim = 0.07
    for side in (-1, 1):
        build.box((rim, width, height), (side * (depth - rim) / 2, 0, height / 2), look.material,
                  rounding=0.025, segments=3)
        build.box((depth, rim, height), (0, side * (width - rim) / 2, height / 2), look.material,
                  rounding=0.025, segments=3)
    build.box((depth - rim, width - rim, 0.14), (0, 0, 0.07), look.material, rounding=0.02)
    build.cylinder(0.016, 0.16, (0, -width / 2 + 0.035, height), 'steel', sides=12, solid=False)
    build.box((0.02, 0.16, 0.02), (0, -width / 2 + 0.10, height + 0.15), 'steel', rounding=0.008,
              solid=False)


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


@LIBRARY.recipe('washing machine', (0.60, 0.60, 0.85), 'white_plastic', 'steel')
def washing_machine(build: Assembly, look: Look) -> None:
    """A front loader with a round door."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.014)
    forward = rotation_y(math.pi / 2)
    front, z = depth / 2, 0.45 * height
    build.turned([(0.13, 0), (0.15, 0.025), (0.175, 0.03), (0.19, 0.015), (0.19, 0)][::-1],
                 (front, 0, z), look.trim, sides=32, rotation=forward, solid=False)
    build.cylinder(0.135, 0.012, (front, 0, z), 'black_plastic', sides=28, rotation=forward,
                   solid=False)
    build.box((0.006, width - 0.02, 0.11), (front + 0.002, 0, height - 0.07), 'grey_plastic',
              rounding=0.002, solid=False)
    build.cylinder(0.03, 0.02, (front, 0.0, height - 0.07), look.trim, sides=18, rotation=forward,
                   solid=False)
    build.box((0.01, 0.16, 0.07), (front + 0.004, width / 2 - 0.12, height - 0.07),
              look.material, rounding=0.003, solid=False)
    build.surface((0, 0, height), (depth - 0.1, width - 0.1))


@LIBRARY.recipe('towel rack', (0.10, 0.56, 0.60), 'teal_fabric', 'steel')
def towel_rack(build: Assembly, look: Look) -> None:
    """A rail with a towel over it, for a wall."""
    depth, width, height = look.size
    rail = height - 0.04
    for side in (-1, 1):
        build.box((depth, 0.02, 0.02), (0, side * (width / 2 - 0.01), rail), look.trim)
    build.box((0.018, width, 0.018), (depth / 2 - 0.015, 0, rail), look.trim, rounding=0.008)
    build.box((0.045, width - 0.14, height - 0.04), (depth / 2 - 0.015, 0, height / 2 - 0.01),
              look.material, rounding=0.02, segments=2)
