"""The journal of a node: it breaks once, and the node goes on without it."""

import logging
from collections.abc import Callable, Sequence

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Effect, Event, Output
from semantic_nav.contracts.journal import JournalWriter

logger = logging.getLogger(__name__)


class NodeJournal:
    """Writes records until one fails.

    Attributes:
        failure: why nothing is written any more; empty while all is well.
    """

    def __init__(self, writer: JournalWriter, broke: Callable[[str], None]) -> None:
        """Take over a writer.

        Args:
            writer: of an open journal.
            broke: gets the failure, once.
        """
        self.failure = ''
        self._writer = writer
        self._broke = broke

    def append(self, now: Now, event: Event, outputs: Sequence[Output]) -> None:
        """Write one record, or nothing after a failure: the last line may be torn."""
        if self.failure:
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
