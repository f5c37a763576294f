"""Furniture and containers for storage."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_x, rotation_y, rotation_z


@LIBRARY.recipe('bookshelf', (0.30, 0.95, 1.9), 'oak', face='book_spines_a')
def bookshelf(build: Assembly, look: Look) -> None:
    """Shelves about 0.37 m apart, full of books."""
    depth, width, height = look.size
    board = 0.024
    for side in (-1, 1):
        build.box((depth, board, height), (0, side * (width - board) / 2, height / 2),
                  look.material, rounding=0.002)
    build.box((0.012, width, height), (-depth / 2 + 0.006, 0, height / 2), look.material,
              rounding=0.002)
    rows = max(2, round((height - 0.08) / 0.37))
    pitch = (height - board - 0.06) / rows
    for row in range(rows + 1):
        z = 0.06 + row * pitch
        build.box((depth, width - 2 * board, board), (0, 0, z), look.material, rounding=0.002)
        if row < rows:
            high = pitch - board - 0.03
            build.picture(width - 2 * board, high, (0.06, 0, z + board / 2 + high / 2), look.face)
            build.solid_box((depth / 2 + 0.05, width - 2 * board, high),
                            (-depth / 4 + 0.035, 0, z + board / 2 + high / 2))
    build.surface((0, 0, height), (depth - 0.1, width - 0.1))


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


@LIBRARY.recipe('wardrobe', (0.60, 1.5, 2.1), 'pine', 'steel')
def wardrobe(build: Assembly, look: Look) -> None:
    """A tall cupboard with doors of about 0.5 m."""
    depth, width, height = look.size
    build.box((depth, width, height - 0.06), (0, 0, (height + 0.06) / 2), look.material)
    build.box((depth - 0.04, width - 0.02, 0.08), (-0.02, 0, 0.04), 'black_plastic')
    doors = max(2, round(width / 0.5))
    wide = (width - 0.02) / doors
    for k in range(doors):
        y = (k - (doors - 1) / 2) * wide
        build.box((0.02, wide - 0.012, height - 0.12), (depth / 2 + 0.008, y, (height + 0.06) / 2),
                  look.material, rounding=0.005, solid=False)
        for low, high in ((0.16, 0.46), (0.50, 0.94)):
            build.box((0.012, wide - 0.16, (high - low) * height), (
                depth / 2 + 0.02, y, (low + high) / 2 * height), look.material, rounding=0.006,
                solid=False)
        edge = -1 if k % 2 else 1
        build.cylinder(0.009, 0.22, (depth / 2 + 0.045, y + edge * (wide / 2 - 0.05), 0.92),
                       look.trim, sides=8, solid=False)


@LIBRARY.recipe('cabinet', (0.34, 1.2, 0.70), 'white_paint', 'steel')
def cabinet(build: Assembly, look: Look) -> None:
    """A cabinet to hang on a wall."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material)
    doors = max(1, round(width / 0.4))
    wide = width / doors
    for k in range(doors):
        y = (k - (doors - 1) / 2) * wide
        build.box((0.02, wide - 0.008, height - 0.01), (depth / 2 + 0.008, y, height / 2),
                  look.material, rounding=0.006, solid=False)
        build.box((0.02, 0.12, 0.014), (depth / 2 + 0.03, y, 0.06), look.trim, rounding=0.005,
                  solid=False)


@LIBRARY.recipe('filing cabinet', (0.55, 0.45, 0.70), 'grey_paint', 'steel')
def filing_cabinet(build: Assembly, look: Look) -> None:
    """Three steel drawers."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material)
    for k in range(3):
        z = 0.04 + (k + 0.5) * (height - 0.06) / 3
        build.box((0.02, width - 0.02, (height - 0.06) / 3 - 0.012), (depth / 2 + 0.006, 0, z),
                  look.material, rounding=0.005, solid=False)
        build.box((0.02, 0.14, 0.02), (depth / 2 + 0.026, 0, z + 0.05), look.trim,
                  rounding=0.006, solid=False)
    build.surface((0, 0, height), (depth - 0.08, width - 0.08))


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


@LIBRARY.recipe('coat rack', (0.44, 0.44, 1.75), 'walnut', 'navy_fabric')
def coat_rack(build: Assembly, look: Look) -> None:
    """A pole with hooks and two coats on it."""
    depth, _, height = look.size
    build.cylinder(0.022, height, (0, 0, 0), look.material, sides=14)
    build.turned([(0, 0), (depth / 2, 0), (depth / 2 - 0.01, 0.02), (0.05, 0.04)], (0, 0, 0),
                 look.material, sides=28)
    for k in range(6):
        turn = rotation_z(k * math.tau / 6)
        build.box((0.14, 0.016, 0.016), turn @ (0.07, 0, height - 0.12 - 0.02 * (k % 2)),
                  look.material, rotation=turn @ rotation_y(-0.5), solid=False)
    for angle, cloth in ((0.4, look.trim), (2.6, 'beige_fabric')):
        turn = rotation_z(angle)
        build.pillow((0.16, 0.36, 0.95), turn @ (0.12, 0, height - 0.66), cloth, boxiness=0.4,
                     rotation=turn)


@LIBRARY.recipe('box', (0.34, 0.46, 0.32), 'cardboard', 'beige_fabric')
def box(build: Assembly, look: Look) -> None:
    """A closed cardboard box with tape along its lid."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.003)
    build.box((0.05, width + 0.002, 0.002), (0, 0, height), look.trim, rounding=0, solid=False)
    build.surface((0, 0, height), (depth - 0.1, width - 0.1))


@LIBRARY.recipe('basket', (0.42, 0.42, 0.50), 'wicker', 'white_fabric')
def basket(build: Assembly, look: Look) -> None:
    """A round basket with laundry in it."""
    depth, _, height = look.size
    radius = depth / 2
    build.turned([(0, 0), (0.82 * radius, 0), (radius, 0.7 * height), (0.97 * radius, height),
                  (0.9 * radius, height), (0.92 * radius, 0.75 * height)], (0, 0, 0),
                 look.material, sides=28)
    build.pillow((1.7 * radius, 1.6 * radius, 0.22), (0, 0, 0.86 * height), look.trim,
                 boxiness=0.3)


@LIBRARY.recipe('trash can', (0.30, 0.30, 0.46), 'steel', 'black_plastic')
def trash_can(build: Assembly, look: Look) -> None:
    """A pedal bin with a domed lid."""
    depth, _, height = look.size
    radius = depth / 2
    build.cylinder(radius, height - 0.06, (0, 0, 0), look.material, sides=28)
    build.turned([(radius, height - 0.06), (0.92 * radius, height - 0.025),
                  (0.5 * radius, height - 0.005), (0, height)], (0, 0, 0), look.trim, sides=28)
    build.box((0.05, 0.10, 0.02), (radius + 0.015, 0, 0.03), look.trim, solid=False)


@LIBRARY.recipe('umbrella stand', (0.24, 0.24, 0.88), 'black_metal', 'navy_fabric')
def umbrella_stand(build: Assembly, look: Look) -> None:
    """A metal bin with a closed umbrella in it."""
    radius, height = look.size[0] / 2, 0.58 * look.size[2]
    build.turned([(0, 0), (radius, 0), (radius, height), (radius - 0.01, height),
                  (radius - 0.01, 0.02), (0, 0.02)], (0, 0, 0), look.material, sides=24)
    lean = rotation_x(0.10)
    top = 0.84 * look.size[2]
    build.turned([(0.01, 0.05), (0.035, 0.4 * top), (0.028, 0.92 * top), (0.01, top)],
                 (0, 0.02, 0), look.trim, sides=12, rotation=lean, solid=False)
    build.cylinder(0.012, 0.16 * look.size[2], lean @ (0, 0.02, top), 'walnut', sides=10,
                   rotation=lean, solid=False)
