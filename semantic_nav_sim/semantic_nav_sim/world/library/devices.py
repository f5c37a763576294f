"""Screens, lamps and other things with a plug."""

import math

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import rotation_y, turned


@LIBRARY.recipe('television', (0.24, 1.24, 0.78), 'black_plastic', face='television_screen')
def television(build: Assembly, look: Look) -> None:
    """A flat television on a foot."""
    depth, width, height = look.size
    screen = height - 0.08
    build.box((0.05, width, screen), (0, 0, 0.08 + screen / 2), look.material, rounding=0.008)
    build.picture(width - 0.03, screen - 0.04, (0.0262, 0, 0.09 + screen / 2), look.face)
    build.box((depth, 0.5, 0.014), (0, 0, 0.007), look.material)
    build.box((0.04, 0.12, 0.10), (-0.01, 0, 0.06), look.material)


@LIBRARY.recipe('monitor', (0.20, 0.60, 0.50), 'black_plastic', face='desktop_screen')
def monitor(build: Assembly, look: Look) -> None:
    """A computer monitor on a foot."""
    depth, width, height = look.size
    screen = width * 0.58
    z = height - screen / 2
    build.box((0.035, width, screen), (0.02, 0, z), look.material, rounding=0.007)
    build.picture(width - 0.024, screen - 0.024, (0.0382, 0, z), look.face)
    build.box((0.03, 0.05, z), (-0.02, 0, z / 2), 'steel')
    build.box((depth, 0.24, 0.012), (0, 0, 0.006), 'steel')


@LIBRARY.recipe('laptop', (0.26, 0.34, 0.24), 'steel', 'black_plastic', 'desktop_screen')
def laptop(build: Assembly, look: Look) -> None:
    """An open laptop."""
    depth, width, height = look.size
    build.box((depth, width, 0.016), (0, 0, 0.008), look.material, rounding=0.005)
    build.box((depth * 0.45, width - 0.05, 0.002), (-0.03, 0, 0.0165), look.trim, rounding=0,
              solid=False)
    lean = rotation_y(-0.28)
    hinge = (-depth / 2, 0, 0.012)
    build.box((0.008, width, height), lean @ (0, 0, height / 2) + hinge, look.material,
              rounding=0.003, rotation=lean)
    build.picture(width - 0.02, height - 0.03, lean @ (0.0045, 0, height / 2) + hinge, look.face,
                  lean)


@LIBRARY.recipe('keyboard', (0.14, 0.44, 0.02), 'black_plastic', 'grey_plastic')
def keyboard(build: Assembly, look: Look) -> None:
    """A flat keyboard with rows of keys."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.005)
    for row in range(5):
        build.box((depth / 6, width - 0.03, 0.004), ((row - 2) * depth / 5.4, 0, height),
                  look.trim, rounding=0.001, solid=False)


@LIBRARY.recipe('printer', (0.36, 0.42, 0.24), 'white_plastic', 'black_plastic')
def printer(build: Assembly, look: Look) -> None:
    """A desktop printer with paper in its tray."""
    depth, width, height = look.size
    build.box((depth, width, height - 0.03), (0, 0, height / 2 - 0.015), look.material,
              rounding=0.02, segments=2)
    build.box((depth - 0.06, width - 0.06, 0.03), (-0.01, 0, height - 0.02), look.trim,
              rounding=0.01)
    build.box((0.02, width - 0.12, 0.07), (depth / 2 - 0.004, 0, 0.09), look.trim, solid=False)
    build.box((0.12, 0.22, 0.006), (depth / 2 + 0.03, 0, 0.07), 'ceramic', rounding=0.001,
              solid=False)


def _shade(build: Assembly, radius: float, low: float, high: float, material: str) -> None:
    """Put a lampshade from one height to another, seen from inside too."""
    mesh = turned([(radius, low), (0.64 * radius, high)], 28)
    build.mesh(mesh.two_sided(), material)


@LIBRARY.recipe('lamp', (0.28, 0.28, 0.42), 'lampshade', 'ceramic')
def lamp(build: Assembly, look: Look) -> None:
    """A table lamp with a turned foot."""
    depth, _, height = look.size
    radius = depth / 2
    build.turned([(0, 0), (0.5 * radius, 0), (0.5 * radius, 0.015), (0.16 * radius, 0.035),
                  (0.34 * radius, 0.30 * height), (0.12 * radius, 0.52 * height),
                  (0.06 * radius, 0.62 * height), (0, 0.62 * height)], (0, 0, 0), look.trim,
                 sides=22)
    _shade(build, radius, 0.54 * height, height, look.material)


@LIBRARY.recipe('floor lamp', (0.42, 0.42, 1.62), 'lampshade', 'black_metal')
def floor_lamp(build: Assembly, look: Look) -> None:
    """A standard lamp."""
    depth, _, height = look.size
    build.turned([(0, 0), (0.15, 0), (0.145, 0.02), (0.02, 0.03)], (0, 0, 0), look.trim, sides=26)
    build.cylinder(0.013, height - 0.2, (0, 0, 0), look.trim, sides=10)
    _shade(build, depth / 2, height - 0.30, height, look.material)


@LIBRARY.recipe('desk lamp', (0.36, 0.18, 0.46), 'black_metal', 'lamp_glow')
def desk_lamp(build: Assembly, look: Look) -> None:
    """A lamp on a jointed arm that looks forward."""
    _, width, height = look.size
    build.turned([(0, 0), (width / 2, 0), (width / 2, 0.02), (0.02, 0.03)], (-0.1, 0, 0),
                 look.material, sides=22)
    build.cylinder(0.009, height * 0.66, (-0.1, 0, 0.02), look.material, sides=8,
                   rotation=rotation_y(-0.12))
    build.cylinder(0.009, 0.26, (-0.135, 0, height * 0.68), look.material, sides=8,
                   rotation=rotation_y(1.05), solid=False)
    head = rotation_y(0.35)
    build.turned([(0.085, 0), (0.04, 0.09), (0, 0.10)], (0.10, 0, height * 0.82), look.material,
                 sides=20, rotation=head, solid=False)
    build.cylinder(0.078, 0.006, (0.10, 0, height * 0.82), look.trim, sides=20, rotation=head,
                   solid=False)


@LIBRARY.recipe('alarm clock', (0.07, 0.15, 0.08), 'black_plastic', face='digital_clock')
def alarm_clock(build: Assembly, look: Look) -> None:
    """A digital alarm clock."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.012,
              segments=2)
    build.picture(width - 0.03, height - 0.03, (depth / 2 + 0.001, 0, height / 2), look.face)


@LIBRARY.recipe('wall clock', (0.05, 0.34, 0.34), 'black_plastic', face='clock_face')
def wall_clock(build: Assembly, look: Look) -> None:
    """A round clock for a wall."""
    depth, width, height = look.size
    radius = width / 2
    forward = rotation_y(math.pi / 2)
    build.turned([(radius, 0), (radius, depth), (radius - 0.02, depth),
                  (radius - 0.022, depth - 0.015)], (-depth / 2, 0, height / 2), look.material,
                 sides=36, rotation=forward, solid=False)
    face = radius - 0.018
    build.picture(1.42 * face, 1.42 * face, (depth / 2 - 0.014, 0, height / 2), look.face)
    build.cylinder(face + 0.006, depth - 0.016, (-depth / 2, 0, height / 2), 'ceramic', sides=36,
                   rotation=forward, solid=False)


@LIBRARY.recipe('remote control', (0.17, 0.05, 0.02), 'black_plastic', 'grey_plastic')
def remote_control(build: Assembly, look: Look) -> None:
    """A remote control with three rows of buttons."""
    depth, width, height = look.size
    build.box((depth, width, height), (0, 0, height / 2), look.material, rounding=0.007)
    for row in range(3):
        build.box((0.02, width - 0.016, 0.003), (-0.03 + 0.03 * row, 0, height), look.trim,
                  rounding=0.001, solid=False)


@LIBRARY.recipe('ceiling lamp', (0.36, 0.36, 0.14), 'lamp_glow', 'steel')
def ceiling_lamp(build: Assembly, look: Look) -> None:
    """A glass dome to hang under a ceiling; its origin is at its top."""
    radius, height = look.size[0] / 2, look.size[2]
    build.turned([(0, -height), (0.55 * radius, -0.9 * height), (0.9 * radius, -0.55 * height),
                  (radius, -0.25 * height)], (0, 0, 0), look.material, sides=28, solid=False)
    build.turned([(radius, -0.25 * height), (0.95 * radius, 0)], (0, 0, 0), look.trim, sides=28,
                 solid=False)
