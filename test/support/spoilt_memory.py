"""A memory's database with something in it that no store of ours writes."""

import contextlib
import sqlite3
from pathlib import Path


def spoil_tags(path: Path) -> None:
    """Put something into the file that is JSON, but no list of names."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE place SET tags = '5'")
        database.commit()
