"""The journal of a node on a disk that fills up."""

import math
from pathlib import Path

import pytest
from full_disk import full_disk, no_room

from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Effect, Tick
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.journal import JournalWriter, Start, read_lines
from semantic_nav.journals import MOTIONS
from semantic_nav.nodes.ros.node_journal import NodeJournal
from semantic_nav.parts import PARTS
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


def test_full_disk_is_told_once_and_nothing_is_written_when_there_is_room_again(
        path: Path, writer: JournalWriter) -> None:
    told: list[str] = []
    journal = NodeJournal(lambda: writer, told.append)
    journal.append(NOW, Tick(), [])
    with full_disk(writer):
        for _ in range(3):
            journal.append(NOW, Tick(), [])
    journal.append(NOW, Tick(), [])
    journal.close()
    assert told == [journal.failure] == [
        'the journal cannot be written: No space left on device']
    assert len(list(read_lines(path))) == 2


def test_line_that_was_torn_by_a_full_disk_stays_the_last(
        path: Path, writer: JournalWriter) -> None:
    told: list[str] = []
    journal = NodeJournal(lambda: writer, told.append)
    journal.append(NOW, Tick(), [])
    size = path.stat().st_size
    with no_room(size + 20):
        journal.append(NOW, Tick(), [])
    journal.append(NOW, Tick(), [])
    journal.close()
    assert len(told) == 1
    assert path.stat().st_size == size + 20
    assert len(list(read_lines(path))) == 2


def test_disk_that_is_full_at_the_start_is_told_and_ends_nothing(path: Path) -> None:
    told: list[str] = []
    with no_room():
        journal = NodeJournal(lambda: opened(path), told.append)
    journal.append(NOW, Tick(), [])
    journal.close()
    assert told == [journal.failure] != ['']
    assert not path.exists()


def test_folder_that_is_none_is_an_error(path: Path) -> None:
    path.write_text('a file')
    with pytest.raises(FileExistsError):
        NodeJournal(lambda: opened(path / 'verifier.jsonl'), print)


@pytest.mark.parametrize('event', [
    PoseResolved(0, _NOWHERE, _NOWHERE), NavAnswered('a', True, object()),  # type: ignore[arg-type]
    ], ids=['NaN', 'no JSON at all'])
def test_what_json_cannot_say_is_told_and_ends_nothing(
        event: PoseResolved | NavAnswered, path: Path, writer: JournalWriter) -> None:
    told: list[str] = []
    journal = NodeJournal(lambda: writer, told.append)
    for one in (event, Tick()):
        journal.append(NOW, one, [])
    journal.close()
    assert told == [journal.failure] and 'JSON' in journal.failure
    assert len(list(read_lines(path))) == 1


def test_disk_that_is_full_at_the_end_is_told(writer: JournalWriter) -> None:
    told: list[str] = []
    journal = NodeJournal(lambda: writer, told.append)
    with full_disk(writer):
        journal.close()
    assert told == [journal.failure] != ['']


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
