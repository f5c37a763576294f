"""The command `world`, from its words to its files."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from pxr import Usd

from semantic_nav_sim.cli.world import main

pytestmark = pytest.mark.slow


@pytest.fixture(scope='module')
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a generated home."""
    folder = tmp_path_factory.mktemp('worlds') / 'home'
    assert main(['generate', '--seed', '3', '--rooms', '3', '--out', str(folder)]) == 0
    return folder


def test_generate_writes_a_world_and_its_map(home: Path) -> None:
    assert {path.name for path in home.iterdir()} == {'world.yaml', 'map.yaml', 'map.pgm'}


def test_check_praises_a_good_world(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['check', str(home)]) == 0
    assert capsys.readouterr().out == f'{home}: no problems\n'


def test_a_world_is_found_by_the_plain_name_of_its_folder(
        home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(home.parent)
    assert main(['check', home.name]) == 0
    assert capsys.readouterr().out == f'{home.name}: no problems\n'


def test_check_praises_the_world_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['check', 'apartment']) == 0
    assert capsys.readouterr().out.endswith('apartment: no problems\n')


def test_check_names_what_is_wrong(home: Path, tmp_path: Path,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    document = yaml.safe_load((home / 'world.yaml').read_text(encoding='utf-8'))
    document['furniture'][0]['at_m'] = [-5, -5]
    (tmp_path / 'world.yaml').write_text(yaml.safe_dump(document), encoding='utf-8')
    assert main(['check', str(tmp_path)]) == 1
    assert 'stands in no room' in capsys.readouterr().out


def test_show_says_what_is_where(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['show', str(home)]) == 0
    said = capsys.readouterr().out
    assert 'living room, ' in said and 'refrigerator' in said
    assert 'red mug, by the seed of the run: ' in said


def test_a_generated_home_is_written_for_gazebo(
        home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / 'gazebo'
    assert main(['to-sdf', str(home), '--seed', '3', '--out', str(out)]) == 0
    assert capsys.readouterr().out.endswith(f'{out / "world.sdf"}\n')
    assert {path.name for path in out.iterdir()} == {
        'world.sdf', 'start.json', 'map.yaml', 'map.pgm', 'meshes', 'textures'}
    root = ElementTree.parse(out / 'world.sdf').getroot()
    names = {model.get('name') for model in root.iter('model')}
    document = yaml.safe_load((home / 'world.yaml').read_text(encoding='utf-8'))
    assert {item['id'] for part in ('furniture', 'objects') for item in document[part]} <= names
    assert main(['to-sdf', str(home), '--out', str(out)]) == 1
    assert 'is not empty' in capsys.readouterr().err


def test_a_generated_home_is_written_for_isaac_sim(
        home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / 'isaac'
    assert main(['to-usd', str(home), '--seed', '3', '--out', str(out)]) == 0
    assert capsys.readouterr().out.endswith(f'{out / "world.usda"}\n')
    assert {path.name for path in out.iterdir()} == {
        'world.usda', 'start.json', 'map.yaml', 'map.pgm', 'textures'}
    made = Usd.Stage.Open(str(out / 'world.usda'))
    document = yaml.safe_load((home / 'world.yaml').read_text(encoding='utf-8'))
    assert {item['id'] for part in ('furniture', 'objects') for item in document[part]} <= {
        one.GetName() for one in made.GetPrimAtPath('/World/Things').GetChildren()}


def test_without_its_package_isaac_sims_format_is_not_written(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, 'semantic_nav_sim.world.usd', raising=False)
    monkeypatch.setitem(sys.modules, 'pxr', None)
    assert main(['to-usd', 'apartment', '--out', str(tmp_path / 'isaac')]) == 1
    assert capsys.readouterr().err == (
        'world: to-usd: the package pxr is missing; run `pip install usd-core`\n')
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('action', ['to-sdf', 'to-usd'])
def test_help_of_what_writes_for_other_simulators(
        action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([action, '--help'])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert '--seed' in said and '--out' in said and 'generated:SEED' in said


@pytest.mark.parametrize('arguments', [
    ('show', 'castle'), ('check', 'generated:x'), ('to-usd', 'castle', '--out', 'unused'),
    ('generate', '--seed', '1', '--rooms', '30', '--out', 'unused')])
def test_a_mistake_is_one_line_and_code_1(arguments: tuple[str, ...], tmp_path: Path,
                                          monkeypatch: pytest.MonkeyPatch,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(list(arguments)) == 1
    said = capsys.readouterr().err
    assert said.startswith('world: ') and said.count('\n') == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('arguments', [
    ('generate', '--seed', '-1', '--out', 'unused'), ('generate', '--seed', 'x', '--out', 'u'),
    ('contact-sheet', '--seeds', '3-1', '--out', 'unused'), ('draw', 'apartment')])
def test_a_wrong_option_is_one_line_and_code_2(arguments: tuple[str, ...],
                                               capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith('world') and said.count('\n') == 1


def test_generate_writes_over_nothing(home: Path, tmp_path: Path,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'map.pgm').write_text('mine')
    before = {path: path.read_bytes() for path in home.iterdir()}
    for folder in (tmp_path, home, tmp_path / 'map.pgm'):
        assert main(['generate', '--seed', '5', '--rooms', '3', '--out', str(folder)]) == 1
        assert str(folder) in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ['map.pgm']
    assert (tmp_path / 'map.pgm').read_text() == 'mine'
    assert {path: path.read_bytes() for path in home.iterdir()} == before


def test_a_picture_is_a_png_whatever_it_is_called(home: Path, tmp_path: Path) -> None:
    assert main(['to-png', str(home), '--out', str(tmp_path / 'drawn')]) == 0
    assert (tmp_path / 'drawn').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize('arguments', [('to-png', 'castle'), ('contact-sheet', '--seeds', '1-20')])
def test_where_a_picture_goes_is_looked_at_before_it_is_drawn(
        arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'file').touch()
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    for out in (tmp_path, tmp_path / 'file' / 'sheet.png'):
        assert main([*arguments, '--out', str(out)]) == 1
        assert 'folder' in capsys.readouterr().err
    assert not (tmp_path / 'cache').exists(), 'no home was built'


def test_each_home_of_a_contact_sheet_is_told(tmp_path: Path,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['contact-sheet', '--seeds', '4', '--out', str(tmp_path / 'sheet.png')]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == (f'{tmp_path / "sheet.png"}\n', 'generated:4\n')
    assert (tmp_path / 'sheet.png').read_bytes().startswith(b'\x89PNG')
