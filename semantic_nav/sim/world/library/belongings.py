"""Small things that people own: tableware, toys, clothes, what lies about."""

import math

from semantic_nav.sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav.sim.world.meshes import half_ring, rotation_x, rotation_y, rotation_z


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


@LIBRARY.recipe('candle', (0.09, 0.09, 0.17), 'red_skin', 'brass')
def candle(build: Assembly, look: Look) -> None:
    """A thick candle on a plate."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, 0.012), (0, 0.012)], (0, 0, 0), look.trim)
    build.cylinder(0.7 * radius, height - 0.04, (0, 0, 0.012), look.material)
    build.cylinder(0.003, 0.02, (0, 0, height - 0.03), 'black_plastic', sides=6, solid=False)


@LIBRARY.recipe('photo frame', (0.10, 0.18, 0.24), 'oak', face='landscape_lake')
def photo_frame(build: Assembly, look: Look) -> None:
    """A framed photograph that leans on its stand."""
    depth, width, height = look.size
    lean = rotation_y(-0.22)
    build.box((0.016, width, height), lean @ (0, 0, height / 2), look.material, rounding=0.004,
              rotation=lean, solid=False)
    build.picture(width - 0.04, height - 0.04, lean @ (0.0086, 0, height / 2), look.face, lean)
    build.solid_box((depth * 0.6, width, height * 0.95), (-0.02, 0, height * 0.475))


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


@LIBRARY.recipe('hat', (0.30, 0.30, 0.13), 'wicker', 'red_fabric')
def hat(build: Assembly, look: Look) -> None:
    """A hat with a brim and a band."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, 0), (radius, 0.004), (radius, 0.01), (0.56 * radius, 0.02),
                  (0.50 * radius, 0.85 * height), (0.38 * radius, height), (0, height)],
                 (0, 0, 0), look.material, sides=30)
    build.turned([(0.57 * radius, 0.02), (0.56 * radius, 0.045)], (0, 0, 0), look.trim, sides=30,
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


@LIBRARY.recipe('phone', (0.15, 0.075, 0.012), 'black_plastic', 'grey_plastic')
def phone(build: Assembly, look: Look) -> None:
    """A telephone that lies on its back."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.004)
    build.box((depth - 0.012, width - 0.008, 0.001), (0, 0, height), look.trim, rounding=0,
              solid=False)


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
