"""Musical instruments."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_y


@LIBRARY.recipe('guitar', (0.20, 0.38, 1.0), 'pine', 'walnut')
def guitar(build: Assembly, look: Look) -> None:
    """A guitar on a small stand; it leans back."""
    _, width, height = look.size
    lean = rotation_y(-0.16)
    for z, share in ((0.20, 1.0), (0.40, 0.78)):
        build.cylinder(share * width / 2, 0.085, lean @ (-0.04, 0, z * height + 0.03),
                       look.material, sides=26, rotation=lean @ rotation_y(math.pi / 2),
                       solid=False)
    build.cylinder(0.05, 0.004, lean @ (0.045, 0, 0.37 * height), 'black_plastic', sides=20,
                   rotation=lean @ rotation_y(math.pi / 2), solid=False)
    build.box((0.03, 0.05, 0.56 * height), lean @ (0.035, 0, 0.74 * height), look.trim,
              rotation=lean, solid=False)
    build.box((0.02, 0.08, 0.12), lean @ (0.03, 0, 1.0 * height - 0.02), look.trim, rotation=lean,
              solid=False)
    build.box((0.16, 0.2, 0.02), (-0.02, 0, 0.01), 'black_metal')
    build.box((0.02, 0.02, 0.3), (-0.10, 0, 0.15), 'black_metal')
    build.solid_box((0.14, width * 0.9, 0.55 * height), (-0.02, 0, 0.29 * height))


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
