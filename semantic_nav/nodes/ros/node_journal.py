"""Journal of a node: if it cannot be written, the node goes on, and the gap is recorded."""

import errno
import logging
import time
from collections.abc import Callable, Sequence

from semantic_nav.contracts.blobs import Blobs, FolderBlobs, NoBlobs
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.core import COMMON_KINDS, Effect, Event, Output
from semantic_nav.contracts.journal import Gap, JournalWriter, Start
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.journal_keeper import JournalKeeper, Limits
from semantic_nav.nodes.ros.names import journal_folder
from semantic_nav.nodes.ros.shell_config import ShellConfig

logger = logging.getLogger(__name__)

_MB = 1 << 20
_NS_PER_DAY = 86400 * NS_PER_S
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)


class NodeJournal:
    """Writer of records, each as soon as the disk takes it; a gap stands for the lost ones.

    Attributes:
        failure: reason why the last record could not be written; empty while all is well.
    """

    def __init__(self, open_writer: Callable[[], JournalWriter],
                 tell: Callable[[Level, str], None]) -> None:
        """Open a journal; if the disk is full or worn out, it is tried again later.

        Args:
            open_writer: opens the journal.
            tell: gets level and words of its state, whenever that changes.

        Raises:
            OSError: it cannot be opened for another reason, such as a folder that is none.
        """
        self.failure = ''
        self._tell, self._open_writer = tell, open_writer
        self._writer: JournalWriter | None = None
        self._reason, self._lacking, self._lacking_in_all = '', 0, 0
        try:
            self._writer = open_writer()
        except OSError as error:
            if error.errno not in _OF_THE_DISK:
                raise
            # A node that restarts while the disk is full must be able to stop the robot.
            self._break(error)

    def append(self, now: Now, event: Event, outputs: Sequence[Output]) -> None:
        """Write one record, or count it as missing."""
        try:
            self._write(now, event, outputs)
        except (OSError, ValueError) as error:
            self._lack(error)
        except Exception as error:  # whatever it is, a cancel must go out
            if not self.failure:
                logger.exception('a record cannot be written')
            self._lack(error)

    def _write(self, now: Now, event: Event, outputs: Sequence[Output]) -> None:
        self._writer = self._writer or self._open_writer()
        gap = Gap(self._lacking, self._reason) if self._lacking else None
        self._writer.append(now, event, outputs, durable=any(map(starts_motion, outputs)), gap=gap)
        if self.failure:
            self.failure, self._lacking = '', 0
            if self._lacking_in_all:
                self._tell(Level.WARN, 'written again; records missing in it: '
                           f'{self._lacking_in_all} ({self._reason})')
            else:
                self._tell(Level.OK, 'written')

    def _lack(self, error: Exception) -> None:
        self._lacking += 1
        self._lacking_in_all += 1
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
        # The name of the file is left out: at times it is that of a blob.
        words = error.strerror if isinstance(error, OSError) else ''
        self._reason = (words or str(error) or type(error).__name__)[:200]
        failure = f'the journal cannot be written: {self._reason}'
        if failure != self.failure:
            self.failure = failure
            self._tell(Level.ERROR, failure)


def open_journal(shell: ShellConfig, start: Start, kinds: Sequence[type],
                 tell: Callable[[Level, str], None]) -> tuple[NodeJournal, JournalKeeper]:
    """Journal of a node in its session, and the keeper of the journals' folder.

    Args:
        shell: folder, content and limits of the journals.
        start: first record.
        kinds: events and effects of the core.
        tell: see `NodeJournal`.

    Raises:
        OSError: see `NodeJournal`.
    """
    folder = journal_folder(shell.journal_dir)
    blobs: Blobs = FolderBlobs(folder / 'blobs') if shell.journal_blobs else NoBlobs()
    codec = RecordCodec((*COMMON_KINDS, *kinds), blobs)
    path = folder / start.session / f'{start.node}.jsonl'
    journal = NodeJournal(lambda: JournalWriter(path, start, codec), tell)
    limits = Limits(shell.journal_mb * _MB, shell.journal_days * _NS_PER_DAY)
    keeper = JournalKeeper(folder, limits, time.time_ns)
    if not journal.failure:
        tell(Level.OK, f'written to {path}')
    return journal, keeper


def starts_motion(output: Output) -> bool:
    """Tell whether an output moves the robot, and so needs its record on the disk first."""
    return isinstance(output, Effect) and output.durable
