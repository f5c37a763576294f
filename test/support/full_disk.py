"""A disk without room: for a journal, or for every file."""

import contextlib
import errno
import os
import resource
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


@contextlib.contextmanager
def unflushed(writer: JournalWriter) -> Iterator[None]:
    """Let the kernel refuse to have a journal on the disk; it takes every write."""
    kept = os.fsync

    def refuse(descriptor: int) -> None:
        if descriptor == writer._file.fileno():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        kept(descriptor)

    os.fsync = refuse
    try:
        yield
    finally:
        os.fsync = kept


@contextlib.contextmanager
def no_room(files_bytes: int = 20) -> Iterator[None]:
    """Let the kernel take so many bytes of each file of this process and refuse the others."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (files_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
