"""The journal of a node on a disk that fills up."""

import math
from pathlib import Path

import pytest
from full_disk import full_disk, no_room, unflushed

from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Effect, Tick, Ticking
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.journal import Gap, JournalWriter, Start, read_journal, read_lines
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import MOTIONS
from semantic_nav.nodes.ros.node_journal import NodeJournal
from semantic_nav.verify.effects import SendSpin
from semantic_nav.verify.events import NavAnswered, PoseResolved

NOW = Now(0, 0, 0)
_NOWHERE = Transform((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / 'verifier.jsonl'


@pytest.fixture
def writer(path: Path) -> JournalWriter:
    return opened(path)


def opened(path: Path) -> JournalWriter:
    return JournalWriter(path, Start('verifier', 's', 0, {}), PARTS['verifier'].codec(NoBlobs()))


@pytest.fixture
def told() -> list[tuple[Level, str]]:
    return []


FULL = (Level.ERROR, 'the journal cannot be written: No space left on device')


def journal_of(path: Path, told: list[tuple[Level, str]],
               writer: JournalWriter | None = None) -> NodeJournal:
    return NodeJournal(lambda: writer or opened(path), lambda *what: told.append(what))


def kinds_of(path: Path) -> list[str]:
    return [next(kind for kind in ('start', 'gap', 'event') if kind in line)
            for line in read_lines(path)]


def test_what_a_full_disk_did_not_take_is_a_gap_once_there_is_room_again(
        path: Path, writer: JournalWriter, told: list[tuple[Level, str]]) -> None:
    journal = journal_of(path, told, writer)
    journal.append(NOW, Tick(), [])
    with full_disk(writer):
        for _ in range(3):
            journal.append(NOW, Tick(), [])
        assert told == [FULL] and journal.failure == FULL[1]
    for _ in range(2):
        journal.append(NOW, Tick(), [])
    journal.close()
    assert told == [FULL, (Level.WARN, 'written again; records missing in it: 3 '
                           '(No space left on device)')]
    assert journal.failure == ''
    assert kinds_of(path) == ['start', 'event', 'gap', 'event', 'event']
    _, records = read_journal(path, 'verifier')
    assert [one for one in records if isinstance(one, Gap)] == [Gap(3, 'No space left on device')]


def test_disk_that_fills_up_twice_leaves_two_gaps(
        path: Path, writer: JournalWriter, told: list[tuple[Level, str]]) -> None:
    journal = journal_of(path, told, writer)
    for lacking in (1, 2):
        with full_disk(writer):
            for _ in range(lacking):
                journal.append(NOW, Tick(), [])
        journal.append(NOW, Tick(), [])
    journal.close()
    assert [line['gap']['records'] for line in read_lines(path) if 'gap' in line] == [1, 2]
    assert [level for level, _ in told] == [Level.ERROR, Level.WARN] * 2
    assert 'missing in it: 3 ' in told[-1][1]


@pytest.mark.parametrize('bytes_taken', [1, 20, 150, 250])
def test_line_that_was_torn_by_a_full_disk_is_ignored_and_then_written_over(
        path: Path, writer: JournalWriter, told: list[tuple[Level, str]],
        bytes_taken: int) -> None:
    journal = journal_of(path, told, writer)
    journal.append(NOW, Tick(), [])
    size = path.stat().st_size
    with no_room(size + bytes_taken):
        for number in range(3):
            journal.append(NOW, Tick(), [Ticking(wanted=True)] * 20)
            assert path.stat().st_size == size + bytes_taken, number
            assert set(kinds_of(path)[:2]) == {'start', 'event'}
    journal.append(NOW, Tick(), [])
    journal.close()
    assert kinds_of(path) == ['start', 'event', 'gap', 'event']


def test_disk_that_is_full_at_the_start_ends_nothing_and_the_journal_begins_later(
        path: Path, told: list[tuple[Level, str]]) -> None:
    with no_room():
        journal = journal_of(path, told)
        for _ in range(2):
            journal.append(NOW, Tick(), [])
        assert [level for level, _ in told] == [Level.ERROR] and journal.failure
    assert not path.exists()
    journal.append(NOW, Tick(), [])
    journal.close()
    assert journal.failure == '' and [level for level, _ in told] == [Level.ERROR, Level.WARN]
    assert kinds_of(path) == ['start', 'gap', 'event']
    assert next(line for line in read_lines(path) if 'gap' in line)['gap']['records'] == 2


def test_nothing_is_missing_where_nothing_came_while_the_disk_was_full(
        path: Path, told: list[tuple[Level, str]]) -> None:
    with no_room():
        journal = journal_of(path, told)
    journal.append(NOW, Tick(), [])
    journal.close()
    assert [level for level, _ in told] == [Level.ERROR, Level.OK]
    assert kinds_of(path) == ['start', 'event']


def test_journal_that_never_had_room_leaves_no_file(
        path: Path, told: list[tuple[Level, str]]) -> None:
    with no_room():
        journal = journal_of(path, told)
        journal.append(NOW, Tick(), [])
        journal.close()
    assert len(told) == 1 and not path.exists()


@pytest.mark.parametrize('durable', [True, False])
def test_motion_is_on_the_disk_or_counts_as_lacking(
        path: Path, writer: JournalWriter, told: list[tuple[Level, str]], durable: bool) -> None:
    """What cannot be waited for, as in a file that is no file, is not taken for written."""
    journal = journal_of(path, told, writer)
    outputs = [SendSpin('ab' * 16, 1.0, 5.0)] if durable else []
    with unflushed(writer):
        journal.append(NOW, Tick(), outputs)
        assert bool(journal.failure) is durable
    journal.append(NOW, Tick(), [])
    journal.close()
    assert kinds_of(path) == ['start', *(['gap'] if durable else ['event']), 'event']


def test_folder_that_is_none_is_an_error(path: Path) -> None:
    path.write_text('a file')
    with pytest.raises(FileExistsError):
        NodeJournal(lambda: opened(path / 'verifier.jsonl'), lambda level, words: None)


@pytest.mark.parametrize('event', [
    PoseResolved(0, _NOWHERE, _NOWHERE), NavAnswered('a', True, object()),  # type: ignore[arg-type]
    ], ids=['NaN', 'no JSON at all'])
def test_what_json_cannot_say_is_told_and_ends_nothing(
        event: PoseResolved | NavAnswered, path: Path, writer: JournalWriter,
        told: list[tuple[Level, str]]) -> None:
    journal = journal_of(path, told, writer)
    for one in (event, Tick()):
        journal.append(NOW, one, [])
    journal.close()
    assert [level for level, _ in told] == [Level.ERROR, Level.WARN]
    assert all('JSON' in words for _, words in told)
    assert kinds_of(path) == ['start', 'gap', 'event']


def test_disk_that_is_full_at_the_end_is_told(
        path: Path, writer: JournalWriter, told: list[tuple[Level, str]]) -> None:
    journal = journal_of(path, told, writer)
    with full_disk(writer):
        journal.close()
    assert [words for _, words in told] == [journal.failure] != ['']


def test_only_what_starts_a_motion_waits_for_the_disk() -> None:
    durable = {kind.__name__ for part in PARTS.values() for kind in part.kinds
               if issubclass(kind, Effect) and kind.durable}
    assert durable == MOTIONS == {'SendNav', 'SendSpin', 'SendBackUp'}


def test_journal_that_cannot_be_begun_leaves_no_file(tmp_path: Path) -> None:
    codec = PARTS['verifier'].codec(NoBlobs())
    for path in (tmp_path / 'a.jsonl', tmp_path / 'b.jsonl'):
        with no_room(), pytest.raises(OSError):
            JournalWriter(path, Start('verifier', 's', 0, {}), codec)
    assert list(tmp_path.iterdir()) == []
