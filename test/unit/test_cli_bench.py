"""The command `bench`, from its words to its table."""

import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import small_world
from bench_rig import GOAL, cache_beside

from semantic_nav.cli.bench import main
from semantic_nav.contracts.journal import read_lines
from semantic_nav.contracts.vocabulary import Code

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
    first, second = figures['runs']
    assert (first['number'], second['number']) == (1, 2)
    for run in (first, second):
        assert run['reached'] and run['honest'] and run['outcome'] == 'arrived', run
        assert run['unvetted'] == [] and run['goals'] > 0
        assert run['path_m'] >= 0.9 * run['shortest_m'] > 1.0
        assert 0.5 < run['spl'] <= 1.0


def test_the_second_mission_remembers(folder: Path) -> None:
    """It goes to the remembered place at once, where the first one had to look for it."""
    [case] = (folder / 'out').iterdir()
    first, second = (accepted_acts(case / f'journal{number}.jsonl') for number in (1, 2))
    assert 'goto_node' not in first
    assert second[0] == 'goto_node'


def test_the_figures_are_those_of_the_runs(figures: dict[str, Any], folder: Path) -> None:
    table = {one['name'].partition(' [')[0]: one for one in figures['measures']}
    assert table['success, first mission']['figure'] == 1.0
    assert table['unvetted goals'] == {'name': 'unvetted goals', 'figure': 0, 'bar': '<= 0',
                                       'holds': True}
    short = [one for one in figures['measures'] if one['holds'] is False]
    assert (folder / 'code').read_text() == ('1' if short else '0')


def test_journals_are_left_where_they_are_wanted(folder: Path) -> None:
    [case] = (folder / 'out').iterdir()
    assert {path.name for path in case.iterdir()} >= {
        'journal1.jsonl', 'journal2.jsonl', 'memory.sqlite'}


def test_it_says_how_each_mission_went_and_then_the_table(folder: Path, small_home: str) -> None:
    first, second, blank, head, *table = (folder / 'said').read_text().splitlines()
    assert first.startswith(f'{small_home} seed {SEED} mission 1: reached, arrived')
    assert second.startswith(f'{small_home} seed {SEED} mission 2: reached, arrived')
    assert blank == ''
    assert [word.strip() for word in head.split('|')] == ['measure', 'figure', 'bar', 'holds']
    assert len(table) >= 10


@pytest.mark.parametrize(('arguments', 'said'), [
    (('--world', 'castle'), "no world 'castle'"),
    (('--seed', 'a'), 'seeds'),
    (('--model-profile', 'genius'), 'genius'),
    (('--robot-profile', 'genius'), 'genius'),
    (('--goal', 'find the unicorn'), 'unicorn')])
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


def test_it_wants_to_know_which_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert 'missions' in capsys.readouterr().err
