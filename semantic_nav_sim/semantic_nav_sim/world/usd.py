"""A world with everything in its place as a USD stage with physics, for Isaac Sim.

Appearance, placings and colliders are those of the world for Gazebo. An object that can be carried
away is a rigid body, which sleeps until something touches it; all else is static. Needs the
package usd-core.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, UsdLux, UsdPhysics, UsdShade, Vt

from semantic_nav.contracts.whole_file import write_whole
from semantic_nav_sim.world.assembly import Collider
from semantic_nav_sim.world.description import WorldDescription
from semantic_nav_sim.world.export import (
    FLOOR_M,
    GRAVITY_MPS2,
    Body,
    bodies,
    lamp_places,
    texture_file,
    write_beside,
)
from semantic_nav_sim.world.materials import Material, Materials
from semantic_nav_sim.world.meshes import Floats, Mesh
from semantic_nav_sim.world.scene import Placing, Stage

WORLD_FILE = 'world.usda'
ROOT = '/World'
BUILDING = f'{ROOT}/Building'
THINGS = f'{ROOT}/Things'
LOOKS = f'{ROOT}/Looks'
LIGHTS = f'{ROOT}/Lights'
#: Rough density of hollow household things: a mug 0.2 kg, a microwave oven 10 kg.
DENSITY_KGPM3 = 200.0
# Intensities of a lamp of power 1, a sun of power 1 and the sky; chosen without looking at them.
_LAMP, _SUN, _SKY = 30000.0, 1000.0, 300.0
_LAMP_RADIUS_M = 0.05
# Digits of lengths, and of quaternions, which must keep unit length.
_DIGITS, _TURN_DIGITS = 5, 7


def usd_stage(staged: Stage) -> Usd.Stage:
    """A home with everything in its place for a seed, in memory."""
    world = staged.scene.world
    made = Usd.Stage.CreateInMemory()
    made.GetRootLayer().comment = (f'semantic_nav, world to-usd: {world.name}, seed '
                                   f'{staged.seed}; SHA-256 of the world {world.digest}')
    UsdGeom.SetStageMetersPerUnit(made, UsdGeom.LinearUnits.meters)
    UsdGeom.SetStageUpAxis(made, UsdGeom.Tokens.z)
    UsdPhysics.SetStageKilogramsPerUnit(made, UsdPhysics.MassUnits.kilograms)
    made.SetDefaultPrim(UsdGeom.Xform.Define(made, ROOT).GetPrim())
    physics = UsdPhysics.Scene.Define(made, f'{ROOT}/PhysicsScene')
    physics.CreateGravityDirectionAttr(Gf.Vec3f(0, 0, -1))
    physics.CreateGravityMagnitudeAttr(GRAVITY_MPS2)
    for group in (LOOKS, LIGHTS):
        UsdGeom.Scope.Define(made, group)
    materials = Materials(world.materials)
    shell, *things = bodies(staged, materials)
    _add_body(made, BUILDING, shell, materials)
    _add_floor(made)
    UsdGeom.Xform.Define(made, THINGS)
    for thing in things:
        _add_body(made, f'{THINGS}/{thing.name}', thing, materials)
    _add_light(made, world)
    start = staged.start
    _place(UsdGeom.Xform.Define(made, f'{ROOT}/RobotStart'), (start.x, start.y, 0.0),
           _about_z(start.yaw))
    return made


def write_usd(staged: Stage, folder: Path) -> Path:
    """Write a home for Isaac Sim, with the map of its floor and the robot's start pose.

    Args:
        staged: the home.
        folder: an empty one, which exists.

    Returns:
        The world's file, as text; equal homes give equal files. Beside it are the files of
        `write_beside`.
    """
    made = usd_stage(staged)
    write_beside(staged, (look.GetName() for look in made.GetPrimAtPath(LOOKS).GetChildren()),
                 folder)
    write_whole(folder / WORLD_FILE, made.GetRootLayer().ExportToString().encode())
    return folder / WORLD_FILE


def _add_body(made: Usd.Stage, path: str, body: Body, materials: Materials) -> None:
    added = UsdGeom.Xform.Define(made, path)
    _place(added, body.placing.position, _about_z(body.placing.yaw_rad))
    UsdGeom.Scope.Define(made, f'{path}/visuals')
    for material, mesh in body.meshes.items():
        _add_mesh(made, f'{path}/visuals/{material}', mesh,
                  _material(made, material, materials[material]))
    solid = UsdGeom.Scope.Define(made, f'{path}/collisions')
    # Colliders are not visible.
    solid.CreatePurposeAttr(UsdGeom.Tokens.guide)
    for index, collider in enumerate(body.colliders):
        _add_collider(made, f'{path}/collisions/{collider.shape}_{index}', collider)
    # An object without colliders, such as a cushion, would fall through the floor.
    if body.movable and body.colliders:
        UsdPhysics.RigidBodyAPI.Apply(added.GetPrim()).CreateStartsAsleepAttr(True)
        mass = UsdPhysics.MassAPI.Apply(added.GetPrim())
        mass.CreateMassAttr(round(DENSITY_KGPM3 * sum(map(_volume_m3, body.colliders)), 3))


def _add_floor(made: Usd.Stage) -> None:
    """Add a plane as a floor, since seams between rooms would shake wheels."""
    floor = UsdGeom.Plane.Define(made, f'{BUILDING}/collisions/floor')
    floor.CreateAxisAttr(UsdGeom.Tokens.z)
    floor.CreateWidthAttr(FLOOR_M)
    floor.CreateLengthAttr(FLOOR_M)
    _make_solid(floor, (FLOOR_M / 2, FLOOR_M / 2, 0.0))


def _add_mesh(made: Usd.Stage, path: str, mesh: Mesh, material: UsdShade.Material) -> None:
    added = UsdGeom.Mesh.Define(made, path)
    added.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    # At the poles of bodies of revolution some vertices belong to no face.
    used, faces = np.unique(mesh.faces, return_inverse=True)
    points = _rounded(mesh.vertices[used])
    added.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    added.CreateFaceVertexCountsAttr(Vt.IntArray(len(mesh.faces), 3))
    added.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    added.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(_rounded(mesh.normals[used])))
    added.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    added.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(
        np.stack([points.min(axis=0), points.max(axis=0)])))
    UsdGeom.PrimvarsAPI(added).CreatePrimvar(
        'st', Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.vertex,
    ).Set(Vt.Vec2fArray.FromNumpy(_rounded(mesh.texcoords[used])))
    UsdShade.MaterialBindingAPI.Apply(added.GetPrim()).Bind(material)


def _material(made: Usd.Stage, name: str, look: Material) -> UsdShade.Material:
    """Return a material, which is added if missing."""
    path = f'{LOOKS}/{name}'
    if made.GetPrimAtPath(path):
        return UsdShade.Material.Get(made, path)

    def shader(part: str, kind: str) -> UsdShade.Shader:
        one = UsdShade.Shader.Define(made, f'{path}/{part}')
        one.CreateIdAttr(kind)
        return one

    types = Sdf.ValueTypeNames
    added = UsdShade.Material.Define(made, path)
    reader = shader('texcoords', 'UsdPrimvarReader_float2')
    reader.CreateInput('varname', types.String).Set('st')
    texture = shader('texture', 'UsdUVTexture')
    texture.CreateInput('file', types.Asset).Set(Sdf.AssetPath(f'./{texture_file(name)}'))
    texture.CreateInput('sourceColorSpace', types.Token).Set('sRGB')
    for wrap in ('wrapS', 'wrapT'):
        texture.CreateInput(wrap, types.Token).Set('repeat')
    texture.CreateInput('st', types.Float2).ConnectToSource(
        reader.CreateOutput('result', types.Float2))
    colour = texture.CreateOutput('rgb', types.Float3)
    surface = shader('surface', 'UsdPreviewSurface')
    surface.CreateInput('roughness', types.Float).Set(round(look.roughness, _DIGITS))
    surface.CreateInput('metallic', types.Float).Set(0.0)
    for shown in ('diffuseColor', *(['emissiveColor'] if look.glows else [])):
        surface.CreateInput(shown, types.Color3f).ConnectToSource(colour)
    added.CreateSurfaceOutput().ConnectToSource(surface.CreateOutput('surface', types.Token))
    return added


def _add_collider(made: Usd.Stage, path: str, collider: Collider) -> None:
    turn = _quaternion(collider.rotation)
    if collider.shape == 'box':
        box = UsdGeom.Cube.Define(made, path)
        box.CreateSizeAttr(1.0)
        _place(box, collider.position, turn)
        box.AddScaleOp().Set(Gf.Vec3f(*(_number(2 * half) for half in collider.size)))
        _make_solid(box, (0.5, 0.5, 0.5))
        return
    radius, _, half = (_number(value) for value in collider.size)
    cylinder = UsdGeom.Cylinder.Define(made, path)
    cylinder.CreateAxisAttr(UsdGeom.Tokens.z)
    cylinder.CreateRadiusAttr(radius)
    cylinder.CreateHeightAttr(_number(2 * half))
    _place(cylinder, collider.position, turn)
    _make_solid(cylinder, (radius, radius, half))


def _make_solid(shape: UsdGeom.Gprim, half: tuple[float, float, float]) -> None:
    """Make a shape collide; `half` are its half extents along its own axes."""
    shape.CreateExtentAttr([Gf.Vec3f(*(0.0 - value for value in half)), Gf.Vec3f(*half)])
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())


def _add_light(made: Usd.Stage, world: WorldDescription) -> None:
    for index, (lamp, at) in enumerate(zip(world.lamps, lamp_places(world), strict=True)):
        bulb = UsdLux.SphereLight.Define(made, f'{LIGHTS}/lamp_{index}')
        bulb.CreateRadiusAttr(_LAMP_RADIUS_M)
        bulb.CreateNormalizeAttr(True)
        bulb.CreateIntensityAttr(_number(_LAMP * lamp.power))
        _place(bulb, at, Gf.Quatf(1))
    sun = UsdLux.DistantLight.Define(made, f'{LIGHTS}/sun')
    sun.CreateIntensityAttr(_number(_SUN * world.sun.power))
    # It shines against its z axis.
    turn = Gf.Rotation(Gf.Vec3d.ZAxis(), Gf.Vec3d(*world.sun.towards))
    _place(sun, (0.0, 0.0, 0.0), Gf.Quatf(turn.GetQuat()))
    UsdLux.DomeLight.Define(made, f'{LIGHTS}/sky').CreateIntensityAttr(_SKY)


def _place(shape: UsdGeom.Xformable, at: Sequence[float] | Floats, turn: Gf.Quatf) -> None:
    shape.AddTranslateOp().Set(Gf.Vec3d(*(_number(value) for value in at)))
    shape.AddOrientOp().Set(Gf.Quatf(*(_number(value, _TURN_DIGITS)
                                       for value in (turn.real, *turn.imaginary))))


def _about_z(yaw_rad: float) -> Gf.Quatf:
    return Gf.Quatf(*Placing((0.0, 0.0, 0.0), yaw_rad).quaternion)


def _quaternion(rotation: Floats) -> Gf.Quatf:
    # Gf matrices transform row vectors, ours column vectors.
    return Gf.Quatf(Gf.Matrix3d(*map(float, rotation.T.ravel())).ExtractRotation().GetQuat())


def _volume_m3(collider: Collider) -> float:
    x, y, z = (float(value) for value in collider.size)
    return 8 * x * y * z if collider.shape == 'box' else math.tau * x * y * z


def _number(value: float, digits: int = _DIGITS) -> float:
    """Round to a number that all machines write alike, and never -0."""
    return round(float(value), digits) + 0.0


def _rounded(values: Floats) -> NDArray[np.float32]:
    return (np.round(values, _DIGITS) + 0.0).astype(np.float32)
