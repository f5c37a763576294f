"""A home with everything in its place, in a form for other simulators.

It is a list of bodies, each with its meshes by material. Textures, map and start pose are files
beside the world's file.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from semantic_nav.contracts.map_file import save_map
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav_sim.world.assembly import Collider, Visual, by_material
from semantic_nav_sim.world.description import Point3, WorldDescription
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.materials import Materials
from semantic_nav_sim.world.meshes import Mesh
from semantic_nav_sim.world.scene import Placing, Stage
from semantic_nav_sim.world.structure import LitSurface

START_FILE = 'start.json'
#: Name of the body of walls, floors and their fittings.
SHELL = 'building'
#: Edge of the floor plane, which reaches beyond the home.
FLOOR_M = 100.0
GRAVITY_MPS2 = 9.81
_LAMP_BELOW_CEILING_M = 0.4
_ORIGIN = Placing((0.0, 0.0, 0.0), 0.0)


@dataclass(frozen=True, eq=False)
class Body:
    """One thing, or the shell of the home.

    Attributes:
        name: the id of the thing, or `SHELL`.
        placing: pose of its frame.
        meshes: visuals by material, in its own frame; texture coordinates count tiles.
        colliders: in its own frame.
        movable: whether it can be carried away.
    """

    name: str
    placing: Placing
    meshes: dict[str, Mesh]
    colliders: Sequence[Collider]
    movable: bool


def bodies(stage: Stage, materials: Materials) -> list[Body]:
    """The shell, then every thing in its place."""
    def meshes(visuals: Iterable[Visual]) -> dict[str, Mesh]:
        return {material: replace(mesh, texcoords=materials[material].tiles(mesh))
                for material, mesh in by_material(visuals).items()}

    scene = stage.scene
    built = scene.structure
    shell = [*(Visual(_measured(surface, materials), surface.material)
               for surface in built.surfaces),
             *(piece for by_room in (built.trim, built.overhead)
               for room in by_room.values() for piece in room), *built.tops]
    return [Body(SHELL, _ORIGIN, meshes(shell), built.colliders, False),
            *(Body(thing.id, stage.placings[thing.id], meshes(thing.visuals), thing.colliders,
                   thing.movable) for thing in scene.objects.values())]


def lamp_places(world: WorldDescription) -> list[Point3]:
    """The light sources of the lamps, below their shades, which would hide them."""
    return [(*lamp.at[:2], world.wall_height - _LAMP_BELOW_CEILING_M) for lamp in world.lamps]


def texture_file(material: str) -> str:
    """The path of a material's texture, relative to the world's file."""
    return f'textures/{material}.png'


def write_beside(stage: Stage, shown: Iterable[str], folder: Path) -> None:
    """Write the files beside the world's file.

    Args:
        stage: the home.
        shown: names of the materials that need textures.
        folder: an empty one, which exists; it gets textures, map.yaml, map.pgm, and start.json
            with x and y in metres and yaw in radians.
    """
    materials = Materials(stage.scene.world.materials)
    (folder / 'textures').mkdir()
    for name in sorted(shown):
        Image.fromarray(materials[name].texture()).save(folder / texture_file(name))
    save_map(floor_plan(stage.scene), folder)
    start = {'x': stage.start.x, 'y': stage.start.y, 'yaw': stage.start.yaw}
    write_whole(folder / START_FILE, json.dumps(start).encode())


def _measured(surface: LitSurface, materials: Materials) -> Mesh:
    """The mesh of a floor or wall, with texture coordinates in metres for repeating materials."""
    mesh = surface.mesh()
    if materials[surface.material].tile_m is None:
        return mesh
    size = np.linalg.norm(surface.u), np.linalg.norm(surface.v)
    return replace(mesh, texcoords=mesh.texcoords * size)
