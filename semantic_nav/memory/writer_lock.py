"""The lock by which one process at a time writes to a file; it ends with the process."""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from semantic_nav.contracts.errors import StoreError

_AGAIN_S = 0.1


class WriterLock:
    """A lock file beside a file, held until `release`, or until the process ends in any way."""

    def __init__(self, path: Path, patience_s: float) -> None:
        """Take the lock of a file, which need not be there.

        Args:
            path: of the file, with links resolved, as two names of one file are two locks.
            patience_s: longest wait for the process that holds it, which may be ending.

        Raises:
            StoreError: another process writes to the file; the message names it.
            OSError: the folder cannot be written, or its disk keeps no locks.
        """
        self._path = Path(f'{path}-lock')
        until_s = time.monotonic() + patience_s
        while not self._taken():
            if time.monotonic() >= until_s:
                raise StoreError(
                    f'the memory {path} cannot be used: {self._holder()} writes to it already, '
                    f"and two would undo each other's places; end that one and start this node "
                    'again, or name a file of its own in memory_db')
            time.sleep(_AGAIN_S)
        with suppress(OSError):  # the name is only a hint, and a full disk takes none
            os.truncate(self._file, 0)
            os.write(self._file, f'process {os.getpid()} on {os.uname().nodename}'.encode())

    def release(self) -> None:
        """Let another process write."""
        # While the lock is held, nobody else takes this file for the lock.
        self._path.unlink(missing_ok=True)
        os.close(self._file)

    def _taken(self) -> bool:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The previous holder may have removed the file meanwhile.
            if self._path.stat().st_ino == os.fstat(file).st_ino:
                self._file = file
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(file)
            raise
        os.close(file)
        return False

    def _holder(self) -> str:
        try:
            words = self._path.read_bytes()[:200].decode('ascii')
        except (OSError, ValueError):
            words = ''
        return words if words.isprintable() and words else 'another process'
