"""Building blocks of the furniture recipes: visuals, colliders, support surfaces."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world.description import Point2, Point3
from semantic_nav_sim.world.meshes import Floats, Mesh, ellipsoid, rectangle, rounded_box, turned

Vector = Sequence[float] | Floats
_NO_TURN = np.eye(3)


@dataclass(frozen=True, eq=False)
class Visual:
    """A mesh of one material."""

    mesh: Mesh
    material: str


def by_material(visuals: Iterable[Visual]) -> dict[str, Mesh]:
    """One joined mesh for each material."""
    grouped: dict[str, list[Mesh]] = {}
    for visual in visuals:
        grouped.setdefault(visual.material, []).append(visual.mesh)
    return {material: Mesh.joined(meshes) for material, meshes in grouped.items()}


@dataclass(frozen=True, eq=False)
class Collider:
    """A primitive solid.

    Attributes:
        shape: 'box', or 'cylinder' about its z axis.
        size: half extents along its axes in metres; of a cylinder radius, radius, half height.
        position: of its centre, shape (3,), in metres.
        rotation: of its axes, shape (3, 3).
        pane: whether it is glass, which lets daylight pass.
    """

    shape: Literal['box', 'cylinder']
    size: Floats
    position: Floats
    rotation: Floats
    pane: bool = False

    def moved(self, rotation: Floats, translation: Floats) -> 'Collider':
        """The collider rotated by a matrix, shape (3, 3), then shifted."""
        return Collider(self.shape, self.size, rotation @ self.position + translation,
                        rotation @ self.rotation, self.pane)


@dataclass(frozen=True)
class Surface:
    """A support surface: its centre in the support's frame and its extents, in metres."""

    middle: Point3
    extents: Point2


@dataclass(frozen=True)
class Look:
    """The appearance of one piece.

    Attributes:
        size: depth (x), width (y) and height (z) in metres.
        material, trim, face: names of the materials of its body, its details and its picture.
        seed: of its irregular parts.
    """

    size: Point3
    material: str
    trim: str
    face: str
    seed: int


@dataclass
class Assembly:
    """One piece under construction, in its own frame: x to the front, y left, z up."""

    visuals: list[Visual] = field(default_factory=list)
    colliders: list[Collider] = field(default_factory=list)
    surfaces: dict[str, Surface] = field(default_factory=dict)

    def box(self, size: Vector, centre: Vector, material: str, *,
            rounding: float = 0.006, segments: int = 1, rotation: Floats = _NO_TURN,
            solid: bool = True) -> None:
        """Add a box with rounded edges, by its extents and its centre in metres."""
        self.mesh(rounded_box(size, rounding, segments).moved(rotation, centre), material)
        if solid:
            self.solid_box(size, centre, rotation)

    def turned(self, profile: Sequence[Sequence[float]], base: Vector, material: str, *,
               sides: int = 20, rotation: Floats = _NO_TURN, solid: bool = True) -> None:
        """Add a body of revolution that stands at `base`, with a profile of (radius, z)."""
        self.mesh(turned(profile, sides).moved(rotation, base), material)
        if solid:
            points = np.asarray(profile, float)
            low, high = points[:, 1].min(), points[:, 1].max()
            middle = np.asarray(base, float) + rotation @ [0, 0, (low + high) / 2]
            radius = max(points[:, 0].max(), 0.004)
            size = np.array([radius, radius, max((high - low) / 2, 0.004)])
            self.colliders.append(Collider('cylinder', size, middle, rotation))

    def cylinder(self, radius: float, height: float, base: Vector, material: str, *,
                 sides: int = 20, rotation: Floats = _NO_TURN, solid: bool = True) -> None:
        """Add an upright cylinder by the centre of its foot."""
        self.turned([(0, 0), (radius, 0), (radius, height), (0, height)], base, material,
                    sides=sides, rotation=rotation, solid=solid)

    def pillow(self, size: Vector, centre: Vector, material: str, *,
               boxiness: float = 0.7, rotation: Floats = _NO_TURN) -> None:
        """Add a soft body without a collider."""
        self.mesh(ellipsoid(size, boxiness, 12).moved(rotation, centre), material)

    def picture(self, width: float, height: float, centre: Vector, material: str,
                rotation: Floats = _NO_TURN) -> None:
        """Add a flat picture that faces forward (+x)."""
        mesh = rectangle((0, -width / 2, -height / 2), (0, width, 0), (0, 0, height))
        self.mesh(mesh.moved(rotation, centre), material)

    def mesh(self, mesh: Mesh, material: str) -> None:
        """Add an arbitrary mesh without a collider."""
        self.visuals.append(Visual(mesh, material))

    def solid_box(self, size: Vector, centre: Vector,
                  rotation: Floats = _NO_TURN) -> None:
        """Add a box collider without a visual."""
        self.colliders.append(Collider('box', np.asarray(size, float) / 2,
                                       np.asarray(centre, float), rotation))

    def solid_cylinder(self, radius: float, height: float, base: float) -> None:
        """Add an upright cylinder about the z axis, as a collider without a visual."""
        self.colliders.append(Collider('cylinder', np.array([radius, radius, height / 2]),
                                       np.array([0.0, 0.0, base + height / 2]), _NO_TURN))

    def surface(self, middle: Point3, extents: Point2, name: str = 'top') -> None:
        """Add a support surface."""
        self.surfaces[name] = Surface(middle, extents)

    def legs(self, depth: float, width: float, height: float, thickness: float, material: str,
             *, inset: float = 0.0, base: float = 0.0) -> None:
        """Add four square legs under the corners of a depth by width rectangle."""
        for x in (-1, 1):
            for y in (-1, 1):
                centre = (x * (depth / 2 - inset - thickness / 2),
                          y * (width / 2 - inset - thickness / 2), base + height / 2)
                self.box((thickness, thickness, height), centre, material, rounding=0.004)


Recipe = Callable[[Assembly, Look], None]


@dataclass(frozen=True)
class Entry:
    """A recipe with its default appearance."""

    recipe: Recipe
    size: Point3
    material: str
    trim: str
    face: str


class Library:
    """Recipes by name."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def recipe(self, name: str, size: Point3, material: str, trim: str = 'walnut',
               face: str = 'landscape_hills') -> Callable[[Recipe], Recipe]:
        """Register the decorated function under a name."""
        def register(function: Recipe) -> Recipe:
            if name in self.entries:
                raise ValueError(f'recipe {name!r} stands twice')
            self.entries[name] = Entry(function, size, material, trim, face)
            return function
        return register

    def build(self, name: str, size: Point3 | None = None, material: str | None = None,
              trim: str | None = None, face: str | None = None, seed: int = 0) -> Assembly:
        """Build a piece in its own frame. Pieces are cached and shared, so nobody may change them.

        Args:
            name: of the recipe.
            size, material, trim, face: as in `Look`; None takes the recipe's own.
            seed: of its irregular parts.

        Raises:
            ConfigError: there is no such recipe.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise ConfigError(f'no recipe {name!r}: known are {", ".join(sorted(self.entries))}')
        return _built(entry.recipe, Look(size or entry.size, material or entry.material,
                                         trim or entry.trim, face or entry.face, seed))


@lru_cache(maxsize=512)
def _built(recipe: Recipe, look: Look) -> Assembly:
    """Build a piece; cached, since repeated drafts of a home have mostly the same pieces."""
    assembly = Assembly()
    recipe(assembly, look)
    return assembly


#: The furniture library; importing `library` fills it.
LIBRARY = Library()
