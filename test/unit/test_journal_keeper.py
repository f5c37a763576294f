"""What is removed of the folder of the journals, and what is not."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.journal import JournalWriter, Start
from semantic_nav.journal.cores import PARTS
from semantic_nav.nodes.ros.journal_keeper import JournalKeeper, Limits, sweep

DAY_S = 86400
NOW_S = 1_764_000_000
NO_LIMIT = Limits(1 << 40, 10_000 * DAY_S * NS_PER_S)


class Folder:
    """A folder of journals; ages are in days before now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.made = ExitStack()

    def session(self, began: float, written: float, size: int = 100,
                node: str = 'belief') -> Path:
        folder = self.path / f'{self._name(began)}-00ab'
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f'{node}.jsonl'
        file.write_bytes(b'x' * size)
        self.date(file, written)
        return folder

    def writer(self, began: float, written: float) -> Path:
        """Return a session that is being written."""
        path = self.path / f'{self._name(began)}-0c0d' / 'verifier.jsonl'
        blobs = FolderBlobs(self.path / 'blobs')
        self.made.enter_context(JournalWriter(
            path, Start('verifier', 's', 0, {}), PARTS['verifier'].codec(blobs)))
        self.date(path, written)
        return path.parent

    def blob(self, number: int, named: float) -> Path:
        sha256 = FolderBlobs(self.path / 'blobs').put(np.full(10, number))
        path = self.path / 'blobs' / f'{sha256}.npy.z'
        self.date(path, named)
        return path

    def date(self, path: Path, days: float) -> None:
        moment_ns = round((NOW_S - days * DAY_S) * NS_PER_S)
        os.utime(path, ns=(moment_ns, moment_ns))

    def sweep(self, *, max_bytes: int = NO_LIMIT.max_bytes, days: float = 10_000) -> None:
        sweep(self.path, Limits(max_bytes, round(days * DAY_S * NS_PER_S)), NOW_S * NS_PER_S)

    def _name(self, days: float) -> str:
        return datetime.fromtimestamp(NOW_S - days * DAY_S, UTC).strftime('%Y%m%dT%H%M%S')


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path)
    with made.made:
        yield made


def test_what_is_too_old_goes(folder: Folder) -> None:
    old, long, young = folder.session(9, 8), folder.session(7, 2), folder.session(3, 3)
    folder.sweep(days=5)
    assert [one.exists() for one in (old, long, young)] == [False, True, True]


def test_of_what_is_too_much_the_oldest_goes(folder: Folder) -> None:
    sessions = [folder.session(days, days - 0.5, size=1000) for days in (4, 3, 2, 1)]
    folder.sweep(max_bytes=2500)
    assert [one.exists() for one in sessions] == [False, False, True, True]
    folder.sweep(max_bytes=2500)
    assert [one.exists() for one in sessions] == [False, False, True, True]


def test_nothing_goes_within_the_limits(folder: Folder) -> None:
    sessions = [folder.session(days, days) for days in (4, 3)]
    folder.sweep(max_bytes=200, days=5)
    assert all(one.exists() for one in sessions)


def test_what_is_written_stays_whatever_it_takes(folder: Folder) -> None:
    written, dead = folder.writer(9, 9), folder.session(9, 8)
    folder.sweep(max_bytes=0, days=0)
    assert (written.exists(), dead.exists()) == (True, False)
    folder.made.close()
    folder.date(written / 'verifier.jsonl', 9)
    folder.sweep(max_bytes=0, days=0)
    assert not written.exists()


def test_what_has_just_begun_stays(folder: Folder) -> None:
    begun = folder.session(0, 0)
    folder.sweep(max_bytes=0, days=0)
    assert begun.exists()


def test_what_is_not_ours_stays(folder: Folder, tmp_path: Path) -> None:
    ours = folder.session(9, 9)
    (ours / 'notes.txt').write_text('mine')
    for name in ('notes.jsonl', 'holiday/notes.jsonl', '20260101T000000/belief.jsonl',
                 '20261341T000000-00ab/belief.jsonl', 'blobs/notes.npy.z'):
        path = folder.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('mine')
        folder.date(path, 99)
    elsewhere = Folder(tmp_path / 'elsewhere').session(9, 9)
    (folder.path / elsewhere.name.replace('00ab', '00ac')).symlink_to(elsewhere)
    folder.sweep(max_bytes=0, days=0)
    assert sorted(str(path.relative_to(folder.path)) for path in folder.path.rglob('*')
                  if path.is_file()) == sorted([
        'notes.jsonl', 'holiday/notes.jsonl', '20260101T000000/belief.jsonl',
        '20261341T000000-00ab/belief.jsonl', 'blobs/notes.npy.z',
        f'elsewhere/{elsewhere.name}/belief.jsonl', f'{ours.name}/notes.txt'])


def test_arrays_go_with_the_last_session_that_may_name_them(folder: Folder) -> None:
    folder.session(9, 8), folder.session(5, 4), folder.session(3, 2)
    first, second, third = (folder.blob(number, days) for number, days in
                            enumerate((8.5, 4.5, 2.5)))
    folder.sweep(days=7)
    assert [one.exists() for one in (first, second, third)] == [False, True, True]
    folder.sweep(days=0)
    assert not any(one.exists() for one in (first, second, third))


def test_arrays_count(folder: Folder) -> None:
    old, young = folder.session(9, 8, size=10), folder.session(3, 2, size=10)
    array = folder.blob(1, 8.5)
    folder.sweep(max_bytes=20)
    assert [one.exists() for one in (old, array, young)] == [False, False, True]


def test_an_array_that_is_named_again_is_marked(folder: Folder) -> None:
    folder.session(9, 8), folder.session(3, 2)
    array = folder.blob(1, 8.5)
    assert folder.blob(1, 2.5) == array
    folder.sweep(days=7)
    assert array.exists()


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    sweep(tmp_path / 'none', NO_LIMIT, 0)


def test_the_keeper_sweeps_at_once(folder: Folder) -> None:
    old, asked = folder.session(9, 8), threading.Event()

    def calendar_ns() -> int:
        asked.set()
        return NOW_S * NS_PER_S

    keeper = JournalKeeper(folder.path, Limits(0, 0), calendar_ns)
    assert asked.wait(30)
    keeper.close(30)
    assert not old.exists()
