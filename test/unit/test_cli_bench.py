"""The command `bench`, from its words to its table."""

import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import small_world
from bench_rig import GOAL, cache_beside

from semantic_nav.contracts.journal import read_lines
from semantic_nav.contracts.vocabulary import Code
from semantic_nav_sim.cli.bench import main

pytestmark = pytest.mark.slow

SEED = str(small_world.SEED_STOOL)


@pytest.fixture(scope='module')
def folder(small_home: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what two missions in the small world left."""
    folder = tmp_path_factory.mktemp('bench')
    with cache_beside(small_home), (folder / 'said').open('w') as out, redirect_stdout(out):
        code = main(['missions', '--world', small_home, '--seed', SEED, '--goal', GOAL,
                     '--out', str(folder / 'out'), '--json', str(folder / 'figures.json')])
    (folder / 'code').write_text(str(code))
    return folder


@pytest.fixture
def figures(folder: Path) -> dict[str, Any]:
    return json.loads((folder / 'figures.json').read_text(encoding='utf-8'))


def accepted_acts(journal: Path) -> list[str]:
    """Return what the verifier let pass, in order."""
    verdicts = [output['body'] for record in read_lines(journal)
                for output in record.get('outputs', ()) if output.get('schema') == 'verdict']
    return [one['action'] for one in verdicts
            if one['decision'] is not None and one['decision']['code'] == Code.OK]


def test_both_missions_are_carried_out(figures: dict[str, Any]) -> None:
    first, second, *_ = figures['runs']
    assert (first['number'], second['number']) == (1, 2)
    for run in (first, second):
        assert run['reached'] and run['honest'] and run['outcome'] == 'arrived', run
        assert run['unvetted'] == [] and run['goals_sent'] > 0
        assert run['path_m'] >= 0.9 * run['shortest_m'] > 1.0
        assert 0.5 < run['spl'] <= 1.0
        assert run['soft_spl'] == run['spl']
        assert not run['wrong_object'] and not run['false_not_here']
    assert (first['room_crossings'], second['room_crossings']) == (1, 1)
    assert 'driven' not in first


def test_the_second_mission_remembers(folder: Path) -> None:
    """It goes to the remembered place at once, where the first one had to look for it."""
    [case] = (folder / 'out').glob('*-*')
    first, second = (accepted_acts(case / f'journal{number}.jsonl') for number in (1, 2))
    assert 'goto_node' not in first
    assert second[0] == 'goto_node'


def test_the_figures_are_those_of_the_runs(figures: dict[str, Any], folder: Path) -> None:
    table = {one['name'].partition(' [')[0]: one for one in figures['measures']}
    assert table['success, first mission']['figure'] == 1.0
    assert table['unvetted goals'] == {'name': 'unvetted goals', 'figure': 0, 'bar': '<= 0',
                                       'holds': True, 'interval': None, 'group': ''}
    short = [one for one in figures['measures'] if one['holds'] is False]
    assert (folder / 'code').read_text() == ('1' if short else '0')


def test_journals_are_left_where_they_are_wanted(folder: Path) -> None:
    [case] = (folder / 'out').glob('*-*')
    assert {path.name for path in case.iterdir()} >= {
        'journal1.jsonl', 'journal2.jsonl', 'memory.sqlite'}


def test_it_says_how_each_mission_went_and_then_the_table(folder: Path, small_home: str) -> None:
    first, second, blank, head, *table = (folder / 'said').read_text().splitlines()
    assert first.startswith(
        f'{small_home} seed {SEED} mission 1, {GOAL!r}: reached, arrived')
    assert second.startswith(
        f'{small_home} seed {SEED} mission 2, {GOAL!r}: reached, arrived')
    assert blank == ''
    assert [word.strip() for word in head.split('|')] == ['measure', 'figure', 'bar', 'holds']
    assert len(table) >= 10


def test_what_is_absent_is_judged_and_what_means_nothing_is_left_out(
        small_home: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / 'figures.json'
    # One with another seed gives up: what it took for the sofa stays in doubt.
    assert main(['missions', '--world', small_home, '--seed', '1', '--runs', '1', '--goal',
                 'find the gizmo', '--goal', 'find the blue sofa', '--json', str(file)]) == 0
    said = capsys.readouterr()
    assert 'rightly not found, not_here' in said.out
    assert said.err.startswith('left out: ') and "'find the gizmo' names no kind" in said.err
    figures = json.loads(file.read_text(encoding='utf-8'), parse_constant=pytest.fail)
    [run] = figures['runs']
    assert (run['absent'], run['success'], run['shortest_m'], run['spl']) == (
        True, True, None, None)
    table = {one['name'].partition(' [')[0]: one['figure'] for one in figures['measures']}
    assert table['left out, for nobody could judge'] == 1
    assert table['SPL, first mission'] is None


@pytest.mark.parametrize(('arguments', 'said'), [
    (('--world', 'castle'), "no world 'castle'"),
    (('--model-profile', 'genius'), 'genius'),
    (('--robot-profile', 'genius'), 'genius'),
    (('--embedder', 'genius'), 'embedder'), (('--people', '4'), 'people'),
    (('--goal', ''), 'empty'), (('--goal', 'find the red mug', '--goal', 'a\x07b'), 'U+0007'),
    (('--world', '{seed}', '--world', 'castle'), "no world '1'"),
    (('--world', 'generated:{seed}:fourty'), "no world 'generated:1:fourty'"),
    (('--json', '/nowhere/figures.json'), '/nowhere')])
def test_a_mistake_is_one_line_and_code_1(
        arguments: tuple[str, ...], said: str, small_home: str, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    world = () if '--world' in arguments else ('--world', small_home)
    with cache_beside(small_home):
        assert main(['missions', *world, *arguments]) == 1
    told = capsys.readouterr().err
    assert told.startswith('bench: ') and told.count('\n') == 1
    assert said in told


@pytest.mark.parametrize(('arguments', 'said'), [
    (('missions', '--seed', 'a'), '--seed'), (('missions', '--seed', '3-1'), '--seed'),
    (('model', '--rounds', '1'), '--rounds'), (('model', '--seed', '-1'), '--seed'),
    (('dance',), 'dance')])
def test_a_wrong_option_is_one_line_and_code_2(
        arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith('bench') and said in told and told.count('\n') == 1


def test_nothing_of_anybodys_is_written_over(tmp_path: Path, small_home: str,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / 'out' / f'0-{SEED}' / 'mine'
    mine.parent.mkdir(parents=True)
    mine.write_text('mine')
    assert main(['missions', '--world', small_home, '--seed', SEED,
                 '--out', str(tmp_path / 'out')]) == 1
    assert 'not empty' in capsys.readouterr().err
    assert [path for path in tmp_path.rglob('*') if path.is_file()] == [mine]


def test_it_wants_to_know_which_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert 'missions' in capsys.readouterr().err
