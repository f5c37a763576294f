"""Tables and chests: furniture with a top."""

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look


def _table(build: Assembly, look: Look, *, board: float, leg: float, apron: float = 0.0) -> None:
    """Build a board on four legs, with an apron under it if it has a height."""
    depth, width, height = look.size
    build.box((depth, width, board), (0, 0, height - board / 2), look.material, rounding=0.01)
    build.legs(depth, width, height - board, leg, look.trim, inset=0.04)
    if apron > 0:
        z = height - board - apron / 2
        for side in (-1, 1):
            build.box((depth - 0.16, 0.02, apron), (0, side * (width / 2 - 0.07), z), look.trim,
                      solid=False)
            build.box((0.02, width - 0.16, apron), (side * (depth / 2 - 0.07), 0, z), look.trim,
                      solid=False)
    build.surface((0, 0, height), (depth - 0.12, width - 0.12))


def _drawers(build: Assembly, *, x: float, middle: float, width: float, bottom: float, top: float,
             rows: int, columns: int, material: str, knob: str) -> None:
    """Put fronts with handles on a carcass whose front stands at x."""
    high, wide = (top - bottom) / rows, width / columns
    for row in range(rows):
        z = bottom + (row + 0.5) * high
        for column in range(columns):
            y = middle + (column - (columns - 1) / 2) * wide
            build.box((0.016, wide - 0.014, high - 0.014), (x + 0.006, y, z), material,
                      rounding=0.004, solid=False)
            build.box((0.018, min(0.14, wide / 2), 0.014), (x + 0.028, y, z + high / 4), knob,
                      rounding=0.005, solid=False)


@LIBRARY.recipe('dining table', (1.5, 0.9, 0.75), 'pine', 'pine')
def dining_table(build: Assembly, look: Look) -> None:
    """A solid wooden table."""
    _table(build, look, board=0.035, leg=0.065, apron=0.08)


@LIBRARY.recipe('coffee table', (0.6, 1.1, 0.45), 'oak', 'oak')
def coffee_table(build: Assembly, look: Look) -> None:
    """A low table with a shelf under its top."""
    _table(build, look, board=0.035, leg=0.05)
    depth, width, _ = look.size
    build.box((depth - 0.12, width - 0.12, 0.02), (0, 0, 0.15), look.trim)
    build.surface((0, 0, 0.16), (depth - 0.2, width - 0.2), 'shelf')


@LIBRARY.recipe('desk', (0.7, 1.5, 0.74), 'oak', 'black_metal')
def desk(build: Assembly, look: Look) -> None:
    """A desk with a chest of drawers under its left end; its front is where one sits."""
    depth, width, height = look.size
    _table(build, look, board=0.028, leg=0.045)
    y = width / 2 - 0.27
    build.box((depth - 0.12, 0.40, height - 0.12), (-0.03, y, (height - 0.12) / 2 + 0.05),
              look.material)
    _drawers(build, x=depth / 2 - 0.09, middle=y, width=0.40, bottom=0.05, top=height - 0.07,
             rows=3, columns=1, material=look.material, knob='steel')


@LIBRARY.recipe('side table', (0.46, 0.46, 0.52), 'walnut', 'black_metal')
def side_table(build: Assembly, look: Look) -> None:
    """A round table on one foot."""
    depth, _, height = look.size
    radius = depth / 2
    build.turned([(0, height - 0.025), (radius - 0.008, height - 0.025), (radius, height - 0.012),
                  (radius - 0.006, height), (0, height)], (0, 0, 0), look.material, sides=32)
    build.cylinder(0.02, height - 0.03, (0, 0, 0.0), look.trim, sides=14)
    build.turned([(0, 0), (0.62 * radius, 0), (0.6 * radius, 0.012), (0.03, 0.022)], (0, 0, 0),
                 look.trim, sides=28)
    build.surface((0, 0, height), (1.2 * radius, 1.2 * radius))


@LIBRARY.recipe('console table', (0.3, 1.0, 0.82), 'walnut', 'black_metal')
def console_table(build: Assembly, look: Look) -> None:
    """A narrow table for a hall, with two drawers."""
    depth, width, height = look.size
    _table(build, look, board=0.025, leg=0.03)
    build.box((depth - 0.06, width - 0.14, 0.12), (0, 0, height - 0.085), look.material)
    _drawers(build, x=depth / 2 - 0.03, middle=0, width=width - 0.14, bottom=height - 0.145,
             top=height - 0.025, rows=1, columns=2, material=look.material, knob=look.trim)


def _chest(build: Assembly, look: Look, *, foot: float, leg: float, inset: float, rows: int,
           columns: int, knob: str, rim: float = 0.12) -> None:
    """Build a chest of drawers on short legs; things can stand on it but for a rim at its ends."""
    depth, width, height = look.size
    build.box((depth, width, height - foot), (0, 0, (height + foot) / 2), look.material)
    build.legs(depth, width, foot, leg, look.trim, inset=inset)
    _drawers(build, x=depth / 2, middle=0, width=width - 0.02, bottom=foot + 0.02,
             top=height - 0.03, rows=rows, columns=columns, material=look.material, knob=knob)
    build.surface((0, 0, height), (depth - 0.1, width - rim))


@LIBRARY.recipe('nightstand', (0.40, 0.46, 0.50), 'walnut', 'walnut')
def nightstand(build: Assembly, look: Look) -> None:
    """A small chest with two drawers on short legs."""
    _chest(build, look, foot=0.12, leg=0.04, inset=0.01, rows=2, columns=1, knob='steel', rim=0.1)


@LIBRARY.recipe('dresser', (0.45, 1.2, 0.82), 'oak', 'oak')
def dresser(build: Assembly, look: Look) -> None:
    """A chest with three rows of drawers."""
    _chest(build, look, foot=0.10, leg=0.05, inset=0.02, rows=3, columns=2, knob='black_metal')


@LIBRARY.recipe('tv stand', (0.42, 1.6, 0.48), 'walnut', 'black_metal')
def tv_stand(build: Assembly, look: Look) -> None:
    """A long, low cupboard."""
    _chest(build, look, foot=0.10, leg=0.03, inset=0.04, rows=1, columns=3, knob='steel')


@LIBRARY.recipe('sideboard', (0.42, 1.3, 0.84), 'white_paint', 'oak')
def sideboard(build: Assembly, look: Look) -> None:
    """A cupboard with doors and a wooden top."""
    depth, width, height = look.size
    build.box((depth, width, height - 0.15), (0, 0, (height - 0.03 + 0.12) / 2), look.material)
    build.box((depth + 0.02, width + 0.02, 0.03), (0, 0, height - 0.015), look.trim)
    build.legs(depth, width, 0.12, 0.05, look.trim, inset=0.03)
    _drawers(build, x=depth / 2, middle=0, width=width - 0.02, bottom=0.14, top=height - 0.05,
             rows=1, columns=3, material=look.material, knob='black_metal')
    build.surface((0, 0, height), (depth - 0.1, width - 0.12))
