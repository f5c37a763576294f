"""Worlds for Isaac Sim: everything in its place, of its size and solid, in a valid USD stage."""

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import small_world
from numpy.typing import NDArray
from pxr import Gf, Usd, UsdGeom, UsdLux, UsdPhysics, UsdShade, UsdValidation

from semantic_nav.contracts.map_file import load_map
from semantic_nav_sim.world.export import SHELL, bodies
from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.materials import Materials
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import Stage, build_scene, stage
from semantic_nav_sim.world.usd import (
    BUILDING,
    DENSITY_KGPM3,
    LIGHTS,
    LOOKS,
    ROOT,
    THINGS,
    WORLD_FILE,
    usd_stage,
    write_usd,
)

Floats = NDArray[np.float64]
NEAR_M = 1e-3


def small() -> Stage:
    return stage(build_scene(world_from(small_world.document())), small_world.SEED_STOOL)


@pytest.fixture(scope='module', params=['small', 'apartment'])
def staged(request: pytest.FixtureRequest) -> Stage:
    if request.param == 'small':
        return small()
    return stage(build_scene(load_world('apartment')), 2)


@pytest.fixture(scope='module')
def made(staged: Stage) -> Usd.Stage:
    return usd_stage(staged)


def below(made: Usd.Stage, path: str) -> list[Usd.Prim]:
    return list(made.GetPrimAtPath(path).GetChildren())


def solids(made: Usd.Stage) -> list[Usd.Prim]:
    """Return everything that collides but for the plane of the floor, in their order."""
    found = [prim for prim in made.Traverse() if prim.HasAPI(UsdPhysics.CollisionAPI)]
    planes = [prim for prim in found if prim.IsA(UsdGeom.Plane)]
    assert [str(one.GetPath()) for one in planes] == [f'{BUILDING}/collisions/floor']
    return [prim for prim in found if prim not in planes]


def box_of(prim: Usd.Prim) -> tuple[Floats, Floats]:
    """Return the corners of a prim's bounding box in the map, each shape (3,)."""
    cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(),
                              [UsdGeom.Tokens.default_, UsdGeom.Tokens.guide])
    found = cache.ComputeWorldBound(prim).ComputeAlignedRange()
    return np.array(found.GetMin()), np.array(found.GetMax())


def errors(made: Usd.Stage) -> list[str]:
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    return [f'{one.GetName()}: {one.GetMessage()}' for one in context.Validate(made)]


def test_stage_is_in_metres_with_z_up_and_tells_its_origin(staged: Stage, made: Usd.Stage) -> None:
    assert UsdGeom.GetStageMetersPerUnit(made) == 1
    assert UsdGeom.GetStageUpAxis(made) == 'Z'
    assert UsdPhysics.GetStageKilogramsPerUnit(made) == 1
    assert made.GetDefaultPrim().GetPath() == ROOT
    comment = made.GetRootLayer().comment
    assert f'{staged.scene.world.name}, seed {staged.seed};' in comment
    assert comment.endswith(staged.scene.world.digest)
    gravity = UsdPhysics.Scene.Get(made, f'{ROOT}/PhysicsScene')
    assert gravity.GetGravityDirectionAttr().Get() == (0, 0, -1)
    assert gravity.GetGravityMagnitudeAttr().Get() == pytest.approx(9.81)


def test_every_thing_is_there_once_with_all_its_parts(staged: Stage, made: Usd.Stage) -> None:
    assert [one.GetName() for one in below(made, THINGS)] == list(staged.scene.objects)
    shown = set()
    for body in bodies(staged, Materials(staged.scene.world.materials)):
        path = BUILDING if body.name == SHELL else f'{THINGS}/{body.name}'
        visuals = below(made, f'{path}/visuals')
        assert [one.GetName() for one in visuals] == list(body.meshes)
        count = len(body.colliders) + (body.name == SHELL)
        assert len(below(made, f'{path}/collisions')) == count
        shown |= set(body.meshes)
    assert {one.GetName() for one in below(made, LOOKS)} == shown


def test_everything_collides_within_a_millimetre_of_where_the_world_has_it(
        staged: Stage, made: Usd.Stage) -> None:
    found, wanted = solids(made), staged.named_colliders()
    assert len(found) == len(wanted) > 10
    for prim, (collider, owner) in zip(found, wanted, strict=True):
        path = str(prim.GetPath())
        assert path.startswith(f'{BUILDING}/' if owner == 'wall' else f'{THINGS}/{owner}/')
        assert prim.GetTypeName() == {'box': 'Cube', 'cylinder': 'Cylinder'}[collider.shape]
        reach = np.abs(collider.rotation) @ collider.size
        low, high = box_of(prim)
        assert np.allclose(low, collider.position - reach, rtol=0, atol=NEAR_M), path
        assert np.allclose(high, collider.position + reach, rtol=0, atol=NEAR_M), path
        assert collider.shape == 'box' or UsdGeom.Cylinder(prim).GetAxisAttr().Get() == 'Z'
        world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default())
        axes = [world.TransformDir(Gf.Vec3d.Axis(axis)).GetNormalized() for axis in range(3)]
        assert np.allclose(np.transpose(axes), collider.rotation, atol=1e-4), path


def test_what_collides_is_not_drawn(made: Usd.Stage) -> None:
    assert {UsdGeom.Imageable(prim).ComputePurpose() for prim in solids(made)} == {'guide'}
    drawn = [prim for prim in made.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert {UsdGeom.Imageable(prim).ComputePurpose() for prim in drawn} == {'default'}
    assert not any(prim.HasAPI(UsdPhysics.CollisionAPI) for prim in drawn)


def test_what_is_movable_and_solid_is_a_sleeping_body_with_mass_and_nothing_else_is(
        staged: Stage, made: Usd.Stage) -> None:
    found = {prim.GetName(): prim for prim in made.Traverse()
             if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    wanted = {thing.id: thing for thing in staged.scene.objects.values()
              if thing.movable and thing.colliders}
    assert set(found) == set(wanted) and found
    for name, prim in found.items():
        assert UsdPhysics.RigidBodyAPI(prim).GetStartsAsleepAttr().Get()
        volume = sum(np.prod(2 * one.size) * (1 if one.shape == 'box' else np.pi / 4)
                     for one in wanted[name].colliders)
        mass = UsdPhysics.MassAPI(prim).GetMassAttr().Get()
        assert mass == pytest.approx(DENSITY_KGPM3 * volume, abs=6e-4) and mass > 0


def test_everything_is_seen_where_it_is_and_as_large_as_it_is(
        staged: Stage, made: Usd.Stage) -> None:
    for truth in staged.truth():
        path = f'{THINGS}/{truth.id}'
        # The extent is what a viewer goes by.
        extents = np.array([UsdGeom.Mesh(mesh).GetExtentAttr().Get()
                            for mesh in below(made, f'{path}/visuals')])
        low, high = extents[:, 0].min(axis=0), extents[:, 1].max(axis=0)
        assert np.allclose(high - low, truth.size, rtol=0, atol=NEAR_M), truth.id
        thing = UsdGeom.Xformable(made.GetPrimAtPath(path))
        middle = thing.ComputeLocalToWorldTransform(Usd.TimeCode.Default()).Transform(
            Gf.Vec3d(*map(float, (low + high) / 2)))
        assert np.allclose(middle, truth.position, rtol=0, atol=NEAR_M), truth.id


def test_meshes_have_the_faces_and_the_pictures_of_the_world(
        staged: Stage, made: Usd.Stage) -> None:
    for body in bodies(staged, Materials(staged.scene.world.materials)):
        path = BUILDING if body.name == SHELL else f'{THINGS}/{body.name}'
        for material, mesh in body.meshes.items():
            found = UsdGeom.Mesh.Get(made, f'{path}/visuals/{material}')
            corners = np.array(found.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
            assert list(found.GetFaceVertexCountsAttr().Get()) == [3] * len(corners)
            st = UsdGeom.PrimvarsAPI(found).GetPrimvar('st').Get()
            for values, wanted in ((found.GetPointsAttr().Get(), mesh.vertices),
                                   (found.GetNormalsAttr().Get(), mesh.normals),
                                   (st, mesh.texcoords)):
                assert np.allclose(np.array(values)[corners], wanted[mesh.faces], atol=2e-5)
            bound, _ = UsdShade.MaterialBindingAPI(found).ComputeBoundMaterial()
            assert bound.GetPath() == f'{LOOKS}/{material}'


def test_lamps_hang_in_their_places_and_the_sun_shines_from_its_direction(
        staged: Stage, made: Usd.Stage) -> None:
    world = staged.scene.world
    lamps = [prim for prim in made.Traverse() if prim.IsA(UsdLux.SphereLight)]
    for prim, lamp in zip(lamps, world.lamps, strict=True):
        at = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(
            Usd.TimeCode.Default()).ExtractTranslation()
        assert np.allclose(at[:2], lamp.at[:2], atol=1e-4)
        assert world.wall_height / 2 < at[2] < world.wall_height
    sun = UsdGeom.Xformable(made.GetPrimAtPath(f'{LIGHTS}/sun'))
    shines = sun.ComputeLocalToWorldTransform(Usd.TimeCode.Default()).TransformDir((0, 0, -1))
    assert np.allclose(shines, -np.array(world.sun.towards), atol=1e-4)


def test_files_lie_beside_the_stage_which_is_valid_and_always_the_same(tmp_path: Path) -> None:
    staged, again = small(), tmp_path / 'again'
    again.mkdir()
    path = write_usd(staged, tmp_path)
    assert path == tmp_path / WORLD_FILE
    assert path.read_bytes() == write_usd(small(), again).read_bytes()
    assert path.read_bytes().startswith(b'#usda 1.0\n')
    made = Usd.Stage.Open(str(path))
    assert errors(made) == []
    shaders = chain.from_iterable(below(made, str(one.GetPath())) for one in below(made, LOOKS))
    named = {UsdShade.Shader(one).GetInput('file').Get() for one in shaders
             if one.GetName() == 'texture'}
    assert {Path(one.resolvedPath) for one in named} == set((tmp_path / 'textures').iterdir())
    start = json.loads((tmp_path / 'start.json').read_text())
    world = UsdGeom.Xformable(made.GetPrimAtPath(f'{ROOT}/RobotStart')).GetLocalTransformation()
    assert np.allclose(world.ExtractTranslation(), (start['x'], start['y'], 0.0), atol=1e-4)
    assert np.allclose(world.TransformDir((1, 0, 0)), (np.cos(start['yaw']), np.sin(start['yaw']),
                                                       0.0), atol=1e-4)
    assert (start['x'], start['y']) == (staged.start.x, staged.start.y)
    assert load_map(tmp_path / 'map.yaml').resolution_m > 0


def test_the_validators_see_what_is_wrong(tmp_path: Path) -> None:
    made = Usd.Stage.Open(str(write_usd(small(), tmp_path)))
    made.ClearDefaultPrim()
    table = made.GetPrimAtPath(f'{THINGS}/table/visuals/pine')
    table.RemoveAPI(UsdShade.MaterialBindingAPI)
    (tmp_path / 'textures' / 'pine.png').unlink()
    said = '\n'.join(errors(made))
    assert 'defaultPrim' in said and 'MaterialBindingAPI' in said and 'pine.png' in said
