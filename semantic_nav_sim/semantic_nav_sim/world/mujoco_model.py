"""Compiles a scene to a MuJoCo model.

Groups: 0 nothing, 1 visible to the camera, 2 overhead (left out from above), 3 colliders of walls
and furniture, 4 colliders of movable objects. Nothing has a joint. Movable objects, door leaves,
people and the robot's camera are mocap bodies, which are placed before a picture is taken or a ray
is cast.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.world.assembly import Collider, by_material
from semantic_nav_sim.world.materials import Materials
from semantic_nav_sim.world.meshes import Floats, Mesh
from semantic_nav_sim.world.scene import SceneObject, WorldScene

VISIBLE, OVERHEAD, SOLID, MOVABLE_SOLID = 1, 2, 3, 4
#: The group of geoms that are neither drawn nor met by rays for a while.
NOWHERE = 5
CAMERA = 'camera'
CAMERA_BODY = 'camera_mount'
STRUCTURE = 'structure'
EXTENT_M = 5.0
NEAR_M, FAR_M = 0.04, 40.0
#: Least extent of the ground from the map's origin.
GROUND_M = 60.0
_SHAPES = {'box': mujoco.mjtGeom.mjGEOM_BOX, 'cylinder': mujoco.mjtGeom.mjGEOM_CYLINDER}


@dataclass(frozen=True, eq=False)
class Light:
    """The result of the bake.

    Attributes:
        textures: of each lit surface, shape (rows, columns, 3), top row first.
        tints: brightness of objects and rooms' trim, by name, shape (3,), 0 to 1.
    """

    textures: list[NDArray[np.uint8]] = field(default_factory=list)
    tints: Mapping[str, Floats] = field(default_factory=dict)


class _Builder:
    """Adds meshes, textures and materials to a spec, each once."""

    def __init__(self, spec: mujoco.MjSpec, materials: Materials) -> None:
        self.spec = spec
        self.materials = materials
        self._known: set[str] = set()
        self._meshes = 0

    def geom(self, body: mujoco.MjsBody, mesh: Mesh, material: str, tint: Floats | None,
             group: int = VISIBLE) -> None:
        """Add a visible mesh with a material of the library."""
        self._add_material(material)
        self.textured(body, mesh, self.materials[material].tiles(mesh), material, tint, group)

    def textured(self, body: mujoco.MjsBody, mesh: Mesh, texcoords: Floats, material: str,
                 tint: Floats | None, group: int) -> None:
        """Add a visible mesh with a material that is already known."""
        name = f'mesh_{self._meshes}'
        self._meshes += 1
        self.spec.add_mesh(
            name=name, uservert=mesh.vertices.astype(np.float32).ravel(),
            usernormal=mesh.normals.astype(np.float32).ravel(),
            usertexcoord=texcoords.astype(np.float32).ravel(),
            userface=mesh.faces.ravel(), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        rgba = [1, 1, 1, 1] if tint is None else [*np.clip(tint, 0, 1), 1]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=material,
                      rgba=rgba, group=group, contype=0, conaffinity=0, mass=0)

    def texture(self, name: str, image: NDArray[np.uint8]) -> None:
        """Add a texture, shape (rows, columns, 3), top row first."""
        rows, columns = image.shape[:2]
        texture = self.spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D,
                                        width=columns, height=rows, nchannel=3)
        # Texture coordinates start at the lower left.
        texture.data = np.ascontiguousarray(image[::-1]).tobytes()

    def material(self, name: str, gloss: tuple[float, float], emission: float) -> None:
        """Add a material that shows the texture of the same name."""
        added = self.spec.add_material(name=name, specular=gloss[0], shininess=gloss[1],
                                       emission=emission)
        added.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name

    def _add_material(self, name: str) -> None:
        if name in self._known:
            return
        self._known.add(name)
        look = self.materials[name]
        self.texture(name, look.texture())
        self.material(name, look.gloss, look.emission)


def add_collider(body: mujoco.MjsBody, collider: Collider, group: int, name: str = '') -> None:
    """Add a primitive that only rays meet."""
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(collider.rotation).ravel())
    size = collider.size
    if collider.shape == 'cylinder':
        size = np.array([size[0], size[2], 0.0])
    body.add_geom(name=name, type=_SHAPES[collider.shape], size=size, pos=collider.position,
                  quat=quaternion, group=group, contype=0, conaffinity=0, mass=0)


def compile_scene(scene: WorldScene, light: Light) -> mujoco.MjModel:
    """Compile a scene with its visuals and its colliders."""
    spec = mujoco.MjSpec()
    spec.modelname = scene.world.name
    _set_visuals(spec, scene)
    builder = _Builder(spec, Materials(scene.world.materials))
    _add_shell(builder, scene)
    _add_shell_looks(builder, scene, light)
    for thing in (*scene.objects.values(), *scene.people):
        body = _add_solids(builder, thing)
        for material, mesh in by_material(thing.visuals).items():
            builder.geom(body, mesh, material, light.tints.get(thing.id))
    mount = spec.worldbody.add_body(name=CAMERA_BODY, mocap=True)
    mount.add_camera(name=CAMERA)
    return spec.compile()


def compile_solids(scene: WorldScene, things: Iterable[SceneObject]) -> mujoco.MjModel:
    """Compile the colliders of the shell and of some objects, without visuals."""
    builder = _Builder(mujoco.MjSpec(), Materials({}))
    _add_shell(builder, scene)
    for thing in things:
        _add_solids(builder, thing)
    return builder.spec.compile()


def _add_solids(builder: _Builder, thing: SceneObject) -> mujoco.MjsBody:
    body = builder.spec.worldbody.add_body(
        name=thing.id, pos=thing.placing.position, quat=thing.placing.quaternion,
        mocap=thing.movable or thing.hinged)
    for collider in thing.colliders:
        add_collider(body, collider, MOVABLE_SOLID if thing.movable else SOLID)
    return body


def _add_shell(builder: _Builder, scene: WorldScene) -> None:
    """Add walls, panes, ground and roof as colliders."""
    body = builder.spec.worldbody.add_body(name=STRUCTURE)
    for index, collider in enumerate(scene.structure.colliders):
        kind = 'pane' if collider.pane else 'wall'
        add_collider(body, collider, SOLID, f'{kind}_{index}')
    # The origin of a map may be far from the home.
    half_m = max(GROUND_M, *(abs(v) for v in (*scene.world.low, *scene.world.high)))
    for name, z in (('ground', -0.5), ('roof', scene.world.wall_height + 0.5)):
        slab = Collider('box', np.array([half_m, half_m, 0.5]), np.array([0, 0, z]), np.eye(3))
        add_collider(body, slab, SOLID, name)


def _add_shell_looks(builder: _Builder, scene: WorldScene, light: Light) -> None:
    built = scene.structure
    body = builder.spec.body(STRUCTURE)
    for index, (surface, image) in enumerate(zip(built.surfaces, light.textures, strict=True)):
        name = f'lit_{index}'
        builder.texture(name, image)
        builder.material(name, (0.0, 0.0), 1.0)
        mesh = surface.mesh()
        group = OVERHEAD if surface.kind == 'ceiling' else VISIBLE
        builder.textured(body, mesh, mesh.texcoords, name, None, group)
    for by_room, group in ((built.trim, VISIBLE), (built.overhead, OVERHEAD)):
        for room, pieces in by_room.items():
            for material, mesh in by_material(pieces).items():
                glows = builder.materials[material].emission > 0.8
                tint = None if glows else light.tints.get(room)
                builder.geom(body, mesh, material, tint, group)
    for material, mesh in by_material(built.tops).items():
        builder.geom(body, mesh, material, None)


def _set_visuals(spec: mujoco.MjSpec, scene: WorldScene) -> None:
    low, high = scene.world.low, scene.world.high
    spec.stat.extent = EXTENT_M
    spec.stat.center = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, 1.0]
    spec.visual.map.znear = NEAR_M / EXTENT_M
    spec.visual.map.zfar = FAR_M / EXTENT_M
    spec.visual.quality.offsamples = 0
    spec.visual.quality.shadowsize = 0
    spec.visual.headlight.ambient = [0.60, 0.60, 0.60]
    spec.visual.headlight.diffuse = [0.10, 0.10, 0.10]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    # Soft light from above shows shape; the baked tint sets the brightness.
    for name, direction, strength in (('above', (0.25, 0.3, -0.9), 0.36),
                                      ('side', (-0.7, 0.45, -0.35), 0.18),
                                      ('other_side', (0.55, -0.75, -0.30), 0.12)):
        spec.worldbody.add_light(name=name, type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
                                 dir=direction, pos=(low[0], low[1], 3.0), castshadow=False,
                                 diffuse=[strength] * 3, ambient=[0.0] * 3,
                                 specular=[0.3 * strength] * 3)
