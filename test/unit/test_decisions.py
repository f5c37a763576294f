"""`replay --diff`: two runs are compared by what was decided, whoever's ids they have."""

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import GOAL_ID, Clock, accepted, document, ended, refusal

from semantic_nav.cli.replay import main
from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import JournalWriter, Start
from semantic_nav.journal.compare import (
    RecordedDecision,
    decisions_of,
    divergence,
    missions_in,
    parting,
)
from semantic_nav.verify.events import RECORD_KINDS as VERIFIER

Json = dict[str, Any]


# Journals as they were written before there was `--diff`.

def output(schema: str, body: Json, session: str) -> Json:
    return {'type': 'Document', 'schema': schema, 'id': f'{schema}-{session}-1', 'cause_id': '',
            'goal_id': f'goal-{session}-1', 'stamp': {'sec': 1, 'nanosec': 0}, 'frame_id': 'map',
            'body': body}


def verdict(code: str = 'OK', x: float = 1.0) -> Json:
    goal = {'x': x, 'y': 2.0, 'yaw': 0.5} if code == 'OK' else None
    return {'action': 'approach', 'hypothesis_id': 'h', 'result': None, 'decision': {
        'code': code, 'reason': 'why', 'nav_goal_id': 'ab' * 16 if goal else None, 'goal': goal}}


def result(outcome: str = 'arrived', status: str = 'succeeded') -> Json:
    return {'action': 'approach', 'hypothesis_id': 'h', 'decision': None, 'result': {
        'outcome': outcome, 'reason': 'why', 'nav_status': status, 'nav_code': 0,
        'distance_left_m': 0.1}}


def belief(outcome: str | None = None, reason: str = 'why') -> Json:
    return {'goal_text': 'find it', 'outcome': outcome, 'reason': reason}


COURSE = (('belief', belief()), ('verdict', verdict('TOO_FAR')), ('verdict', verdict()),
          ('verdict', result()), ('belief', belief('arrived')))


def journal(path: Path, *course: tuple[str, Json], session: str = 'one',
            began_s: int = 0) -> Path:
    lines: list[Json] = [
        {'node': node, 'start': {'node': node, 'session': session, 'seed': 1, 'parameters': {}}}
        for node in ('belief', 'verifier')]
    for when, (schema, body) in enumerate(course or COURSE, start=began_s):
        now = dict.fromkeys(('clock_ns', 'steady_ns', 'calendar_ns'), when * 10 ** 9)
        lines.append({'node': 'belief' if schema == 'belief' else 'verifier', 'now': now,
                      'event': {'type': 'Tick'}, 'outputs': [output(schema, body, session)]})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines), encoding='utf-8')
    return path


def without(course: tuple[tuple[str, Json], ...], number: int) -> tuple[tuple[str, Json], ...]:
    return course[:number] + course[number + 1:]


# One mission

def test_ids_times_sessions_and_reasons_are_no_decisions(tmp_path: Path) -> None:
    told_again = (*COURSE[:-1], ('belief', belief('arrived', 'in other words')),
                  ('belief', belief('arrived', 'and again')))
    one = journal(tmp_path / 'one')
    other = journal(tmp_path / 'other', *told_again, session='two', began_s=50)
    assert len(list(decisions_of(one))) == 4
    assert divergence(one, other) is None


@pytest.mark.parametrize(('number', 'changed'), [
    (1, ('verdict', verdict('STALE'))), (2, ('verdict', verdict(x=1.0000001))),
    (3, ('verdict', result('aborted'))), (3, ('verdict', result(status='aborted'))),
    (4, ('belief', belief('gave_up')))])
def test_the_first_decision_that_differs_is_found(
        tmp_path: Path, number: int, changed: tuple[str, Json]) -> None:
    course = (*COURSE[:number], changed, *COURSE[number + 1:])
    parting = divergence(journal(tmp_path / 'one'), journal(tmp_path / 'other', *course))
    assert parting is not None and parting.number == number
    _, ours, theirs = parting.told('a', 'b').splitlines()
    assert ours.removeprefix('  a') != theirs.removeprefix('  b')


def drive(*goal: float) -> RecordedDecision:
    return RecordedDecision('verdict on explore', ('OK', goal or None), 'to a view of 3 m²')


@pytest.mark.parametrize(('other', 'differs'), [
    (drive(1.0, 2.04, math.pi), False), (drive(1.0, 2.0, -3.13), False),
    (drive(1.0, 2.06, math.pi), True), (drive(1.04, 2.04, math.pi), True),
    (drive(1.0, 2.0, 3.0), True), (drive(), True),
    (replace(drive(1.0, 2.0, math.pi), subject='verdict on approach'), True)])
def test_goals_that_lie_close_together_are_the_same_where_that_is_asked_for(
        other: RecordedDecision, differs: bool) -> None:
    one = drive(1.0, 2.0, math.pi)
    assert (parting([one], [other], within=0.05) is not None) is differs
    assert parting([one], [other]) is not None


def test_records_that_a_journal_lacks_are_told(tmp_path: Path) -> None:
    whole, broken = journal(tmp_path / 'whole'), journal(tmp_path / 'broken')
    lines = broken.read_text().splitlines(keepends=True)
    gap = {'node': 'verifier', 'now': json.loads(lines[2])['now'],
           'gap': {'records': 5, 'reason': 'No space left on device'}}
    broken.write_text(''.join((*lines[:3], json.dumps(gap) + '\n', *lines[3:])))
    parting = divergence(whole, broken)
    assert parting is not None
    assert str(parting.theirs) == 'journal of the verifier: 5 records are missing'


def test_a_mission_that_ends_earlier_differs(tmp_path: Path) -> None:
    one, other = journal(tmp_path / 'one'), journal(tmp_path / 'other', *COURSE[:-1])
    for pair in ((one, other), (other, one)):
        parting = divergence(*pair)
        assert parting is not None and parting.number == 4
        assert None in (parting.ours, parting.theirs)


def test_what_the_code_writes_today_is_read_too(tmp_path: Path) -> None:
    moments = [document(refusal(), goal=GOAL_ID), document(accepted()), document(ended())]
    path, clock = tmp_path / 'verifier.jsonl', Clock()
    with JournalWriter(path, Start('verifier', 's', 0, {}),
                       RecordCodec((Tick, *VERIFIER), NoBlobs())) as writer:
        for moment in moments:
            writer.append(clock.advance(1.0), Tick(), [moment], durable=False)
    assert [one.subject for one in decisions_of(path)] == [
        'verdict on approach', 'verdict on approach', 'result of approach']
    assert divergence(path, path) is None


@pytest.mark.parametrize('spoil', [
    lambda path: path.unlink(), lambda path: path.write_text('hello\n'),
    lambda path: path.write_text(path.read_text().replace('"decision"', '"decided"')),
    lambda path: path.write_text(path.read_text().replace('"outputs"', '"out"')),
    lambda path: path.write_text(path.read_text().replace('"x": 1.0', '"x": "oops"')),
    lambda path: path.write_text(
        path.read_text().replace('"node": "belief"', '"node": "memory"')
        .replace('"node": "verifier"', '"node": "memory"'))])
def test_what_tells_no_decisions_is_unreadable(
        tmp_path: Path, spoil: Callable[[Path], None], capsys: pytest.CaptureFixture[str]) -> None:
    one, other = journal(tmp_path / 'one'), journal(tmp_path / 'other')
    spoil(other)
    for pair in ((one, other), (other, one)):
        assert main(['--diff', *map(str, pair)]) == 2
        error = capsys.readouterr().err
        assert error.startswith('replay: ') and error.count('\n') == 1 and 'other' in error


# Folders

HOMES = {'0-3': "generated:3 seed 3, 'find it'", '1-12': "generated:3 seed 12, 'find it'",
         '2-12': "generated:3 seed 12, 'find another'"}


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """Return what `bench missions --out` leaves of two seeds, and two goals with one of them."""
    folder = tmp_path / 'bench'
    for home in HOMES:
        for number in (1, 2):
            journal(folder / home / f'journal{number}.jsonl')
            journal(folder / home / f'journal{number}' / 'bench' / 'belief.jsonl')
    (folder / 'cases.json').write_text(json.dumps(HOMES))
    return folder


def test_missions_are_matched_by_what_was_sought_and_where(bench: Path, tmp_path: Path) -> None:
    assert list(missions_in(bench)) == [
        f'{case}, mission {number}' for case in HOMES.values() for number in (1, 2)]
    other = tmp_path / 'other'
    shutil.copytree(bench / '2-12', other / '0-12')
    (other / 'cases.json').write_text(json.dumps({'0-12': HOMES['2-12'], '1-13': 'is to come'}))
    assert list(missions_in(other)) == [
        f'{HOMES["2-12"]}, mission {number}' for number in (1, 2)]


def test_the_folder_of_a_case_is_its_missions(bench: Path) -> None:
    assert missions_in(bench / '1-12') == {
        f'mission {number}': bench / '1-12' / f'journal{number}.jsonl' for number in (1, 2)}


@pytest.mark.parametrize(('content', 'said'), [
    ('', 'cannot be read'), ('{"0-3"', 'cannot be read'), ('[' * 5000, 'cannot be read'),
    ('[]', 'does not name'), ('{"0-3": "one", "1-12": "one"}', 'each only once'),
    ('{"7-2": "one"}', 'no journal'), ('{}', 'no journal'), (None, 'lacks')])
def test_a_folder_of_which_nobody_can_tell_the_cases_is_refused(
        bench: Path, content: str | None, said: str) -> None:
    (bench / 'cases.json').unlink()
    if content is not None:
        (bench / 'cases.json').write_text(content)
    with pytest.raises(ContractError, match=f'cases.json.*{said}|{said}.*cases.json'):
        missions_in(bench)


def test_the_folder_of_a_demonstration_is_its_missions(tmp_path: Path) -> None:
    run = tmp_path / 'demo' / '20260101-120000'
    for name in ('first', 'second'):
        journal(run / name / 'journal.jsonl')
    (tmp_path / 'demo' / 'latest').symlink_to(run.name)
    assert set(missions_in(run)) == {'first', 'second'}
    assert set(missions_in(tmp_path / 'demo')) == {'first', 'second'}
    assert missions_in(run / 'first') == {'': run / 'first' / 'journal.jsonl'}


def broken_off(folder: Path, *course: tuple[str, Json]) -> Path:
    """Write the journals of the nodes of a mission, which nobody merged any more."""
    for node, names in (('belief', ('belief',)), ('verifier', ('verdict',))):
        lines = [line for line in journal(folder / 'all', *course).read_text().splitlines()
                 if json.loads(line)['node'] == node]
        path = folder / 'journal' / f'session-of-{names[0]}' / f'{node}.jsonl'
        path.parent.mkdir(parents=True)
        path.write_text('\n'.join(lines) + '\n')
    (folder / 'all').unlink()
    return folder


def test_a_mission_that_was_broken_off_is_read_from_the_journals_of_its_nodes(
        tmp_path: Path) -> None:
    run = tmp_path / 'demo' / 'run'
    journal(run / 'first' / 'journal.jsonl')
    broken_off(run / 'second')
    found = missions_in(run)
    assert found == {'first': run / 'first' / 'journal.jsonl',
                     'second': run / 'second' / 'journal'}
    assert divergence(found['first'], found['second']) is None
    assert missions_in(run / 'second') == missions_in(run / 'second' / 'journal') == {
        '': run / 'second' / 'journal'}
    home = tmp_path / 'bench' / '0-3'
    broken_off(home)
    (home / 'journal').rename(home / 'journal1')
    assert missions_in(home) == {'mission 1': home / 'journal1'}


@pytest.mark.parametrize('below', ['latest', 'latest/first', 'latest/first/journal.jsonl', '.'])
def test_a_link_is_followed_once(tmp_path: Path, below: str) -> None:
    for run in ('one', 'two'):
        journal(tmp_path / run / 'first' / 'journal.jsonl')
    (tmp_path / 'latest').symlink_to('one')
    [found] = missions_in(tmp_path / below).values()
    (tmp_path / 'latest').unlink()
    (tmp_path / 'latest').symlink_to('two')
    assert found.resolve() == tmp_path / 'one' / 'first' / 'journal.jsonl'


def test_a_folder_without_missions_says_so(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match='no folder with journals'):
        missions_in(tmp_path)


def test_the_same_decisions_are_code_0_and_one_line(
        bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(bench, tmp_path / 'few', ignore=shutil.ignore_patterns('*-12'))
    assert main(['--diff', str(bench), str(tmp_path / 'few')]) == 0
    said = capsys.readouterr()
    assert said.out == f'2 missions compared, none differs; 4 only in {bench}, as ' \
        f"{HOMES['1-12']}, mission 1\n"
    assert said.err == '', 'no bar where nobody looks'


def test_a_difference_is_code_1_and_told_once_for_each_mission(
        bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / 'other'
    shutil.copytree(bench, other)
    journal(other / '1-12' / 'journal2.jsonl', *without(COURSE, 2))
    assert main(['--diff', str(bench), str(other)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told == [f'{HOMES["1-12"]}, mission 2: decision 2 differs',
                    f'  {bench}: verdict on approach: OK, goal x 1.00 y 2.00 yaw 0.50 (why)',
                    f'  {other}: result of approach: arrived, succeeded (why)',
                    '6 missions compared, 1 differs']


def test_runs_without_a_common_mission_cannot_be_compared(
        bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lonely = journal(tmp_path / 'lonely' / '0-4' / 'journal1.jsonl').parents[1]
    (lonely / 'cases.json').write_text(json.dumps({'0-4': "generated:3 seed 12, 'find a third'"}))
    assert main(['--diff', str(bench), str(lonely)]) == 2
    assert 'no mission in common' in capsys.readouterr().err


@pytest.mark.parametrize('arguments', [
    (), ('--diff', 'a'), ('a', '--diff', 'b', 'c'), ('--diff', 'b', 'c', '--blobs', 'd')])
def test_a_journal_or_two_runs_are_named(arguments: tuple[str, ...],
                                         capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith('replay: ') and said.count('\n') == 1
