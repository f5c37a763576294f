"""The memory's store in one SQLite file."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from semantic_nav.contracts.errors import StoreError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.place import Edge, Found, Place, PlaceVector
from semantic_nav.memory.sound import sound_map
from semantic_nav.memory.sqlite_tables import (
    APPLICATION_ID,
    PLACE_COLUMNS,
    SCHEMA_VERSION,
    bring_to,
    fault_of_tables,
)
from semantic_nav.memory.store import StoredMap
from semantic_nav.memory.writer_lock import WriterLock

_MAGIC = b'SQLite format 3\x00'
_HEADER_BYTES = 100
#: Length of the header of a write-ahead log; a longer log holds pages.
_LOG_HEADER_BYTES = 32
#: Longest wait for another writing process, in s.
_BUSY_S = 5.0


class SqliteStore:
    """Places in a SQLite file of this package that is sound and of a known version.

    The file is in WAL mode with `synchronous = FULL`: each commit reaches the disk before it
    counts. A robot loses its power more often than its operating system crashes, and one look in
    some seconds can afford the sync.
    """

    def __init__(self, path: Path, *, copied: bool = False, patience_s: float = _BUSY_S) -> None:
        """Open the file, or make it and its folder.

        An existing file is checked before anything could write to it: one that is foreign, newer
        or corrupt is left as it is. One process at a time writes to a file; any may copy it.

        Args:
            path: of the file.
            copied: work on a copy that goes with this process; the file must be there, and nothing
                is written to it.
            patience_s: longest wait for another process that writes to it.

        Raises:
            StoreError: naming the file and its fault, or the process that writes to it.
        """
        # SQLite puts its log beside the target of a link too.
        self._path = Path(os.path.realpath(path))
        with self._named_errors(), ExitStack() as made:
            if not copied:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                made.callback(WriterLock(self._path, patience_s).release)
            if copied or (self._path.exists() and self._path.stat().st_size > 0):
                self._check_header()
                self._check_content()
            else:
                self._check_no_log()
            self._connection = made.enter_context(closing(sqlite3.connect(
                ':memory:' if copied else f'{self._path.as_uri()}?mode=rwc',
                uri=not copied, timeout=_BUSY_S, isolation_level=None)))
            # Text that is not UTF-8 is found in its own row, and does not end the reading of all.
            self._connection.text_factory = _text
            if copied:
                with self._read_only() as database:
                    database.backup(self._connection)
            self._prepare()
            self._made = made.pop_all()

    def load(self, map_id: str, embedder: str, dimension: int) -> StoredMap:
        """One map, with the vectors of one embedder."""
        with self._named_errors('cannot read'):
            places, faults = [], []
            for row in self._connection.execute(
                    f'SELECT {PLACE_COLUMNS} FROM place WHERE map_id = ? ORDER BY rowid',
                    (map_id,)):
                try:
                    places.append(_place(row))
                except (ValueError, TypeError, RecursionError) as error:
                    faults.append(f'{row[1][:80]!a}: its tags, or what was found, cannot be '
                                  f'read: {error}')
            edges = tuple(Edge(*row) for row in self._connection.execute(
                'SELECT from_id, to_id, length_m FROM edge WHERE map_id = ? ORDER BY rowid',
                (map_id,)))
            rows = self._connection.execute(
                'SELECT place_id, data FROM vector WHERE map_id = ? AND embedder = ? '
                'ORDER BY rowid', (map_id, embedder)).fetchall()
        whole = [(place_id, data) for place_id, data in rows if len(data) == 4 * dimension]
        faults += [f'vector of {place_id[:80]!a}: it has {len(data)} bytes, not {4 * dimension}'
                   for place_id, data in rows if len(data) != 4 * dimension]
        vectors = np.frombuffer(b''.join(data for _, data in whole), '<f4')
        return sound_map(places, edges, [place_id for place_id, _ in whole],
                         vectors.astype(np.float32).reshape(len(whole), dimension), faults)

    def map_ids(self) -> list[str]:
        """The names of the maps that have places."""
        with self._named_errors('cannot read'):
            return [str(row[0]) for row in self._connection.execute(
                'SELECT DISTINCT map_id FROM place ORDER BY map_id')]

    def save(self, place: Place, vector: PlaceVector | None = None,
             edge: Edge | None = None) -> None:
        """Write a place, and its vector and an edge if given, in one transaction."""
        with self._named_errors('cannot write to'), self._transaction() as database:
            database.execute(
                'DELETE FROM vector WHERE map_id = :map_id AND place_id = :id AND EXISTS (SELECT '
                '1 FROM place WHERE map_id = :map_id AND id = :id AND summary != :summary)',
                {'map_id': place.map_id, 'id': place.id, 'summary': place.summary})
            database.execute(
                f'INSERT INTO place ({PLACE_COLUMNS}) '
                'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) '
                'ON CONFLICT (map_id, id) DO UPDATE SET '
                'x = excluded.x, y = excluded.y, yaw = excluded.yaw, '
                'kind = excluded.kind, tags = excluded.tags, summary = excluded.summary, '
                'visits = excluded.visits, name = excluded.name, found = excluded.found, '
                'last_seen_calendar_ns = excluded.last_seen_calendar_ns',
                _row(place))
            if vector is not None:
                database.execute(
                    'INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)',
                    (place.map_id, vector.place_id, vector.embedder,
                     vector.values.astype('<f4').tobytes()))
            if edge is not None:
                database.execute('INSERT OR REPLACE INTO edge VALUES (?, ?, ?, ?)',
                                 (place.map_id, edge.from_id, edge.to_id, edge.length_m))

    def forget(self, map_id: str, place_id: str) -> None:
        """Remove a place, with its vectors and the ways to it, in one transaction."""
        with self._named_errors('cannot write to'), self._transaction() as database:
            for where in ('vector WHERE map_id = :map AND place_id = :id',
                          'edge WHERE map_id = :map AND (from_id = :id OR to_id = :id)',
                          'place WHERE map_id = :map AND id = :id'):
                database.execute(f'DELETE FROM {where}', {'map': map_id, 'id': place_id})

    def close(self) -> None:
        """Close the file, so that another process may write to it.

        SQLite folds the write-ahead log into it.
        """
        self._made.close()

    def _check_header(self) -> None:
        """Refuse a foreign file by its first bytes (sqlite.org/fileformat.html)."""
        with self._path.open('rb') as file:
            header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
            raise StoreError(self._refusal('it is not an SQLite file'))
        application = int.from_bytes(header[68:72], 'big')
        if application != APPLICATION_ID:
            raise StoreError(self._refusal(
                f'it belongs to another program (application id {application:#010x})'))
        version = int.from_bytes(header[60:64], 'big')
        if version > SCHEMA_VERSION:
            raise StoreError(self._refusal(
                f'its version is {version}, and this program knows up to {SCHEMA_VERSION}'))

    def _check_no_log(self) -> None:
        """Refuse an empty or missing file whose write-ahead log holds the lost data.

        SQLite would take the log for that of another file, and delete it.
        """
        log = Path(f'{self._path}-wal')
        size = log.stat().st_size if log.exists() else 0
        if size > _LOG_HEADER_BYTES:
            raise StoreError(self._refusal(
                f'the file is {"empty" if self._path.exists() else "missing"}, but its '
                f'write-ahead log {log} holds {size} bytes: put the file back from a copy, or '
                'move the log away too'))

    def _check_content(self) -> None:
        """Refuse a file that SQLite finds damaged, over a connection that cannot write."""
        if Path(f'{self._path}-journal').exists():
            # Its making was interrupted: only a connection that may write can roll that back.
            return
        with self._read_only() as database:
            finding = database.execute('PRAGMA quick_check(1)').fetchone()[0]
            fault = f'it is corrupt: {finding}' if finding != 'ok' else fault_of_tables(database)
        if fault:
            raise StoreError(self._refusal(fault))

    def _read_only(self) -> closing[sqlite3.Connection]:
        # Without a log beside it the file is complete, and SQLite need not even lock it.
        mode = 'mode=ro' if Path(f'{self._path}-wal').exists() else 'immutable=1'
        return closing(sqlite3.connect(f'{self._path.as_uri()}?{mode}', uri=True,
                                       timeout=_BUSY_S))

    def _prepare(self) -> None:
        # The tables and the application id enter the file in one transaction, before WAL mode
        # makes its own change: whenever the process dies, the file is empty or complete.
        with self._transaction() as database:
            # An interrupted change has been rolled back by now, and the result is not checked yet.
            if fault := fault_of_tables(database):
                raise StoreError(self._refusal(fault))
            bring_to(database)
        self._connection.execute('PRAGMA journal_mode = WAL')
        self._connection.execute('PRAGMA synchronous = FULL')

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute('BEGIN IMMEDIATE')
        try:
            yield self._connection
            self._connection.execute('COMMIT')
        except BaseException:
            # SQLite has rolled back by itself after some errors.
            if self._connection.in_transaction:
                self._connection.execute('ROLLBACK')
            raise

    @contextmanager
    def _named_errors(self, doing: str = '') -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            reason = getattr(error, 'strerror', None) or str(error)
            raise StoreError(f'{doing} the memory {self._path}: {reason}' if doing
                             else self._refusal(reason)) from error

    def _refusal(self, reason: str) -> str:
        return (f'the memory {self._path} cannot be used: {reason}; it is left as it is: '
                f'move it away, or name another one in memory_db')


def _text(data: bytes) -> str:
    return data.decode('utf-8', 'surrogateescape')


def _row(place: Place) -> tuple[object, ...]:
    return (place.map_id, place.id, place.pose.x, place.pose.y, place.pose.yaw, place.kind,
            json.dumps(place.tags, ensure_ascii=False), place.summary, place.created_calendar_ns,
            place.last_seen_calendar_ns, place.visits, place.session, place.name,
            _words_of(place.found))


def _place(row: tuple[Any, ...]) -> Place:
    map_id, place_id, x, y, yaw, kind, tags, summary, created, last_seen, visits, session, \
        name, found = row
    names = json.loads(tags)
    if not isinstance(names, list):
        raise TypeError(f'{tags[:40]!a}')
    return Place(
        id=place_id, map_id=map_id, pose=Pose2D(x, y, yaw), kind=kind,
        tags=tuple(str(tag) for tag in names), summary=summary,
        created_calendar_ns=created, last_seen_calendar_ns=last_seen, visits=visits,
        session=session, name=name, found=_found(found))


def _words_of(found: Found | None) -> str:
    return '' if found is None else json.dumps(
        [found.name, *found.position, found.deep_m], ensure_ascii=False)


def _found(words: str) -> Found | None:
    if not words:
        return None
    name, x, y, z, deep_m = json.loads(words)
    return Found(str(name), (float(x), float(y), float(z)), float(deep_m))
