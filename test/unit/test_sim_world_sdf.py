"""Worlds for Gazebo: everything in its place, of its size, in a document of the format."""

import json
import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sdf_schema
import small_world
from numpy.typing import NDArray

from semantic_nav.contracts.map_file import load_map
from semantic_nav_sim.world.export import SHELL
from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.meshes import Mesh, rotation_x, rotation_y, rotation_z
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import Stage, build_scene, stage
from semantic_nav_sim.world.sdf import SYSTEMS, Files, sdf_files, write_sdf
from semantic_nav_sim.world.structure import EPSILON_M

Element = ElementTree.Element
Floats = NDArray[np.float64]
#: What stands in what, of all that is written.
KNOWN = {
    'sdf': {'world'}, 'world': {'physics', 'gravity', 'magnetic_field', 'atmosphere', 'plugin',
                               'scene', 'light', 'model'},
    'physics': {'max_step_size', 'real_time_factor', 'real_time_update_rate'},
    'plugin': {'render_engine'},
    'scene': {'ambient', 'background', 'shadows'},
    'light': {'pose', 'cast_shadows', 'diffuse', 'specular', 'attenuation', 'direction'},
    'attenuation': {'range', 'constant', 'linear', 'quadratic'},
    'model': {'static', 'pose', 'link'}, 'link': {'collision', 'visual'},
    'collision': {'pose', 'geometry'}, 'visual': {'geometry', 'material'},
    'geometry': {'box', 'cylinder', 'mesh'}, 'box': {'size'},
    'cylinder': {'radius', 'length'}, 'mesh': {'uri'},
    'material': {'ambient', 'diffuse', 'pbr'}, 'pbr': {'metal'},
    'metal': {'albedo_map', 'roughness', 'metalness', 'emissive_map'}}


def small() -> Stage:
    return stage(build_scene(world_from(small_world.document())), small_world.SEED_STOOL)


@pytest.fixture(scope='module', params=['small', 'apartment'])
def staged(request: pytest.FixtureRequest) -> Stage:
    if request.param == 'small':
        return small()
    return stage(build_scene(load_world('apartment')), 2)


@pytest.fixture(scope='module')
def files(staged: Stage) -> Files:
    return sdf_files(staged)


def numbers(element: Element, path: str) -> Floats:
    return np.array([float(word) for word in (element.findtext(path) or '').split()])


def frame(element: Element) -> tuple[Floats, Floats]:
    """Return position and rotation of an element's pose."""
    x, y, z, roll, pitch, yaw = numbers(element, 'pose')
    return np.array([x, y, z]), rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)


def models(files: Files) -> dict[str, Element]:
    found = {model.get('name', ''): model for model in files.world.iter('model')}
    assert len(found) == len(list(files.world.iter('model')))
    return found


def test_every_thing_and_the_walls_are_there_once(staged: Stage, files: Files) -> None:
    assert set(models(files)) == {SHELL, *staged.scene.objects}
    assert all(model.findtext('static') == 'true' for model in files.world.iter('model'))


def test_everything_collides_where_it_does_in_the_simulator(staged: Stage, files: Files) -> None:
    found = []
    for name, model in models(files).items():
        at, turn = frame(model)
        for collision in model.iter('collision'):
            if collision.get('name') == 'floor':
                assert frame(collision)[0][2] == -numbers(collision, 'geometry/box/size')[2] / 2
                continue
            inner, inner_turn = frame(collision)
            box = collision.find('geometry/box')
            size = numbers(collision, 'geometry/box/size') / 2
            if box is None:
                radius = float(collision.findtext('geometry/cylinder/radius') or 0)
                length = float(collision.findtext('geometry/cylinder/length') or 0)
                size = np.array([radius, radius, length / 2])
            found.append(('wall' if name == SHELL else name, 'cylinder' if box is None else 'box',
                          at + turn @ inner, turn @ inner_turn, size))
    wanted = staged.named_colliders()
    assert len(found) == len(wanted) > 10
    for (name, shape, middle, turn, size), (collider, owner) in zip(found, wanted, strict=True):
        assert (name, shape) == (owner, collider.shape)
        assert np.allclose(middle, collider.position, atol=1e-4), name
        assert np.allclose(turn, collider.rotation, atol=1e-4), name
        assert np.allclose(size, collider.size, atol=1e-4), name


def test_everything_is_seen_where_it_is_and_as_large_as_it_is(
        staged: Stage, files: Files) -> None:
    by_model = models(files)
    for truth in staged.truth():
        at, turn = frame(by_model[truth.id])
        meshes = [files.meshes[Path(uri.text or '').name]
                  for uri in by_model[truth.id].iter('uri')]
        points = np.vstack([mesh.vertices for mesh in meshes])
        low, high = points.min(axis=0), points.max(axis=0)
        assert np.allclose(high - low, truth.size, atol=1e-4), truth.id
        assert np.allclose(at + turn @ ((low + high) / 2), truth.position, atol=1e-4), truth.id


def test_a_door_leaves_a_hole_in_what_is_seen_and_felt_of_the_wall(
        staged: Stage, files: Files) -> None:
    solid = [(frame(one)[0], numbers(one, 'geometry/box/size') / 2)
             for one in models(files)[SHELL].iter('collision') if one.find('geometry/box/size')
             is not None]
    doors = 0
    for wall in staged.scene.world.walls:
        for opening in wall.openings:
            middle = wall.point(sum(opening.span) / 2, wall.at, 0.5)
            inside = [one for one in solid
                      if np.all(np.abs(np.array(middle) - one[0]) < one[1] + EPSILON_M)]
            beside = wall.point(opening.span[0] - 0.05, wall.at, 0.5)
            assert any(np.all(np.abs(np.array(beside) - at) <= half + 0.06) for at, half in solid)
            if opening.kind != 'window':
                assert not inside
                doors += 1
    assert doors


def test_a_floor_shows_as_many_tiles_as_fit_on_it(staged: Stage, files: Files) -> None:
    room = staged.scene.world.rooms[0]
    mesh: Mesh = files.meshes[f'{SHELL}-{room.floor}.obj']
    on_floor = np.abs(mesh.vertices[:, 2]) < 1e-9
    corner = on_floor & (np.abs(mesh.vertices[:, :2] - room.high) < 1e-9).all(axis=1)
    assert corner.any()
    assert mesh.texcoords[corner].max() > 1.0


def test_document_holds_what_the_format_knows(files: Files) -> None:
    def check(element: Element) -> None:
        for child in element:
            assert child.tag in KNOWN.get(element.tag, set()), (element.tag, child.tag)
            check(child)

    assert (files.world.tag, files.world.get('version')) == ('sdf', '1.11')
    check(files.world)
    plugins = {(one.get('filename'), one.get('name')) for one in files.world.iter('plugin')}
    assert plugins == set(SYSTEMS)


def test_document_is_as_sdformat_describes_it(files: Files) -> None:
    folder = sdf_schema.descriptions('1.11')
    if folder is None:
        pytest.skip('sdformat is not installed')
    assert sdf_schema.problems(files.world, folder) == []


def test_every_number_is_one_that_any_reader_takes(files: Files) -> None:
    for element in files.world.iter():
        for word in (element.text or '').split():
            if element.tag in ('pose', 'size', 'radius', 'length', 'direction', 'diffuse'):
                assert math.isfinite(float(word)) and 'e' not in word and word != '-0'


def test_files_lie_where_the_document_looks_for_them(tmp_path: Path) -> None:
    staged = small()
    path = write_sdf(staged, tmp_path)
    world = ElementTree.parse(path).getroot()
    named = {element.text or '' for tag in ('uri', 'albedo_map', 'emissive_map')
             for element in world.iter(tag)}
    lying = {str(one.relative_to(tmp_path)) for folder in ('meshes', 'textures')
             for one in (tmp_path / folder).iterdir()}
    assert named == lying
    for name in lying:
        content = (tmp_path / name).read_bytes()
        assert content.startswith(b'\x89PNG' if name.endswith('.png') else b'v ')
    start = json.loads((tmp_path / 'start.json').read_text())
    assert (start['x'], start['y'], start['yaw']) == (
        staged.start.x, staged.start.y, staged.start.yaw)
    assert load_map(tmp_path / 'map.yaml').resolution_m > 0


def test_a_mesh_is_written_with_counts_that_begin_at_one(tmp_path: Path) -> None:
    staged = small()
    write_sdf(staged, tmp_path)
    mesh = sdf_files(staged).meshes['table-pine.obj']
    lines = (tmp_path / 'meshes' / 'table-pine.obj').read_text().splitlines()
    assert [sum(line.startswith(f'{key} ') for line in lines) for key in ('v', 'vt', 'vn', 'f')] \
        == [len(mesh.vertices)] * 3 + [len(mesh.faces)]
    indices = [int(part) for line in lines if line.startswith('f ')
               for word in line.split()[1:] for part in word.split('/')]
    assert (min(indices), max(indices)) == (1, len(mesh.vertices))
