"""People, as simple figures."""

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look
from semantic_nav_sim.world.meshes import ellipsoid, rotation_x, rotation_y


@LIBRARY.recipe('person', (0.36, 0.50, 1.72), 'blue_fabric', 'navy_fabric', 'brown_hair')
def person(build: Assembly, look: Look) -> None:
    """A person in mid-stride: shirt, trousers, and hair of the colour of `face`."""
    tall = look.size[2] / 1.72
    for side, step in ((-1, 0.22), (1, -0.22)):
        stride = rotation_y(step)
        hip = (0, 0.10 * side * tall, 0.86 * tall)
        build.mesh(ellipsoid((0.19, 0.18, 0.62), 0.35).moved(
            stride, stride @ (0, 0, -0.22 * tall) + hip), look.trim)
        build.mesh(ellipsoid((0.14, 0.13, 0.54), 0.35).moved(
            stride, stride @ (0, 0, -0.60 * tall) + hip), look.trim)
        foot = stride @ (0, 0, -0.80 * tall) + hip
        build.box((0.27, 0.10, 0.08), (foot[0] + 0.05, foot[1], 0.045), 'black_leather',
                  rounding=0.03, segments=2, solid=False)
        swing = rotation_y(-1.3 * step) @ rotation_x(0.12 * side)
        shoulder = (0, 0.215 * side * tall, 1.36 * tall)
        build.mesh(ellipsoid((0.13, 0.12, 0.58), 0.4).moved(
            swing, swing @ (0, 0, -0.25 * tall) + shoulder), look.material)
        build.pillow((0.09, 0.07, 0.16), swing @ (0.01, 0, -0.58 * tall) + shoulder, 'skin',
                     boxiness=0.3)
    build.pillow((0.25, 0.36, 0.30), (0, 0, 0.90 * tall), look.trim, boxiness=0.5)
    build.pillow((0.26, 0.44, 0.60), (0, 0, 1.17 * tall), look.material, boxiness=0.55)
    build.cylinder(0.055, 0.16 * tall, (0, 0, 1.40 * tall), 'skin', solid=False)
    build.pillow((0.20, 0.165, 0.25), (0.01, 0, 1.60 * tall), 'skin', boxiness=0.15)
    build.pillow((0.215, 0.185, 0.22), (-0.022, 0, 1.645 * tall), look.face, boxiness=0.15)
    build.pillow((0.035, 0.03, 0.05), (0.112, 0, 1.585 * tall), 'skin', boxiness=0)
    for side in (-1, 1):
        build.pillow((0.012, 0.026, 0.018), (0.104, 0.036 * side, 1.622 * tall), 'black_plastic',
                     boxiness=0)
    # The colliders are round, so that a scan sees a person equally from all sides.
    build.solid_cylinder(0.18, 1.0 * tall, 0.0)
    build.solid_cylinder(0.20, 0.46 * tall, 1.0 * tall)
    build.solid_cylinder(0.10, 0.26 * tall, 1.46 * tall)
