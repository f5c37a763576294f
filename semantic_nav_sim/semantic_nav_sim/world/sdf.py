"""A world with everything in its place as a world of Gazebo (SDFormat 1.11), for Gazebo Harmonic.

Everything keeps its appearance: meshes with the textures of the library, one mesh file for each
material of a piece. Its colliders are the boxes and cylinders of the built-in simulator. All
models are static. Light is not baked as in the built-in simulator: lamps and the sun provide it.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from semantic_nav.contracts.whole_file import write_whole
from semantic_nav_sim.world.assembly import Collider
from semantic_nav_sim.world.description import WorldDescription
from semantic_nav_sim.world.export import (
    FLOOR_M,
    GRAVITY_MPS2,
    SHELL,
    bodies,
    lamp_places,
    texture_file,
    write_beside,
)
from semantic_nav_sim.world.materials import Material, Materials
from semantic_nav_sim.world.meshes import Floats, Mesh
from semantic_nav_sim.world.scene import Stage

WORLD_FILE = 'world.sdf'
#: Systems of Gazebo that sensors and the ROS bridge need: file and class of each.
SYSTEMS = (('gz-sim-physics-system', 'gz::sim::systems::Physics'),
           ('gz-sim-user-commands-system', 'gz::sim::systems::UserCommands'),
           ('gz-sim-scene-broadcaster-system', 'gz::sim::systems::SceneBroadcaster'),
           ('gz-sim-sensors-system', 'gz::sim::systems::Sensors'))
_VERSION = '1.11'
_STEP_S = 0.004
_DIGITS = 5
#: Thickness of the floor, in m: not every reader accepts a plane.
_BOARD_M = 0.1
#: Range of a lamp's light, in m, and its attenuation.
_LAMP = {'range': 8.0, 'constant': 0.4, 'linear': 0.15, 'quadratic': 0.1}
_Element = ElementTree.Element


@dataclass(frozen=True, eq=False)
class Files:
    """A world as files.

    Attributes:
        world: the SDF document.
        meshes: by file name.
        materials: names of the materials whose textures the meshes show.
    """

    world: _Element
    meshes: Mapping[str, Mesh]
    materials: frozenset[str]


def sdf_files(stage: Stage) -> Files:
    """The files of a home with everything in its place for a seed; nothing is written."""
    described, meshes = stage.scene.world, {}
    shown: set[str] = set()
    materials = Materials(described.materials)
    root = _Element('sdf', version=_VERSION)
    world = _add(root, 'world', name=described.name)
    _add_physics(world)
    _add_light(world, described)
    for body in bodies(stage, materials):
        model = _add(world, 'model', name=body.name)
        _add(model, 'static', 'true')
        _add(model, 'pose', _words((*body.placing.position, 0.0, 0.0, body.placing.yaw_rad)))
        link = _add(model, 'link', name='link')
        for index, collider in enumerate(body.colliders):
            _add_collision(link, f'{collider.shape}_{index}', collider)
        for material, mesh in body.meshes.items():
            file = f'{body.name}-{material}.obj'
            meshes[file] = mesh
            shown.add(material)
            _add_visual(link, material, file, materials[material])
        if body.name == SHELL:
            _add_floor(link)
    return Files(root, meshes, frozenset(shown))


def write_sdf(stage: Stage, folder: Path) -> Path:
    """Write a home for Gazebo, with the map of its floor and the robot's start pose.

    Args:
        stage: the home.
        folder: an empty one, which exists.

    Returns:
        The world's file. Beside it are meshes, and the files of `write_beside`.
    """
    files = sdf_files(stage)
    (folder / 'meshes').mkdir()
    for name, mesh in files.meshes.items():
        write_whole(folder / 'meshes' / name, _obj(mesh).encode())
    write_beside(stage, files.materials, folder)
    ElementTree.indent(files.world)
    text = ElementTree.tostring(files.world, encoding='utf-8', xml_declaration=True)
    write_whole(folder / WORLD_FILE, text)
    return folder / WORLD_FILE


def _add_floor(link: _Element) -> None:
    """Add one board as a floor, since seams between rooms would shake wheels."""
    floor = _add(link, 'collision', name='floor')
    _add(floor, 'pose', _words((0, 0, -_BOARD_M / 2, 0, 0, 0)))
    _add(_add(_add(floor, 'geometry'), 'box'), 'size', _words((FLOOR_M, FLOOR_M, _BOARD_M)))


def _add_physics(world: _Element) -> None:
    physics = _add(world, 'physics', name='physics', type='ignored')
    _add(physics, 'max_step_size', str(_STEP_S))
    _add(physics, 'real_time_factor', '1.0')
    _add(physics, 'real_time_update_rate', str(round(1 / _STEP_S)))
    _add(world, 'gravity', _words((0, 0, -GRAVITY_MPS2)))
    _add(world, 'magnetic_field', '0.00002 0 -0.00004')
    _add(world, 'atmosphere', type='adiabatic')
    for file, name in SYSTEMS:
        system = _add(world, 'plugin', filename=file, name=name)
        if name.endswith('Sensors'):
            _add(system, 'render_engine', 'ogre2')


def _add_light(world: _Element, described: WorldDescription) -> None:
    scene = _add(world, 'scene')
    _add(scene, 'ambient', '0.6 0.6 0.6 1')
    _add(scene, 'background', '0.7 0.8 0.9 1')
    _add(scene, 'shadows', 'false')
    for index, (lamp, at) in enumerate(zip(described.lamps, lamp_places(described), strict=True)):
        light = _add(world, 'light', name=f'lamp_{index}', type='point')
        _add(light, 'pose', _words((*at, 0, 0, 0)))
        _shine(light, min(0.7 * lamp.power, 1.0))
        attenuation = _add(light, 'attenuation')
        for name, value in _LAMP.items():
            _add(attenuation, name, str(value))
        _add(light, 'direction', '0 0 -1')
    sun = described.sun
    light = _add(world, 'light', name='sun', type='directional')
    _shine(light, 0.2 + 0.2 * min(sun.power, 1.0))
    _add(light, 'direction', _words(-value for value in sun.towards))


def _shine(light: _Element, strength: float) -> None:
    _add(light, 'cast_shadows', 'false')
    _add(light, 'diffuse', _words((strength, strength, strength, 1)))
    _add(light, 'specular', '0.1 0.1 0.1 1')


def _add_collision(link: _Element, name: str, collider: Collider) -> None:
    added = _add(link, 'collision', name=name)
    _add(added, 'pose', _words((*collider.position, *_roll_pitch_yaw(collider.rotation))))
    geometry = _add(added, 'geometry')
    if collider.shape == 'box':
        _add(_add(geometry, 'box'), 'size', _words(2 * collider.size))
    else:
        cylinder = _add(geometry, 'cylinder')
        _add(cylinder, 'radius', _words(collider.size[:1]))
        _add(cylinder, 'length', _words(2 * collider.size[2:]))


def _add_visual(link: _Element, name: str, file: str, look: Material) -> None:
    added = _add(link, 'visual', name=name)
    _add(_add(_add(added, 'geometry'), 'mesh'), 'uri', f'meshes/{file}')
    material = _add(added, 'material')
    for part in ('ambient', 'diffuse'):
        _add(material, part, '1 1 1 1')
    metal = _add(_add(material, 'pbr'), 'metal')
    _add(metal, 'albedo_map', texture_file(name))
    _add(metal, 'roughness', _words((look.roughness,)))
    _add(metal, 'metalness', '0')
    if look.glows:
        _add(metal, 'emissive_map', texture_file(name))


def _roll_pitch_yaw(rotation: Floats) -> tuple[float, float, float]:
    """The angles about the fixed axes x, then y, then z, that make up a rotation."""
    pitch = math.asin(max(-1.0, min(1.0, -rotation[2, 0])))
    if abs(rotation[2, 0]) > 1 - 1e-9:
        # Straight up or down, roll and yaw are about one axis.
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    return (math.atan2(rotation[2, 1], rotation[2, 2]), pitch,
            math.atan2(rotation[1, 0], rotation[0, 0]))


def _obj(mesh: Mesh) -> str:
    """Format a mesh as a Wavefront OBJ file."""
    lines = [f'{key} {_words(row)}' for key, rows in (
        ('v', mesh.vertices), ('vt', mesh.texcoords), ('vn', mesh.normals)) for row in rows]
    lines += ['f ' + ' '.join(f'{index}/{index}/{index}' for index in face)
              for face in mesh.faces + 1]
    return '\n'.join(lines) + '\n'


def _words(values: Iterable[float]) -> str:
    """Format numbers with spaces between, without -0 and exponents."""
    return ' '.join(f'{round(float(value), _DIGITS) + 0.0:.{_DIGITS}f}'.rstrip('0').rstrip('.')
                    for value in values)


def _add(parent: _Element, tag: str, text: str | None = None, **attributes: str) -> _Element:
    child = ElementTree.SubElement(parent, tag, attributes)
    child.text = text
    return child
