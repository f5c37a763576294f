"""Seating."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_x, rotation_y, rotation_z


def _upholstered(build: Assembly, look: Look, seats: int) -> None:
    """Build a sofa or an armchair: base, back, two arms, loose seats and backs, feet."""
    depth, width, height = look.size
    arm, back, foot, seat_top = 0.17, 0.20, 0.11, 0.46
    inner = width - 2 * arm
    cloth = look.material
    build.box((depth, width, 0.20), (0, 0, foot + 0.10), cloth, rounding=0.03, segments=2)
    build.box((back, width, height - foot), (-depth / 2 + back / 2, 0, (height + foot) / 2), cloth,
              rounding=0.07, segments=3)
    for side in (-1, 1):
        build.box((depth, arm, 0.62 - foot), (0, side * (width - arm) / 2, (0.62 + foot) / 2),
                  cloth, rounding=0.06, segments=3)
    wide = inner / seats
    for k in range(seats):
        y = (k - (seats - 1) / 2) * wide
        build.box((depth - back - 0.01, wide - 0.012, 0.17), (back / 2, y, seat_top - 0.085),
                  cloth, rounding=0.05, segments=3, solid=False)
        build.box((0.17, wide - 0.03, 0.40), (-depth / 2 + back + 0.06, y, seat_top + 0.17),
                  cloth, rounding=0.07, segments=3, rotation=rotation_y(-0.16), solid=False)
    build.solid_box((depth, width, seat_top - foot), (0, 0, (seat_top + foot) / 2))
    build.legs(depth, width, foot, 0.05, look.trim, inset=0.05)
    build.surface((0.12, 0, seat_top), (depth - 0.5, inner), 'seat')
    build.surface((0.0, (width - arm) / 2, 0.62), (depth - 0.3, arm), 'arm')


@LIBRARY.recipe('sofa', (0.92, 2.1, 0.84), 'blue_fabric')
def sofa(build: Assembly, look: Look) -> None:
    """A sofa with as many seats as fit its width."""
    _upholstered(build, look, seats=max(2, round((look.size[1] - 0.34) / 0.85)))


@LIBRARY.recipe('armchair', (0.82, 0.86, 0.84), 'brown_leather')
def armchair(build: Assembly, look: Look) -> None:
    """A sofa for one."""
    _upholstered(build, look, seats=1)


@LIBRARY.recipe('chair', (0.46, 0.44, 0.90), 'pine', 'grey_fabric')
def chair(build: Assembly, look: Look) -> None:
    """A wooden chair with three slats and a thin cushion."""
    depth, width, height = look.size
    seat = 0.45
    build.legs(depth, width, seat - 0.03, 0.038, look.material)
    build.box((depth, width, 0.03), (0, 0, seat - 0.015), look.material, rounding=0.012)
    build.box((depth - 0.07, width - 0.05, 0.035), (0.02, 0, seat + 0.015), look.trim,
              rounding=0.016, segments=2, solid=False)
    lean = rotation_y(-0.10)
    for side in (-1, 1):
        build.box((0.032, 0.036, height - seat + 0.02),
                  (-depth / 2, side * (width / 2 - 0.02), (height + seat) / 2), look.material,
                  rotation=lean)
    for share in (0.42, 0.66, 0.90):
        z = seat + share * (height - seat)
        build.box((0.018, width - 0.05, 0.075), (-depth / 2 - 0.05 * (share - 0.5), 0, z),
                  look.material, rotation=lean)
    build.surface((0, 0, seat + 0.03), (depth - 0.1, width - 0.1), 'seat')


@LIBRARY.recipe('office chair', (0.60, 0.60, 1.0), 'black_leather', 'black_plastic')
def office_chair(build: Assembly, look: Look) -> None:
    """A swivel chair on five castors."""
    _, width, height = look.size
    seat = 0.48
    build.box((0.48, 0.50, 0.09), (0.02, 0, seat - 0.03), look.material, rounding=0.04,
              segments=3)
    build.box((0.08, 0.46, height - seat - 0.10), (-0.23, 0, (height + seat + 0.1) / 2),
              look.material, rounding=0.035, segments=3, rotation=rotation_y(-0.12))
    build.box((0.03, 0.07, 0.22), (-0.235, 0, seat + 0.06), look.trim)
    for side in (-1, 1):
        build.box((0.03, 0.03, 0.20), (0, side * 0.27, seat + 0.08), look.trim)
        build.box((0.26, 0.055, 0.03), (0.02, side * 0.27, seat + 0.19), look.trim,
                  rounding=0.012)
    build.cylinder(0.026, seat - 0.16, (0, 0, 0.09), 'steel', sides=14)
    for k in range(5):
        turn = rotation_z(k * math.tau / 5)
        spoke = width / 2 - 0.03
        build.box((spoke, 0.045, 0.03), turn @ (spoke / 2, 0, 0.09), look.trim, rounding=0.012,
                  rotation=turn)
        build.cylinder(0.028, 0.045, turn @ (spoke, -0.0225, 0.03), 'black_plastic', sides=10,
                       rotation=turn @ rotation_x(-math.pi / 2))


@LIBRARY.recipe('bench', (0.34, 1.0, 0.46), 'oak', 'beige_fabric')
def bench(build: Assembly, look: Look) -> None:
    """A bench with a shelf for shoes and a flat cushion."""
    depth, width, height = look.size
    build.box((depth, width, 0.03), (0, 0, height - 0.055), look.material)
    build.box((depth - 0.02, width - 0.02, 0.05), (0, 0, height - 0.025), look.trim,
              rounding=0.02, segments=2)
    for side in (-1, 1):
        build.box((depth, 0.03, height - 0.07), (0, side * (width / 2 - 0.015),
                                                 (height - 0.07) / 2), look.material)
    build.box((depth - 0.02, width - 0.06, 0.02), (0, 0, 0.14), look.material)
    build.surface((0, 0, height), (depth - 0.06, width - 0.1))
    build.surface((0, 0, 0.15), (depth - 0.06, width - 0.1), 'shelf')


@LIBRARY.recipe('stool', (0.36, 0.36, 0.46), 'oak')
def stool(build: Assembly, look: Look) -> None:
    """A round stool on four legs."""
    depth, width, height = look.size
    build.turned([(0, height - 0.03), (depth / 2 - 0.01, height - 0.03),
                  (depth / 2, height - 0.02), (depth / 2 - 0.01, height), (0, height)],
                 (0, 0, 0), look.material, sides=28)
    build.legs(depth, width, height - 0.03, 0.034, look.material, inset=0.05)
    build.surface((0, 0, height), (0.7 * depth, 0.7 * width))
