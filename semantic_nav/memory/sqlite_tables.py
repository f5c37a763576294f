"""The tables of the memory's SQLite file, and their migration from version to version."""

import sqlite3
from contextlib import closing

#: Identifies this package's files by their header: 'snav'.
APPLICATION_ID = 0x736E6176
#: Version of the tables; it goes up with every change of them.
SCHEMA_VERSION = 3
PLACE_COLUMNS = ('map_id, id, x, y, yaw, kind, tags, summary, created_calendar_ns, '
                 'last_seen_calendar_ns, visits, session, name, found')
_FIRST = (
    """CREATE TABLE place (
    map_id TEXT NOT NULL, id TEXT NOT NULL, x REAL NOT NULL, y REAL NOT NULL, yaw REAL NOT NULL,
    kind TEXT NOT NULL, tags TEXT NOT NULL, summary TEXT NOT NULL,
    created_calendar_ns INTEGER NOT NULL, last_seen_calendar_ns INTEGER NOT NULL,
    visits INTEGER NOT NULL, session TEXT NOT NULL, PRIMARY KEY (map_id, id)) STRICT""",
    """CREATE TABLE vector (
    map_id TEXT NOT NULL, place_id TEXT NOT NULL, embedder TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (map_id, place_id, embedder)) STRICT""",
    """CREATE TABLE edge (
    map_id TEXT NOT NULL, from_id TEXT NOT NULL, to_id TEXT NOT NULL, length_m REAL NOT NULL,
    PRIMARY KEY (map_id, from_id, to_id)) STRICT""",
    f'PRAGMA application_id = {APPLICATION_ID}')
#: Migration of each version to the next.
_NEWER = {1: "ALTER TABLE place ADD COLUMN name TEXT NOT NULL DEFAULT ''",
          2: "ALTER TABLE place ADD COLUMN found TEXT NOT NULL DEFAULT ''"}
_LAYOUT = """
SELECT name, type, "notnull", pk, hidden,
       (SELECT strict FROM pragma_table_list WHERE schema = 'main' AND name = :table)
FROM pragma_table_xinfo(:table) ORDER BY cid"""


def bring_to(database: sqlite3.Connection, version: int = SCHEMA_VERSION) -> None:
    """Make the tables if there are none, and migrate older ones to a version."""
    if _is_empty(database):
        for statement in (*_FIRST, 'PRAGMA user_version = 1'):
            database.execute(statement)
    for older in range(_version_of(database), version):
        database.execute(_NEWER[older])
        database.execute(f'PRAGMA user_version = {older + 1}')


def fault_of_tables(database: sqlite3.Connection) -> str:
    """The reason why these are not the tables of a memory, by reading alone.

    The number in the header proves little: another program may use the same one.

    Returns:
        Words; empty for a memory's tables, or for none at all.
    """
    if _is_empty(database):
        return ''
    version = _version_of(database)
    if not 1 <= version <= SCHEMA_VERSION:
        return f'its version is {version}, and this program knows 1 to {SCHEMA_VERSION}'
    with closing(sqlite3.connect(':memory:')) as ours:
        bring_to(ours, version)
        for table in ('place', 'vector', 'edge'):
            found = database.execute(_LAYOUT, {'table': table}).fetchall()
            if not found:
                return f'it has no table {table}, so it belongs to another program'
            if found != ours.execute(_LAYOUT, {'table': table}).fetchall():
                return (f'its table {table} is not that of a memory of version {version}, so it '
                        'belongs to another program')
    return ''


def _is_empty(database: sqlite3.Connection) -> bool:
    return not database.execute('SELECT count(*) FROM sqlite_master').fetchone()[0]


def _version_of(database: sqlite3.Connection) -> int:
    version: int = database.execute('PRAGMA user_version').fetchone()[0]
    return version
