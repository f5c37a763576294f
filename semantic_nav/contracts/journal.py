"""The journal: every event of a core with its time and its outputs, one JSON line each."""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from semantic_nav.contracts import schemas
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import RecordCodec, to_plain
from semantic_nav.contracts.core import Event, Output
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.schemas import Json


@dataclass(frozen=True)
class Start:
    """The first record: what a core was made from.

    Attributes:
        node: whose journal this is.
        session: distinguishes this start from others.
        seed: of the core's random numbers.
        parameters: the core's configuration as plain JSON.
    """

    node: str
    session: str
    seed: int
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Record:
    """One event and what followed from it."""

    now: Now
    event: Json
    outputs: list[Json]


@dataclass(frozen=True)
class Gap:
    """What is missing in a journal between two records.

    Attributes:
        records: how many could not be written.
        reason: why.
    """

    records: int
    reason: str


class JournalWriter:
    """Appends records to a file."""

    def __init__(self, path: Path, start: Start, codec: RecordCodec) -> None:
        """Create the file, which must not exist yet, and write the first record."""
        path.parent.mkdir(parents=True, exist_ok=True)
        # Unbuffered: what a full disk did not take is not written later, behind a torn line.
        self._file = path.open('xb', buffering=0)
        # Nobody removes a journal that is written; where a disk knows no locks, nobody can.
        with suppress(OSError):
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        self._codec = codec
        self._node = start.node
        self._whole_bytes, self._torn = 0, False
        try:
            self._write({'node': start.node, 'start': to_plain(start)}, durable=False)
        except OSError:
            # Every start on a full disk would leave an empty file.
            self._file.close()
            path.unlink()
            raise

    def append(self, now: Now, event: Event, outputs: Sequence[Output], *, durable: bool,
               gap: Gap | None = None) -> None:
        """Write one record; with `durable` it is on the disk when this returns.

        Args:
            now: when the event came.
            event: what came.
            outputs: what followed from it.
            durable: whether the disk is waited for.
            gap: what is missing before it; written with it, or not at all.

        Raises:
            OSError: the disk did not take it; the last line may be torn now.
            ValueError: it holds what JSON cannot say, such as NaN.
        """
        when = to_plain(now)
        record = {'node': self._node, 'now': when, 'event': self._codec.encode(event),
                  'outputs': [self._codec.encode(output) for output in outputs]}
        if gap is None:
            self._write(record, durable=durable)
        else:
            self._write({'node': self._node, 'now': when, 'gap': to_plain(gap)}, record,
                        durable=durable)

    def _write(self, *values: Json, durable: bool) -> None:
        # Half a surrogate pair in the words of an operator is written as JSON's own escape.
        lines = ''.join(
            json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(',', ':')) + '\n'
            for value in values).encode(errors='backslashreplace')
        if self._torn:
            self._file.seek(self._whole_bytes)
            self._file.truncate()
            self._torn = False
        rest = lines
        while rest:
            rest = rest[self._file.write(rest):]
            self._torn = True
        if durable:
            os.fsync(self._file.fileno())
        self._torn, self._whole_bytes = False, self._whole_bytes + len(lines)

    def close(self) -> None:
        """Have everything on the disk and close the file.

        Raises:
            OSError: the disk did not take it; the file is closed all the same.
        """
        if not self._file.closed:
            with self._file:
                os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Close the file."""
        self.close()


def read_lines(path: Path) -> Iterator[Json]:
    """Yield the validated lines of a journal; a torn last line is left out.

    Raises:
        ContractError: another line is broken.
    """
    # Bytes, for the last line may be torn in the middle of a character.
    whole_lines = path.read_bytes().split(b'\n')[:-1]
    for number, line in enumerate(whole_lines, start=1):
        try:
            value = json.loads(line.decode())
        except (ValueError, RecursionError):
            raise ContractError(f'{path} line {number} is not JSON: this is no journal, or '
                                'it is damaged') from None
        try:
            schemas.check('journal_record', value)
        except (ValueError, RecursionError, ContractError) as error:
            raise ContractError(f'{path} line {number}: {error}') from error
        yield value


def read_journal(path: Path, node: str) -> tuple[Start, Iterator[Record | Gap]]:
    """Return the first record of a node's journal and an iterator over the others, and gaps.

    The file may hold the journals of several nodes.

    Raises:
        ContractError: the node's journal does not begin with its first record.
    """
    lines = (line for line in read_lines(path) if line['node'] == node)
    first = next(lines, None)
    if first is None or 'start' not in first:
        raise ContractError(f'{path} holds no start of {node}')
    records = (Gap(**line['gap']) if 'gap' in line else
               Record(Now(**line['now']), line['event'], line['outputs'])
               for line in lines if 'now' in line)
    return Start(**first['start']), records
