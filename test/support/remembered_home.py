"""A memory in a file, of a home with two rooms."""

import contextlib
from pathlib import Path

from stored_places import make_place

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.sqlite_store import SqliteStore

HALL = make_place(1, map_id='default', pose=Pose2D(0.0, 0.0, 0.0), kind='hall', tags=('coat',),
                  summary='hall with coat', last_seen_calendar_ns=10**18)
KITCHEN = make_place(2, map_id='default', pose=Pose2D(3.0, 0.0, 0.0), tags=('red mug',),
                     summary='kitchen with red mug', last_seen_calendar_ns=10**18)


def remember_home(folder: Path) -> dict[str, str]:
    """Write it, and return the parameters of a memory node that reads it."""
    path = folder / 'memory.sqlite'
    with contextlib.closing(SqliteStore(path)) as store:
        for place in (HALL, KITCHEN):
            store.save(place, None, None)
    return {'embedder': 'hash', 'memory_db': str(path), 'journal_dir': str(folder / 'journal')}
