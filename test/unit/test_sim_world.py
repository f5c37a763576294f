"""Worlds as data: what is refused, what stands where, what the seed decides."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_world
import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.usual_places import kept_on, likelihood
from semantic_nav_sim.world.generator.habits import HABITS, ROAMING
from semantic_nav_sim.world.library import LIBRARY
from semantic_nav_sim.world.loading import load_world, world_from
from semantic_nav_sim.world.meshes import Mesh, ellipsoid, rectangle, rounded_box, turned
from semantic_nav_sim.world.scene import WorldScene, build_scene, placing_on, stage
from semantic_nav_sim.world.scene_cache import load_scene


@pytest.fixture(scope='module')
def apartment() -> WorldScene:
    return build_scene(load_world('apartment'))


def test_the_apartment_is_rich_enough(apartment: WorldScene) -> None:
    truths = stage(apartment, 0).truth()
    assert len(apartment.world.rooms) >= 6
    assert len(truths) >= 45
    assert len({truth.kind for truth in truths}) >= 15
    names = Counter(truth.name for truth in truths)
    assert names['red mug'] == 1
    assert {'blue mug', 'red bowl', 'red book'} <= set(names)
    assert all(truth.room for truth in truths)


def test_the_mug_has_several_rooms_to_be_in(apartment: WorldScene) -> None:
    rooms = set()
    for seed in range(40):
        [mug] = [t for t in stage(apartment, seed).truth() if t.id == 'red_mug']
        rooms.add(mug.room)
        assert 0.4 < mug.position[2] < 1.1
    assert len(rooms) >= 4


def test_the_same_seed_gives_the_same_stage(apartment: WorldScene) -> None:
    first, again = stage(apartment, 11), stage(apartment, 11)
    assert first.placings == again.placings
    assert first.start == again.start
    assert len({stage(apartment, seed).start for seed in range(30)}) > 3


def test_what_moved_lies_on_another_of_its_spots_and_the_robot_starts_where_it_did(
        apartment: WorldScene) -> None:
    several = {name for name, spots in apartment.world.placements.items() if len(spots) > 1}
    moved_of_half = 0
    for seed in range(20):
        before, after = stage(apartment, seed), stage(apartment, seed, 1.0)
        assert after.start == before.start
        there = {truth.id: truth for truth in before.truth()}
        moved = {truth.id for truth in after.truth() if truth != there[truth.id]}
        assert moved == several
        moved_of_half += sum(truth != there[truth.id]
                             for truth in stage(apartment, seed, 0.5).truth())
    assert 0.3 < moved_of_half / (20 * len(several)) < 0.7


def test_things_lie_where_such_things_usually_do(apartment: WorldScene) -> None:
    spots = apartment.world.placements['red_mug']
    on: dict[bool, Counter[str]] = {}
    for usual in (False, True):
        placings = [stage(apartment, seed, usual=usual).placings['red_mug'] for seed in range(300)]
        on[usual] = Counter(next(spot.support for spot in spots if placing == placing_on(
            apartment.objects, 'red_mug', spot)) for placing in placings)
    assert min(on[False].values()) > 25
    # Desk and kitchen counter bear mugs, a console table in the hall or a coffee table seldom one.
    assert on[True]['desk'] + on[True]['kitchen_counter'] + on[True]['dining_table'] > 200
    assert on[True]['console_table'] + on[True]['coffee_table'] < 30
    assert likelihood('mug', 'kitchen', 'kitchen counter') > 20 * likelihood(
        'mug', 'bathroom', 'washing machine') > 0.0
    assert likelihood('flurble', 'kitchen', 'desk') == likelihood('flurble', 'hall', 'bed')


def test_what_moved_lies_where_such_things_usually_do(apartment: WorldScene) -> None:
    for seed in range(20):
        before, after = (stage(apartment, seed, moved, usual=True) for moved in (0.0, 1.0))
        assert before.placings['red_mug'] != after.placings['red_mug']


def test_kettles_and_laptops_are_laid_where_the_data_has_them() -> None:
    for habit in (*HABITS, *ROAMING):
        if habit.kind in ('kettle', 'laptop'):
            assert set(habit.supports) & set(kept_on(habit.kind))
            known = [support for support in habit.supports if support in kept_on(habit.kind)]
            assert len(known) >= len(habit.supports) - 1


def test_the_robot_starts_where_nothing_is_hidden(apartment: WorldScene) -> None:
    for seed in range(30):
        there = stage(apartment, seed)
        hidden = {truth.room for truth in there.truth() if truth.id in apartment.world.placements}
        room = apartment.world.room_at(there.start.x, there.start.y)
        assert room is not None and room.name not in hidden, seed


def test_the_robot_starts_even_if_something_is_hidden_in_every_room_it_may_start_in() -> None:
    scene = build_scene(world_from(small_world.document()))
    there = stage(scene, small_world.SEED_TABLE)
    [mug] = [truth for truth in there.truth() if truth.id == 'red_mug']
    assert there.start in scene.world.start_poses and mug.room == 'den'


def test_movable_things_never_share_a_place(apartment: WorldScene) -> None:
    for seed in range(30):
        on_top = stage(apartment, seed)
        centres = {truth.id: truth for truth in on_top.truth()
                   if apartment.objects[truth.id].movable}
        for one in centres.values():
            for other in centres.values():
                if one.id < other.id and abs(one.position[2] - other.position[2]) < 0.15:
                    gap = math.dist(one.position[:2], other.position[:2])
                    apart = min(one.size[:2]) / 2 + min(other.size[:2]) / 2
                    assert gap > apart, (seed, one.id, other.id)


def test_things_on_supports_touch_them() -> None:
    world = world_from(small_world.document())
    scene = build_scene(world)
    on_table = stage(scene, small_world.SEED_TABLE)
    [mug] = [truth for truth in on_table.truth() if truth.id == 'red_mug']
    assert mug.position[2] - mug.size[2] / 2 == pytest.approx(0.75, abs=1e-6)
    assert mug.position[:2] == pytest.approx((2.4, 2.3), abs=0.03)
    on_stool = stage(scene, small_world.SEED_STOOL)
    [mug] = [truth for truth in on_stool.truth() if truth.id == 'red_mug']
    assert mug.room == 'store'


def test_an_object_looks_where_its_yaw_points() -> None:
    document = small_world.document()
    document['furniture'].append({'id': 'screen', 'kind': 'television', 'name': 'tv',
                                  'colour': 'black', 'at_m': [1, 1], 'yaw_deg': 90})
    thing = build_scene(world_from(document)).objects['screen']
    [face] = [visual for visual in thing.visuals if visual.material == 'television_screen']
    assert thing.placing.apply(face.mesh.normals[0]) - thing.placing.position == pytest.approx(
        (0, 1, 0), abs=1e-9)


@pytest.mark.parametrize('name', sorted(LIBRARY.entries))
def test_every_recipe_fits_its_size(name: str) -> None:
    entry = LIBRARY.entries[name]
    built = LIBRARY.build(name)
    assert built.visuals
    vertices = np.vstack([visual.mesh.vertices for visual in built.visuals])
    extents = vertices.max(axis=0) - vertices.min(axis=0)
    # Handles, feet and leaves may stand out a little.
    assert (extents <= np.array(entry.size) + 0.32).all()
    assert (extents >= 0.45 * np.array(entry.size) - 0.02).all()
    if name != 'ceiling lamp':
        assert vertices[:, 2].min() > -0.02
    for visual in built.visuals:
        assert np.linalg.norm(visual.mesh.normals, axis=1) == pytest.approx(1, abs=1e-6)


def closed_volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum('ij,ij->i', a, np.cross(b, c)).sum() / 6)


def test_meshes_face_outwards() -> None:
    assert closed_volume(rounded_box((1, 2, 3), 0)) == pytest.approx(6)
    assert closed_volume(rounded_box((1, 2, 3), 0.1, 3)) == pytest.approx(6, rel=0.05)
    cylinder = turned([(0, 0), (1, 0), (1, 2), (0, 2)], 64)
    assert closed_volume(cylinder) == pytest.approx(2 * math.pi, rel=0.01)
    ball = ellipsoid((2, 2, 2), 0, 24)
    assert closed_volume(ball) == pytest.approx(4 / 3 * math.pi, rel=0.03)
    flat = rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0))
    assert flat.normals == pytest.approx(np.tile((0, 0, 1), (4, 1)))


def broken(**changes: Any) -> dict[str, Any]:
    return {**small_world.document(), **changes}


@pytest.mark.parametrize(('change', 'words'), [
    ({'colour_of_the_sky': 'blue'}, 'colour_of_the_sky'),
    ({'rooms': []}, 'rooms'),
    ({'start_poses': [{'at_m': [9, 9], 'yaw_deg': 0}]}, 'lies in no room'),
    ({'placements': []}, 'red_mug: give exactly one'),
    ({'walls': [{'axis': 'x', 'at_m': 0, 'span_m': [0, 5], 'openings': [
        {'kind': 'window', 'span_m': [1, 2]}, {'kind': 'passage', 'span_m': [1.5, 3]}]}]},
     'openings overlap'),
    ({'walls': [{'axis': 'x', 'at_m': 0, 'span_m': [0, 5], 'openings': [
        {'kind': 'passage', 'span_m': [1, 2], 'hinge': 'end'}]}]}, r'openings\[0\]'),
])
def test_a_broken_world_is_refused_with_the_reason(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        world_from(broken(**change))


@pytest.mark.parametrize(('entry', 'words'), [
    ({'kind': 'spaceship', 'at_m': [1, 1]}, "no recipe 'spaceship'"),
    ({'kind': 'mug', 'support': 'table', 'surface': 'cellar'}, "no surface 'cellar'"),
    ({'kind': 'mug', 'support': 'table', 'offset_m': [0.9, 0]}, 'lies beside'),
    ({'kind': 'mug', 'support': 'green_bottle'}, 'which is no furniture'),
    ({'kind': 'mug', 'support': 'table', 'at_m': [1, 1]}, 'at_m.* is not allowed'),
])
def test_a_wrong_object_is_refused_with_the_reason(entry: dict[str, Any], words: str) -> None:
    document = small_world.document()
    document['objects'].append({'id': 'thing', 'name': 'thing', 'colour': 'grey', **entry})
    with pytest.raises(ConfigError, match=words):
        build_scene(world_from(document))


def test_an_unknown_world_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='known are apartment'):
        load_world('castle')
    with pytest.raises(ConfigError, match=r'world\.yaml'):
        load_world(str(tmp_path))


def test_a_scene_is_built_once_until_its_world_changes(tmp_path: Path) -> None:
    folder = small_world.write_world(tmp_path / 'small')
    first = load_scene(str(folder))
    assert load_scene(str(folder)) is first
    document = small_world.document()
    document['start_poses'].pop()
    (folder / 'world.yaml').write_text(yaml.safe_dump(document))
    assert len(load_scene(str(folder)).world.start_poses) == len(first.world.start_poses) - 1
