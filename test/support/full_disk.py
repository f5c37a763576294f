"""A disk without room for a journal."""

import contextlib
import os
from collections.abc import Iterator

from semantic_nav.contracts.journal import JournalWriter


@contextlib.contextmanager
def full_disk(writer: JournalWriter) -> Iterator[None]:
    """Let the kernel refuse every write to a journal; afterwards there is room again."""
    descriptor = writer._file.fileno()
    kept = os.dup(descriptor)
    full = os.open('/dev/full', os.O_WRONLY)
    os.dup2(full, descriptor)
    os.close(full)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # it was closed meanwhile
            os.dup2(kept, writer._file.fileno())
        os.close(kept)
