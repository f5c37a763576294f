"""The journal of a node: it breaks once, and the node goes on without it."""

import errno
import logging
from collections.abc import Callable, Sequence

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Effect, Event, Output
from semantic_nav.contracts.journal import JournalWriter

logger = logging.getLogger(__name__)

_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)


class NodeJournal:
    """Writes records until one fails.

    Attributes:
        failure: why nothing is written any more; empty while all is well.
    """

    def __init__(self, open_writer: Callable[[], JournalWriter],
                 broke: Callable[[str], None]) -> None:
        """Open a journal; a disk that is full or worn out breaks it at once.

        Args:
            open_writer: opens it.
            broke: gets the failure, once.

        Raises:
            OSError: it cannot be opened for another reason, such as a folder that is none.
        """
        self.failure = ''
        self._broke = broke
        self._writer: JournalWriter | None = None
        try:
            self._writer = open_writer()
        except OSError as error:
            if error.errno not in _OF_THE_DISK:
                raise
            # Who is started anew while the disk is full must be able to stop the robot.
            self._break(error)

    def append(self, now: Now, event: Event, outputs: Sequence[Output]) -> None:
        """Write one record, or nothing after a failure: the last line may be torn."""
        if self.failure or self._writer is None:
            return
        try:
            self._writer.append(now, event, outputs, durable=any(map(starts_motion, outputs)))
        except (OSError, ValueError) as error:
            self._break(error)
        except Exception as error:  # whatever it is, a cancel must go out
            logger.exception('a record cannot be written')
            self._break(error)

    def close(self) -> None:
        """Close the file."""
        if self._writer is None:
            return
        try:
            self._writer.close()
        except OSError as error:
            if not self.failure:
                self._break(error)

    def _break(self, error: Exception) -> None:
        # Without the name of the file, which is that of a blob at times.
        words = error.strerror if isinstance(error, OSError) else ''
        words = words or str(error) or type(error).__name__
        self.failure = f'the journal cannot be written: {words}'[:300]
        self._broke(self.failure)


def starts_motion(output: Output) -> bool:
    """Tell whether an output moves the robot, and so needs its record on the disk."""
    return isinstance(output, Effect) and output.durable
