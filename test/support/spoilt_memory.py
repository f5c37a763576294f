"""A memory's database with something in it that no store of ours writes."""

import contextlib
import sqlite3
from pathlib import Path


def spoil(path: Path, *statements: str) -> None:
    """Carry out statements on the file."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def spoil_tags(path: Path) -> None:
    """Put something into the file that is JSON, but no list of names."""
    spoil(path, "UPDATE place SET tags = '5'")


def spoil_table(path: Path) -> None:
    """Put a table into the file whose columns hold anything, and words where numbers belong."""
    spoil(path, 'ALTER TABLE place RENAME TO old', 'CREATE TABLE place AS SELECT * FROM old',
          "UPDATE place SET x = 'left of the door'")
