"""The file of finished runs: what was killed goes on, and nothing of another command is taken."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import ABSENT, GOOD, SECOND

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.bench.carrying import Crashed, LeftOut
from semantic_nav_sim.bench.cases import Case, Options
from semantic_nav_sim.bench.results import Results
from semantic_nav_sim.bench.run_log import RunLog, beside, digest_of, plain
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.cli import bench, bench_missions
from semantic_nav_sim.judge import Unjudged

CASES = [Case('generated:1', 1, 'find it'), Case('generated:1', 2, 'find it', 1)]


def kept(path: Path, digest: str = 'one') -> Results:
    log, results = RunLog(path, digest), Results(CASES)
    log.fill(results)
    log.close()
    return results


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a whole case and one that nobody could judge."""
    path = tmp_path / 'figures.runs.jsonl'
    log = RunLog(path, 'one')
    for index, told in ((0, GOOD), (0, SECOND), (1, LeftOut('two'))):
        log.add(index, told)
    log.close()
    return path


def test_what_was_finished_is_read_back(path: Path) -> None:
    results = kept(path)
    assert results.runs == [GOOD, SECOND]
    assert (results.left_out, results.missing(), results.settled) == ({1: 'two'}, [], 3)


def test_a_way_that_is_not_there_is_kept(tmp_path: Path) -> None:
    log = RunLog(tmp_path / 'x.runs.jsonl', 'one')
    log.add(1, ABSENT)
    log.close()
    assert kept(tmp_path / 'x.runs.jsonl').runs == [ABSENT]


def test_every_byte_that_is_lost_costs_one_run(path: Path) -> None:
    whole = path.read_bytes()
    first = whole.index(b'\n') + 1
    for size in range(first, len(whole)):
        path.write_bytes(whole[:size])
        runs = kept(path).runs
        assert runs == [GOOD, SECOND][:whole[:size].count(b'\n') - 1]
    assert kept(path).missing() == [1]


def test_a_torn_line_is_written_over(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])
    log = RunLog(path, 'one')
    log.add(1, replace(GOOD, seed=2))
    log.close()
    assert [run.seed for run in kept(path).runs] == [1, 1, 2]


def test_half_a_case_and_a_crash_are_tried_again(tmp_path: Path) -> None:
    path = tmp_path / 'x.runs.jsonl'
    log = RunLog(path, 'one')
    log.add(0, GOOD)
    log.add(1, Crashed('a bug'))
    log.close()
    assert kept(path).missing() == [0, 1]


@pytest.mark.parametrize(('content', 'said'), [
    ('{"bench": 1, "command": "other"}\n', 'another command'),
    ('{"bench": 0, "command": "one"}\n', 'another command'),
    ('a diary\n', 'no runs of a benchmark'),
    ('a diary', 'no runs of a benchmark'), ('[]\n', 'another command'),
    ('a diary\nof two lines', 'no runs of a benchmark'),
    ('{"bench": "of mine"}', 'no runs of a benchmark'),
    ('{"bench": 1, "command": "other"}\n{"case": 0', 'another command')])
def test_a_file_of_something_else_is_refused_and_kept(tmp_path: Path, content: str,
                                                      said: str) -> None:
    path = tmp_path / 'x.runs.jsonl'
    path.write_text(content)
    with pytest.raises(ConfigError, match=said):
        RunLog(path, 'one')
    assert path.read_text() == content


def line(index: object, run: Run, **changed: object) -> bytes:
    return json.dumps({'case': index, 'run': {**plain(run), **changed}}).encode()


@pytest.mark.parametrize('content', [
    b'{"case": 0, "run": {"shortest_m": null}}', b'', b'[]', b'{"case": 0}', b'\xff', b'[' * 5000,
    b'{"case": "0", "left_out": "two"}', b'{"case": 2, "left_out": "two"}', line(-1, GOOD),
    line(1, GOOD), line(0, GOOD, number=3), line(0, GOOD, goal='find another'),
    line(0, GOOD, world='generated:2'), line(0, replace(GOOD, options=Options(policy='sweep'))),
    line(0, GOOD, wall_s=0.0), line(0, GOOD, spl=float('nan')), line(0, GOOD, success='false'),
    line(0, GOOD, collisions='3'), line(0, GOOD, number=1.5), line(0, GOOD, unvetted='abc'),
    line(0, GOOD, path_m=1.0).replace(b'1.0', b'1e999'), b'{"case": 1, "left_out": null}',
    b'{"case": 1.0, "left_out": "two"}'])
def test_a_line_that_is_of_no_case_is_named(path: Path, content: bytes) -> None:
    with path.open('ab') as file:
        file.write(content + b'\n')
    with pytest.raises(ConfigError, match='line 5 cannot be read'):
        kept(path)


def test_two_processes_do_not_write_one_file(path: Path) -> None:
    log = RunLog(path, 'one')
    with pytest.raises(ConfigError, match='another process'):
        RunLog(path, 'one')
    log.close()


def test_all_that_defines_a_command_tells_it_from_others(tmp_path: Path) -> None:
    profile = tmp_path / 'mine.yaml'
    profile.write_text('description: mine\n')
    case = Case('generated:1', 1, 'find it', model_profile=str(profile))
    others = [replace(case, **change) for change in (  # type: ignore[arg-type]
        {'world': 'generated:2'}, {'seed': 2}, {'goal': 'it'}, {'runs': 1}, {'people': 1},
        {'policy': 'random_walk'}, {'body': 'light'}, {'robot_profile': 'harsh'})]
    digests = [digest_of([one], None) for one in (case, *others)] + [
        digest_of([case], tmp_path), digest_of([case, case], None)]
    assert len(set(digests)) == len(digests)
    assert digest_of([case], None) == digests[0]
    profile.write_text('description: mine\neyes: {miss: 0.5}\n')
    assert digest_of([case], None) != digests[0]


def test_what_is_no_file_keeps_nothing_beside_it(tmp_path: Path) -> None:
    assert beside(Path('/dev/stdout')) is None
    assert beside(tmp_path / 'a.json') == tmp_path / 'a.runs.jsonl'
    assert beside(tmp_path / 'a.1') == tmp_path / 'a.1.runs.jsonl'


def test_the_same_command_goes_on_with_what_is_missing(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    """The third of four missions fails at first; what it left of its folder does not hinder it."""
    begun: list[int] = []

    def carried(case: Case, folder: Path) -> Iterator[Run]:
        begun.append(case.seed)
        folder.mkdir()
        if case.seed == 3 and begun.count(3) == 1:
            raise ConfigError('no')
        yield replace(GOOD, world=case.world, seed=case.seed, goal=case.goal)

    monkeypatch.setattr(bench_missions, 'run_case', carried)
    file = tmp_path / 'figures.json'
    command = ['missions', '--seed', '1-4', '--runs', '1', '--json', str(file),
               '--report', str(tmp_path / 'report'), '--out', str(tmp_path / 'out')]
    assert bench.main(command) == 1
    figures = json.loads(file.read_text())
    assert [one['seed'] for one in figures['runs']] == [1, 2, 4]
    assert [(one['seed'], one['why']) for one in figures['crashed']] == [(3, 'no')]
    assert 'CRASHED: generated:3:6 seed 3' in capsys.readouterr().err
    page = (tmp_path / 'report' / 'report.html').read_text()
    assert 'bench missions --seed 1-4 --runs 1' in page and 'generated:3:6 seed 3' in page
    cases = json.loads((tmp_path / 'out' / 'cases.json').read_text())
    assert cases['2-3'] == "generated:3:6 seed 3, 'find the red mug'" and len(cases) == 4
    assert bench.main(command) == 0
    assert bench.main(command) == 0
    assert begun == [1, 2, 3, 4, 3]
    assert '4 missions, 0 failures' in (tmp_path / 'report' / 'report.html').read_text()
    figures = json.loads(file.read_text())
    assert [one['seed'] for one in figures['runs']] == [1, 2, 3, 4]
    assert figures['crashed'] == []
    capsys.readouterr()
    assert bench.main([*command[:-4], '--people', '1']) == 1
    said = capsys.readouterr().err
    assert 'another command' in said and said.count('\n') == 1


def test_where_nothing_could_be_carried_out_table_and_report_say_so(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    def carried(case: Case, folder: Path) -> Iterator[Run]:
        raise (Unjudged('nobody knows') if case.seed == 1 else ConfigError('a bug'))
        yield

    monkeypatch.setattr(bench_missions, 'run_case', carried)
    assert bench.main(['missions', '--seed', '1,2,2', '--policy', 'sweep', '--report',
                       str(tmp_path / 'report'), '--json', str(tmp_path / 'figures.json'),
                       '--out', str(tmp_path / 'out')]) == 1
    said = capsys.readouterr()
    assert 'no mission was carried out' in said.err and 'crashed cases' in said.out
    assert '0 missions, 0 failures, 1 crashed, 1 left out' in (
        tmp_path / 'report' / 'report.html').read_text()
    figures = json.loads((tmp_path / 'figures.json').read_text())
    assert [[one['seed'] for one in figures[kind]] for kind in ('left_out', 'crashed')] == [
        [1], [2]]
    assert list(json.loads((tmp_path / 'out' / 'cases.json').read_text()).values()) == [
        f"[policy sweep] generated:{seed}:6 seed {seed}, 'find the red mug'" for seed in (1, 2)]


def test_a_command_of_which_nothing_was_carried_out_is_code_1(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def carried(case: Case, folder: Path) -> Iterator[Run]:
        raise Unjudged('nobody knows')

    monkeypatch.setattr(bench_missions, 'run_case', carried)
    assert bench.main(['missions', '--seed', '1', '--report', str(tmp_path / 'report')]) == 1
    assert '1 left out' in (tmp_path / 'report' / 'report.html').read_text()


def test_the_report_of_another_command_is_kept(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_missions, 'run_case', lambda case, folder: iter(()))
    report = tmp_path / 'report'
    report.mkdir()
    one, other = (['missions', '--seed', seed, '--report', str(report),
                   '--json', str(report / f'{seed}.json')] for seed in '12')
    for _ in range(2):
        bench.main(one)
        page = (report / 'report.html').read_text()
        (report / 'report.html').unlink()
        (report / 'runs.csv').unlink()
    bench.main(one)
    capsys.readouterr()
    elsewhere = [*other[:4], str(tmp_path / 'elsewhere'), *other[5:]]
    bench.main(elsewhere)
    (report / '1.runs.jsonl').unlink()
    (report / '1.json').unlink()
    capsys.readouterr()
    for command in (other, one):
        assert bench.main(command) == 1
        assert 'not empty' in capsys.readouterr().err
    assert (report / 'report.html').read_text() == page


@pytest.mark.parametrize('content', ['', '{"be'])
def test_a_file_of_no_command_is_no_leave_to_clear_a_folder(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    (tmp_path / 'figures.runs.jsonl').write_text(content)
    mine = tmp_path / 'out' / '0-1' / 'mine'
    mine.parent.mkdir(parents=True)
    mine.write_text('mine')
    assert bench.main(['missions', '--seed', '1', '--json', str(tmp_path / 'figures.json'),
                       '--out', str(tmp_path / 'out')]) == 1
    assert 'not empty' in capsys.readouterr().err and mine.exists()
