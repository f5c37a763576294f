"""The SQLite file: what is committed stays, and what is not ours is left alone."""

import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from spoilt_memory import spoil
from stored_places import make_place, make_vector

from semantic_nav.contracts.errors import StoreError
from semantic_nav.contracts.share import share_folder
from semantic_nav.memory.place import Found
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.memory.sqlite_tables import APPLICATION_ID, SCHEMA_VERSION
from semantic_nav.memory.store import StoredMap
from semantic_nav.memory.writer_lock import WriterLock

_NOBODY = 65534
#: As in a file of ours of the first version.
_TABLES = """
CREATE TABLE place (
  map_id TEXT NOT NULL, id TEXT NOT NULL, x REAL NOT NULL, y REAL NOT NULL, yaw REAL NOT NULL,
  kind TEXT NOT NULL, tags TEXT NOT NULL, summary TEXT NOT NULL,
  created_calendar_ns INTEGER NOT NULL, last_seen_calendar_ns INTEGER NOT NULL,
  visits INTEGER NOT NULL, session TEXT NOT NULL, PRIMARY KEY (map_id, id)) STRICT;
CREATE TABLE vector (
  map_id TEXT NOT NULL, place_id TEXT NOT NULL, embedder TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (map_id, place_id, embedder)) STRICT;
CREATE TABLE edge (
  map_id TEXT NOT NULL, from_id TEXT NOT NULL, to_id TEXT NOT NULL, length_m REAL NOT NULL,
  PRIMARY KEY (map_id, from_id, to_id)) STRICT;
"""


def reload(path: Path, embedder: str = 'one', dimension: int = 4) -> StoredMap:
    with contextlib.closing(SqliteStore(path)) as store:
        return store.load('home', embedder, dimension)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(path: Path, reason: str) -> None:
    """Check that the file is refused by its name, and every byte in its folder stays."""
    before = snapshot(path.parent)
    with pytest.raises(StoreError, match=reason) as caught:
        SqliteStore(path)
    assert str(path) in str(caught.value)
    assert snapshot(path.parent) == before


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / 'memory.sqlite'


def test_any_path_will_do_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / 'not' / 'there' / 'a b?c#d%20.sqlite'
    with contextlib.closing(SqliteStore(path)) as store:
        store.save(make_place(1))
    assert reload(path).places == (make_place(1),)


def test_a_new_store_says_whose_it_is(path: Path) -> None:
    reload(path)
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[68:72], 'big') == APPLICATION_ID
    assert int.from_bytes(header[60:64], 'big') == SCHEMA_VERSION


def test_it_is_in_wal_mode(path: Path) -> None:
    reload(path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute('PRAGMA journal_mode').fetchone() == ('wal',)


def test_a_commit_waits_for_the_disk(path: Path) -> None:
    """Else what was committed last is lost with the power. Only the connection itself knows."""
    with contextlib.closing(SqliteStore(path)) as store:
        assert store._connection.execute('PRAGMA synchronous').fetchone() == (2,)


# Files that are not ours, or not sound


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    assert reload(path).places == ()


@pytest.mark.parametrize('content', [
    b'x', b'a letter to my aunt' * 100, b'SQLite format 3\x00', bytes(4096)])
def test_what_is_no_database_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, 'not an SQLite file')


@pytest.mark.parametrize('mode', ['wal', 'delete'])
def test_another_programs_database_is_refused(path: Path, mode: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(f'PRAGMA journal_mode = {mode}')
        database.execute('CREATE TABLE place (id TEXT)')
        database.execute('PRAGMA application_id = 0x0f055112')
        database.commit()
    refused(path, 'another program .application id 0x0f055112')


def test_a_database_without_owner_is_refused(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute('CREATE TABLE shopping (item TEXT)')
        database.commit()
    refused(path, 'another program')


@pytest.mark.parametrize('mode', ['wal', 'delete'])
@pytest.mark.parametrize('version', range(SCHEMA_VERSION + 1))
@pytest.mark.parametrize('tables', [
    'CREATE TABLE shopping (item TEXT)', 'CREATE TABLE place (id TEXT)',
    'CREATE TABLE place (id TEXT); CREATE TABLE vector (x, y); CREATE TABLE edge (from_id)',
    _TABLES.replace('STRICT', ''), _TABLES.replace('summary', 'street'),
    _TABLES.replace('x REAL', 'x TEXT')])
def test_another_programs_tables_under_our_number_are_refused(
        path: Path, tables: str, version: int, mode: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(f'PRAGMA journal_mode = {mode}')
        database.executescript(tables)
        database.execute(f'PRAGMA application_id = {APPLICATION_ID}')
        database.execute(f'PRAGMA user_version = {version}')
    refused(path, 'another program|its version is 0')


def test_another_programs_interrupted_change_is_rolled_back_and_nothing_else(
        path: Path, tmp_path: Path) -> None:
    (tmp_path / 'whole').mkdir()
    whole = tmp_path / 'whole' / 'shop.sqlite'
    with contextlib.closing(sqlite3.connect(whole, isolation_level=None)) as database:
        database.execute('CREATE TABLE place (id TEXT)')
        database.execute(f'PRAGMA application_id = {APPLICATION_ID}')
        database.execute('PRAGMA user_version = 1')
        before = list(database.iterdump())
        database.execute('PRAGMA cache_size = 1')
        database.execute('BEGIN')
        database.executemany('INSERT INTO place VALUES (?)', [('x' * 900,)] * 100)
        path.write_bytes(whole.read_bytes())
        Path(f'{path}-journal').write_bytes(Path(f'{whole}-journal').read_bytes())
    with pytest.raises(StoreError, match='another program'):
        SqliteStore(path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert list(database.iterdump()) == before
        assert database.execute('PRAGMA user_version').fetchone() == (1,)
        assert database.execute('PRAGMA journal_mode').fetchone() == ('delete',)


def test_a_newer_version_is_refused(path: Path) -> None:
    reload(path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(f'PRAGMA user_version = {SCHEMA_VERSION + 1}')
    refused(path, f'version is {SCHEMA_VERSION + 1}, and this program knows up to')


@pytest.mark.parametrize('damage', ['middle', 'cut'])
def test_a_corrupt_file_is_refused(path: Path, damage: str) -> None:
    store = SqliteStore(path)
    for number in range(40):
        store.save(make_place(number), make_vector(f'place-s-{number}'))
    store.close()
    content = bytearray(path.read_bytes())
    if damage == 'cut':
        del content[len(content) // 2:]
    else:
        content[4096:-4096] = os.urandom(len(content) - 8192)
    path.write_bytes(content)
    refused(path, 'cannot be used: ')


def test_a_folder_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError, match='directory'):
        SqliteStore(path)


def test_a_parent_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    with pytest.raises(StoreError, match='memory.sqlite cannot be used'):
        SqliteStore(tmp_path / 'file' / 'memory.sqlite')


@contextlib.contextmanager
def unprivileged() -> Iterator[Path]:
    """Give an ordinary user's folder, and be that user, for root may write everywhere."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(folder, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
    try:
        yield folder
    finally:
        folder.chmod(stat.S_IRWXU)
        if root:
            os.seteuid(0)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


@pytest.mark.parametrize('exists', [False, True])
def test_a_folder_that_cannot_be_written_is_named(exists: bool) -> None:
    with unprivileged() as folder:
        path = folder / 'memory.sqlite'
        if exists:
            reload(path)
            path.chmod(stat.S_IRUSR)
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        before = snapshot(folder)
        with pytest.raises(StoreError, match=str(path)):
            SqliteStore(path)
        assert snapshot(folder) == before


def test_a_failed_write_names_the_file_and_leaves_the_store_usable(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as store:
        with pytest.raises(StoreError, match='cannot write to the memory .*memory.sqlite'):
            store.save(make_place(1, visits=None))
        store.save(make_place(2))
        assert store.load('home', 'one', 4).places == (make_place(2),)


# A write-ahead log that is all there is

PLACES = 51


@pytest.fixture
def log(tmp_path: Path) -> tuple[bytes, bytes]:
    """Return a store's file and its log, in which the places stand, as a crash leaves them."""
    path = tmp_path / 'elsewhere' / 'memory.sqlite'
    with contextlib.closing(SqliteStore(path)) as store:
        for number in range(PLACES):
            store.save(make_place(number), make_vector(f'place-s-{number}'))
        return path.read_bytes(), Path(f'{path}-wal').read_bytes()


@pytest.mark.parametrize('main', ['missing', 'empty'])
def test_a_log_without_its_file_is_refused_and_kept(
        path: Path, log: tuple[bytes, bytes], main: str) -> None:
    whole, wal = log
    Path(f'{path}-wal').write_bytes(wal)
    if main == 'empty':
        path.touch()
    refused(path, f'{path.name}-wal holds {len(wal)} bytes')
    refused(path, f'{path.name}-wal holds {len(wal)} bytes')
    # With its file beside it again, nothing is lost.
    path.write_bytes(whole)
    assert len(reload(path).places) == PLACES


@pytest.mark.parametrize('size', [0, 32])
def test_a_log_that_holds_nothing_is_no_reason_to_refuse(
        path: Path, log: tuple[bytes, bytes], size: int) -> None:
    Path(f'{path}-wal').write_bytes(log[1][:size])
    assert reload(path).places == ()


def test_a_file_with_its_log_is_read_with_all_that_stands_there(
        path: Path, log: tuple[bytes, bytes]) -> None:
    path.write_bytes(log[0])
    Path(f'{path}-wal').write_bytes(log[1])
    assert len(reload(path).places) == PLACES


# Rows that others wrote

@pytest.mark.parametrize('change', [
    "tags = '5'", "tags = '{}'", "tags = 'mug'", "tags = '['", "tags = ''",
    """tags = '["\\ud800"]'""", "tags = printf('%.*c', 100000, '[')",
    "summary = CAST(x'ff6d7567' AS TEXT)", "kind = CAST(x'c3' AS TEXT)", 'yaw = 1e300',
    'x = 9e999', 'visits = -1', "id = printf('%.*c', 1000, 'x')", "id = CAST(x'ff' AS TEXT)",
    "session = CAST(x'fe' AS TEXT)"])
def test_a_row_that_cannot_be_read_is_left_out_and_the_others_are_there(
        path: Path, change: str) -> None:
    with contextlib.closing(SqliteStore(path)) as store:
        for number in (1, 2, 3):
            store.save(make_place(number), make_vector(f'place-s-{number}'))
    spoil(path, f"UPDATE place SET {change} WHERE id = 'place-s-2'")
    loaded = reload(path)
    assert loaded.places == (make_place(1), make_place(3))
    assert loaded.vector_ids == ('place-s-1', 'place-s-3')
    assert loaded.left_out == 1 and loaded.left_out_reason.isascii()


# The end of the process at any moment

_MAKER = """
import sys
from pathlib import Path
from semantic_nav.memory.sqlite_store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
print('made', flush=True)
sys.stdin.read()
"""
_WRITER = """
import sys
from pathlib import Path
from stored_places import make_place, make_vector
from semantic_nav.memory.place import Edge
from semantic_nav.memory.sqlite_store import SqliteStore
path, first = Path(sys.argv[1]), int(sys.argv[2])
store = SqliteStore(path)
for number in range(first, first + 100_000):
    store.save(make_place(number), make_vector(f'place-s-{number}'),
               Edge(f'place-s-{number - 1}', f'place-s-{number}', 1.0))
    print(number, flush=True)
"""


@pytest.mark.slow
def test_kill_9_loses_no_committed_place(path: Path) -> None:
    """Kill a writer at changing moments; what it said to be saved is there, and sound."""
    told = -1
    for wait_for in (1, 7, 23):
        writer = subprocess.Popen(
            [sys.executable, '-c', _WRITER, str(path), str(told + 1)], stdout=subprocess.PIPE,
            text=True, env={**os.environ, 'PYTHONPATH': os.pathsep.join(
                (str(share_folder()), str(Path(__file__).parents[1] / 'support')))})
        assert writer.stdout is not None
        for _ in range(wait_for):
            told = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        told = max([told, *map(int, writer.stdout.read().split())])
        assert writer.wait(timeout=30) == -signal.SIGKILL
        writer.stdout.close()
        loaded = reload(path)
        assert len(loaded.places) >= told + 1
        assert loaded.unembedded == ()
        assert len(loaded.edges) == len(loaded.places)
        told = len(loaded.places) - 1


@pytest.mark.slow
def test_kill_9_while_the_store_is_made_leaves_it_usable(path: Path) -> None:
    """Kill a maker as soon as its file appears; the next one succeeds."""
    for _ in range(4):
        maker = subprocess.Popen(
            [sys.executable, '-c', _MAKER, str(path)], stdin=subprocess.PIPE,
            env={**os.environ, 'PYTHONPATH': str(share_folder())})
        while not path.exists():
            assert maker.poll() is None
        maker.send_signal(signal.SIGKILL)
        maker.communicate(timeout=30)
        assert maker.returncode == -signal.SIGKILL
        assert reload(path).places == ()
        for file in path.parent.iterdir():
            file.unlink()


# One writer

@pytest.mark.parametrize('by_link', [False, True])
def test_second_writer_is_refused_and_may_read_until_the_first_is_done(
        path: Path, tmp_path: Path, by_link: bool) -> None:
    """Each would write over what the other has named or forgotten, and know nothing of it."""
    other = path
    if by_link:
        (tmp_path / 'by').mkdir()
        other = tmp_path / 'by' / 'link.sqlite'
        other.symlink_to(path)
    with contextlib.closing(SqliteStore(path)) as store:
        store.save(make_place(1))
        with pytest.raises(StoreError, match=f'{path} .* process {os.getpid()} on .* writes to it '
                                             'already.*end that one.*memory_db'):
            SqliteStore(other, patience_s=0.0)
        with contextlib.closing(SqliteStore(other, copied=True)) as copy:
            assert copy.load('home', 'one', 4).places == (make_place(1),)
        store.save(make_place(2))
    assert len(reload(other).places) == 2
    assert [one.name for one in tmp_path.glob('memory*')] == ['memory.sqlite']


def test_killed_writer_leaves_the_file_to_the_next(path: Path) -> None:
    with subprocess.Popen(
            [sys.executable, '-c', _MAKER, str(path)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': str(share_folder())}
            ) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b'made\n'
        with pytest.raises(StoreError, match=f'process {writer.pid} on'):
            SqliteStore(path, patience_s=0.0)
        writer.send_signal(signal.SIGKILL)
    assert Path(f'{path}-lock').exists(), 'as the killed one left it'
    assert reload(path).places == ()
    assert not Path(f'{path}-lock').exists()


def test_writer_waits_for_one_that_is_ending(path: Path) -> None:
    first = WriterLock(path, 0.0)
    ending = threading.Timer(0.3, first.release)
    ending.start()
    reload(path)
    ending.join()


def test_what_was_found_outlives_the_program(path: Path) -> None:
    place = make_place(1, found=Found('rote Tasse', (1.5, -2.25, 0.75), 0.125))
    with contextlib.closing(SqliteStore(path)) as store:
        store.save(make_place(1))
        store.save(place)
    assert reload(path).places == (place,)


@pytest.mark.parametrize('words', ['mug', '["mug", 1.0]', '["mug", "x", 0, 0, 0]',
                                   '["mug", 1e9, 0, 0, 0]', '["mug", 0, 0, 0, -1.0]',
                                   '["mug", 0, 0, 0, 1e9]'])
def test_place_whose_find_cannot_be_read_is_left_out(path: Path, words: str) -> None:
    with contextlib.closing(SqliteStore(path)) as store:
        store.save(make_place(1))
        store.save(make_place(2))
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute('UPDATE place SET found = ? WHERE id = ?', (words, 'place-s-1'))
        database.commit()
    stored = reload(path)
    assert stored.places == (make_place(2),) and stored.left_out == 1


def test_a_file_of_the_first_version_is_taken_on(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as store:
        store.save(make_place(1), make_vector('place-s-1'))
    with contextlib.closing(sqlite3.connect(path)) as database:
        for column in ('name', 'found'):
            database.execute(f'ALTER TABLE place DROP COLUMN {column}')
        database.execute('PRAGMA user_version = 1')
    stored = reload(path)
    assert stored.places == (make_place(1),) and stored.vector_ids == ('place-s-1',)
    assert int.from_bytes(path.read_bytes()[60:64], 'big') == SCHEMA_VERSION
