"""Generated homes: always the same for a seed, never wrong, and what was asked for."""

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nightly import some

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world import model_cache
from semantic_nav_sim.world.generator.catalogue import FURNITURE, OBJECTS
from semantic_nav_sim.world.generator.checks import check_world, problems
from semantic_nav_sim.world.generator.home import generate_world
from semantic_nav_sim.world.generator.layout import Plot
from semantic_nav_sim.world.generator.openings import WIDE_WAYS, NoPlan, build_shell
from semantic_nav_sim.world.generator.shapes import Rectangle
from semantic_nav_sim.world.generator.vocabulary import missing, vocabulary
from semantic_nav_sim.world.library import LIBRARY
from semantic_nav_sim.world.loading import load_world, world_document
from semantic_nav_sim.world.materials import Materials
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import build_scene, stage
from semantic_nav_sim.world.world_files import world_file

pytestmark = pytest.mark.slow

#: The smallest and the largest home, in the night one of each size.
SAMPLE = [(seed, 3 + seed % 6) for seed in some([102, 101], range(100, 106))]
Json = dict[str, Any]


@pytest.fixture(scope='module')
def home() -> Json:
    return generate_world(4, 5)


def item(document: Json, item_id: str) -> Json:
    [found] = [entry for entry in (*document['furniture'], *document['objects'])
               if entry['id'] == item_id]
    return found


@pytest.mark.parametrize(('seed', 'rooms'), SAMPLE)
def test_a_home_passes_its_check(seed: int, rooms: int) -> None:
    document = generate_world(seed, rooms)
    assert check_world(document) == []
    assert missing(document) == []
    assert sum(room['kind'] != 'hall' for room in document['rooms']) == rooms
    names = [entry['name'] for entry in document['objects']]
    assert names.count('red mug') == 1
    assert len(set(names)) == len(names)
    [mug] = [entry for entry in document['placements'] if entry['object'] == 'red_mug']
    assert len(mug['alternatives']) >= 3


def test_the_same_seed_gives_the_same_home_byte_for_byte(home: Json) -> None:
    assert json.dumps(generate_world(4, 5)) == json.dumps(home)


def test_homes_differ_in_plan() -> None:
    plans = {json.dumps(generate_world(seed, 3)['rooms']) for seed in range(3)}
    assert len(plans) == 3


def test_the_seed_of_a_run_moves_the_mug(home: Json) -> None:
    scene = build_scene(world_from(home))
    assert len({stage(scene, seed).placings['red_mug'] for seed in range(20)}) >= 3


def test_look_alikes_are_added() -> None:
    document = generate_world(8, 4, look_alikes=('red mug',))
    looks = Counter((entry['kind'], entry['colour']) for entry in document['objects'])
    assert looks['mug', 'red'] == 1
    assert looks['cup', 'red'] and looks['mug', 'orange']
    assert check_world(document) == []


def test_what_is_not_wanted_is_absent() -> None:
    document = generate_world(9, 4, without=('red mug', 'sofa', 'vase'))
    things = [*document['furniture'], *document['objects']]
    assert not any(entry['kind'] in ('sofa', 'vase') for entry in things)
    assert not any((entry['kind'], entry['colour']) == ('mug', 'red') for entry in things)
    assert any(entry['kind'] == 'mug' for entry in things)
    assert check_world(document) == []


def test_a_home_may_be_without_the_table_that_it_must_have_room_for() -> None:
    document = generate_world(9, 4, without=('dining table', 'chair'))
    assert not any(entry['kind'] in ('dining table', 'chair') for entry in document['furniture'])
    assert check_world(document) == []


@pytest.mark.parametrize('rooms', [0, 2, 9])
def test_a_home_of_a_strange_size_is_refused(rooms: int) -> None:
    with pytest.raises(ConfigError, match='3 to 8'):
        generate_world(1, rooms)


def test_an_unknown_thing_is_refused() -> None:
    with pytest.raises(ConfigError, match='spaceship'):
        generate_world(1, 3, without=('spaceship',))
    with pytest.raises(ConfigError, match='red sofa bed'):
        generate_world(1, 3, look_alikes=('red sofa bed',))


def test_the_check_finds_what_is_wrong(home: Json) -> None:
    def problems(change: str, value: object, of: str) -> str:
        document = copy.deepcopy(home)
        item(document, of)[change] = value
        return '\n'.join(check_world(document))

    wardrobe = item(home, 'wardrobe')
    assert 'share' in problems('at_m', wardrobe['at_m'], 'bed')
    assert 'hangs in the air' in problems('z_m', 1.2, 'coffee_table')
    assert 'stands in no room' in problems('at_m', [-3.0, -3.0], 'bed')
    assert 'called' in problems('name', wardrobe['name'], 'bed')


def test_the_check_finds_a_robot_that_is_shut_in(home: Json) -> None:
    document = copy.deepcopy(home)
    for wall in document['walls']:
        wall['openings'] = [hole for hole in wall.get('openings', ())
                            if hole['kind'] == 'window' or hole.get('id') == 'front_door']
    text = '\n'.join(check_world(document))
    assert 'cannot be reached' in text


def test_the_rooms_of_the_apartment_can_be_reached() -> None:
    text = '\n'.join(check_world(world_document('apartment')))
    assert 'cannot be reached' not in text and 'cannot leave' not in text


def test_the_catalogue_can_be_built() -> None:
    materials = Materials({})
    assert len(FURNITURE) >= 25 and len(OBJECTS) >= 20
    for kind in (*FURNITURE.values(), *OBJECTS.values()):
        assert (kind.recipe or kind.name) in LIBRARY.entries, kind.name
        for look in kind.finishes:
            for name in (look.material, look.trim, look.face):
                assert name is None or materials[name], kind.name
    assert set(vocabulary()) <= set(FURNITURE) | set(OBJECTS)


def test_a_generated_home_has_a_name(home: Json, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    world = load_world('generated:4:5')
    assert world.digest == world_from(home).digest
    written = world_file('generated:4:5').stat().st_mtime_ns
    assert world_file('generated:4:5', 'map.yaml').is_file()
    assert load_world('generated:4:5') == world
    assert world_file('generated:4:5').stat().st_mtime_ns == written


@pytest.mark.parametrize(('name', 'said'), [
    ('generated:8:99', '3 to 8 rooms'), ('generated:8:2', '3 to 8 rooms'),
    ('generated:8:0', '3 to 8 rooms'), ('generated:8:9', '3 to 8 rooms'),
    ('generated:1000000000', 'largest seed is 999999999'),
    ('generated:' + '9' * 5000 + ':4', 'largest seed is 999999999')])
def test_a_home_beyond_the_limits_is_refused_with_them(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        world_file(name)


@pytest.mark.parametrize('name', ['generated', 'generated:', 'generated:x', 'generated:1:9'])
def test_a_wrong_name_of_a_home_is_refused(name: str, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    with pytest.raises(ConfigError):
        world_file(name)
    assert not model_cache.cache_folder().parent.exists()


def test_wide_home_has_wide_doors_and_ways_between_them() -> None:
    document = generate_world(13, 3, wide=True)
    assert list(problems(document, WIDE_WAYS)) == []
    assert list(problems(generate_world(13, 3), WIDE_WAYS)) != [], 'a usual one is none'
    inside = [opening['span_m'] for wall in document['walls'] for opening in wall.get(
        'openings', ()) if opening['kind'] == 'door' and opening['id'] != 'front_door']
    assert inside and all(end - start == pytest.approx(1.25) for start, end in inside)


def test_no_passage_leads_out_of_a_home() -> None:
    """Where the hall borders the living room too shortly for a wide door, that plan is none."""
    hall = Plot('hall', 'hall', Rectangle((4.0, 4.0), (10.0, 5.5)))
    living_room = Plot('living room', 'living room', Rectangle((0.0, 0.0), (4.0, 5.5)))
    with pytest.raises(NoPlan, match='living room does not border the hall'):
        build_shell([hall, living_room], np.random.default_rng(1), {}, {}, WIDE_WAYS)
