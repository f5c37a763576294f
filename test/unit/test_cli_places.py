"""The command `places` on a memory in a file."""

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stored_places import make_place

from semantic_nav.cli.places import main
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.contracts.map_file import save_map
from semantic_nav.memory.place import Edge
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.memory.volatile_store import VolatileStore
from semantic_nav.nodes.ros.memory_file import default_memory
from semantic_nav.show.memory_pictures import draw_memory


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / 'memory.sqlite'
    with contextlib.closing(SqliteStore(path)) as store:
        for number in (1, 2):
            store.save(make_place(number, last_seen_calendar_ns=number * 10**18), None,
                       Edge('place-s-1', 'place-s-2', 2.0) if number == 2 else None)
        store.save(make_place(3, map_id='cellar', summary='\x1b[2Jcellar'))
    return path


def test_places_are_told_those_seen_last_first(
        memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['list', '--db', str(memory), '--map-id', 'home']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ['place-s-2', 'place-s-1']
    assert '(2.00, -2.00)' in lines[0] and lines[0].endswith('kitchen with red mug, Küche')


def test_each_namespace_has_a_memory_of_its_own(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    for number, namespace in enumerate(('', '/robot1', '/fleet/robot1')):
        with contextlib.closing(SqliteStore(default_memory(namespace))) as store:
            store.save(make_place(number))
    for number, options in enumerate(([], ['--namespace', 'robot1'],
                                      ['--namespace', '/fleet/robot1/'])):
        assert main(['list', '--map-id', 'home', *options]) == 0
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
            f'place-s-{number}']
    assert sorted(one.name for one in (tmp_path / 'semantic_nav').iterdir()) == [
        'memory.fleet.robot1.sqlite', 'memory.robot1.sqlite', 'memory.sqlite']
    # Without a namespace it stays where it was before there was one file for each.
    assert default_memory('/') == tmp_path / 'semantic_nav' / 'memory.sqlite'


def test_what_a_model_called_a_place_does_not_reach_the_terminal_as_it_is(
        memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['list', '--db', str(memory), '--map-id', 'cellar']) == 0
    assert '\x1b' not in capsys.readouterr().out


def test_a_map_without_places_is_said(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['list', '--db', str(memory)]) == 1
    assert capsys.readouterr().err == (
        "places: none is remembered on the map 'default'; --map-id may be cellar, home\n")


def test_they_are_drawn(memory: Path, tmp_path: Path,
                        capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / 'places.png'
    assert main(['plot', '--db', str(memory), '--map-id', 'home', '--out', str(out)]) == 0
    assert capsys.readouterr().out == f'2 places, 1 ways: {out}\n'
    with Image.open(out) as image:
        # Places 1 m apart each way, 120 pixels a metre, a metre of margin.
        assert image.size == (360, 408)
        assert image.getpixel((120, 120)) == image.getpixel((240, 240)) == (245, 150, 20)
        assert image.getpixel((180, 180)) == (230, 160, 60), 'the way between them'


def test_they_are_drawn_over_a_map(memory: Path, tmp_path: Path) -> None:
    out = tmp_path / 'places.png'
    cells = np.zeros((100, 100), np.int8)
    cells[0], cells[-1] = 100, UNKNOWN
    save_map(OccupancyGrid(cells, 0.05, 0.0, -4.0, 'map', 0), tmp_path)
    assert main(['plot', '--db', str(memory), '--map-id', 'home', '--map',
                 str(tmp_path / 'map.yaml'), '--out', str(out)]) == 0
    with Image.open(out) as image:
        colours = {pixel for _, pixel in image.getcolors(1 << 24)}
    assert {(250, 250, 250), (50, 50, 50), (205, 205, 205)} <= colours


@pytest.mark.parametrize('action', ['list', 'plot'])
def test_a_file_that_is_only_read_stays_as_it_is(
        action: str, memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, options = tmp_path / 'empty', ['--out', str(tmp_path / 'places.png')]
    empty.touch()
    for path, code in ((memory, 0), (empty, 1)):
        before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.glob('*sqlite*'))
        path.chmod(0o444)
        assert main([action, '--db', str(path), '--map-id', 'home',
                     *(options if action == 'plot' else ())]) == code
        assert before == (path.read_bytes(), path.stat().st_mtime_ns,
                          sorted(path.parent.glob('*sqlite*')))
    assert 'it is not an SQLite file' in capsys.readouterr().err


@pytest.mark.parametrize('action', ['list', 'plot'])
def test_a_memory_that_is_not_there_is_not_made(
        action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / 'nothing.sqlite'
    assert main([action, '--db', str(path)]) == 1
    assert capsys.readouterr().err == (
        f'places: there is no memory {path}; name it with --db\n')
    assert not path.exists()


def test_a_map_that_is_not_there_is_said(
        memory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['plot', '--db', str(memory), '--map', str(tmp_path / 'map.yaml'),
                 '--out', str(tmp_path / 'out.png')]) == 1
    assert capsys.readouterr().err.startswith('places: the map cannot be drawn: ')


def test_words_beside_a_place_stay_in_the_picture() -> None:
    places = [replace(make_place(number), name='an ironing board beside the dining table')
              for number in (1, 6)]
    picture = np.asarray(draw_memory(places, []))[:-60]
    assert (picture < 128).any(), 'nothing is written'
    assert (picture[:, [0, 1, -2, -1]] > 200).all()


def test_nothing_at_all_can_be_drawn() -> None:
    with contextlib.closing(VolatileStore()) as store:
        stored = store.load('home', '', 0)
    assert min(draw_memory(stored.places, stored.edges).size) > 0
