"""Keeper of the journals' folder, which removes the oldest sessions to stay within limits."""

import fcntl
import logging
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from semantic_nav.contracts.clock import NS_PER_S

logger = logging.getLogger(__name__)

#: Names that nodes give to sessions, journals and blobs; any other file is not ours.
_SESSION = re.compile(r'\d{8}T\d{6}-[0-9a-f]{4}')
_JOURNAL = re.compile(r'\w+[.]jsonl')
_BLOB = re.compile(r'[0-9a-f]{64}[.]npy[.]z')
_SECONDS_OF_NAME = 15
#: A younger file may be about to be written.
_YOUNG_NS = 60 * NS_PER_S
_PERIOD_S = 600.0


@dataclass(frozen=True)
class Limits:
    """Limits of the journals in a folder.

    Attributes:
        max_bytes: size of all journals, with the blobs beside them.
        max_age_ns: age since a session was last written to, in ns.
    """

    max_bytes: int
    max_age_ns: int


@dataclass(frozen=True)
class _Session:
    files: tuple[Path, ...]
    size: int
    began_ns: int
    written_ns: int


class JournalKeeper:
    """Thread that sweeps the folder at once and then every ten minutes."""

    def __init__(self, folder: Path, limits: Limits, calendar_ns: Callable[[], int]) -> None:
        """Start the thread.

        Args:
            folder: folder of the journals.
            limits: limits of the folder.
            calendar_ns: returns the time since the epoch, in ns.
        """
        self._sweep = lambda: sweep(folder, limits, calendar_ns())
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name='journal_keeper', daemon=True)
        self._thread.start()

    def close(self, timeout_s: float = 2.0) -> None:
        """End the thread, within the timeout."""
        self._closed.set()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            try:
                self._sweep()
            except OSError as error:
                logger.warning('old journals cannot be removed: %s', error)
            if self._closed.wait(_PERIOD_S):
                return


def sweep(folder: Path, limits: Limits, calendar_ns: int) -> None:
    """Remove the oldest sessions, and the arrays that only they hold, until the limits are met.

    A session that is being written is never removed, nor any file that is not ours.

    Raises:
        OSError: something cannot be read or removed.
    """
    sessions = sorted(_sessions(folder), key=lambda one: one.written_ns)
    blobs = sorted(_blobs(folder / 'blobs'))
    total = sum(one.size for one in sessions) + sum(size for _, size, _ in blobs)
    kept: list[_Session] = []
    for number, session in enumerate(sessions):
        age_ns = calendar_ns - session.written_ns
        if age_ns <= limits.max_age_ns and total <= limits.max_bytes:
            break
        if age_ns < _YOUNG_NS or not _remove(session):
            kept.append(session)
            continue
        total -= session.size
        others = (*kept, *sessions[number + 1:])
        oldest_ns = min((one.began_ns for one in others), default=calendar_ns - _YOUNG_NS)
        # An array is touched whenever a journal names it: these belong to removed sessions alone.
        while blobs and blobs[0][0] < oldest_ns:
            _, size, path = blobs.pop(0)
            path.unlink(missing_ok=True)
            total -= size


def _sessions(folder: Path) -> list[_Session]:
    found = []
    for entry in os.scandir(folder) if folder.is_dir() else ():
        if not entry.is_dir(follow_symlinks=False) or not _SESSION.fullmatch(entry.name):
            continue
        files = [(Path(file.path), file.stat(follow_symlinks=False))
                 for file in os.scandir(entry.path)
                 if file.is_file(follow_symlinks=False) and _JOURNAL.fullmatch(file.name)]
        began = _moment_of(entry.name)
        if files and began is not None:
            found.append(_Session(tuple(path for path, _ in files),
                                  sum(stat.st_size for _, stat in files), began,
                                  max(stat.st_mtime_ns for _, stat in files)))
    return found


def _moment_of(session: str) -> int | None:
    """Start of a session by its name, in ns since the epoch; None if the name is no time."""
    with suppress(ValueError):
        moment = datetime.strptime(session[:_SECONDS_OF_NAME], '%Y%m%dT%H%M%S')
        return int(moment.replace(tzinfo=UTC).timestamp()) * NS_PER_S
    return None


def _blobs(folder: Path) -> list[tuple[int, int, Path]]:
    found = []
    for entry in os.scandir(folder) if folder.is_dir() else ():
        if entry.is_file(follow_symlinks=False) and _BLOB.fullmatch(entry.name):
            stat = entry.stat(follow_symlinks=False)
            found.append((stat.st_mtime_ns, stat.st_size, Path(entry.path)))
    return found


def _remove(session: _Session) -> bool:
    """Remove a session that nobody writes; return True if it is gone."""
    locked = []
    try:
        for path in session.files:
            file = path.open('rb')
            locked.append(file)
            # A journal's writer holds its lock.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in session.files:
            path.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False  # it is being written, or another node was faster
    except OSError as error:
        logger.warning('an old journal cannot be removed: %s', error)
        return False
    finally:
        for file in locked:
            file.close()
    # A folder with files of others in it stays.
    with suppress(OSError):
        session.files[0].parent.rmdir()
    return True
