"""Beds."""

from semantic_nav_sim.world.assembly import LIBRARY, Assembly, Look


@LIBRARY.recipe('bed', (2.1, 1.6, 0.95), 'walnut', 'teal_fabric', 'white_fabric')
def bed(build: Assembly, look: Look) -> None:
    """A bed with a headboard at its back, a mattress, a blanket and pillows."""
    depth, width, height = look.size
    build.box((depth, width, 0.20), (0, 0, 0.22), look.material, rounding=0.015)
    build.box((0.06, width + 0.06, height), (-depth / 2 + 0.03, 0, height / 2), look.material,
              rounding=0.02, segments=2)
    build.legs(depth, width, 0.12, 0.07, look.material, inset=0.03)
    build.box((depth - 0.08, width - 0.04, 0.20), (0.02, 0, 0.41), look.face, rounding=0.06,
              segments=3)
    build.box((depth * 0.66, width + 0.02, 0.15), (depth * 0.17, 0, 0.455), look.trim,
              rounding=0.05, segments=3, solid=False)
    build.box((0.22, width + 0.03, 0.15), (-depth * 0.12, 0, 0.462), look.face, rounding=0.05,
              segments=3, solid=False)
    pillows = 2 if width > 1.2 else 1
    for k in range(pillows):
        y = (k - (pillows - 1) / 2) * width / 2
        build.pillow((0.46, 0.66, 0.18), (-depth / 2 + 0.36, y, 0.58), look.face, boxiness=0.72)
    build.surface((0.3, 0, 0.53), (depth - 0.9, width - 0.4))
