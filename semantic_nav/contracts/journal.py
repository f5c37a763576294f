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
    """The first record: the inputs from which a core was made.

    Attributes:
        node: node that wrote the journal.
        session: word that distinguishes this start from others.
        seed: seed of the core's random numbers.
        parameters: configuration of the core as plain JSON.
    """

    node: str
    session: str
    seed: int
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Record:
    """One event and the outputs that followed from it."""

    now: Now
    event: Json
    outputs: list[Json]


@dataclass(frozen=True)
class Gap:
    """A gap in a journal between two records.

    Attributes:
        records: number of records that could not be written.
        reason: reason why they could not.
    """

    records: int
    reason: str


class JournalWriter:
    """A writer that appends records to a file."""

    def __init__(self, path: Path, start: Start, codec: RecordCodec) -> None:
        """Create the file, which must not exist yet, and write the first record."""
        path.parent.mkdir(parents=True, exist_ok=True)
        # Unbuffered: bytes that a full disk refused are not written later, behind a torn line.
        self._file = path.open('xb', buffering=0)
        # The lock keeps others from removing an open journal; some disks know no locks.
        with suppress(OSError):
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        self._codec = codec
        self._node = start.node
        self._whole_bytes, self._torn = 0, False
        try:
            self._write({'node': start.node, 'start': to_plain(start)}, durable=False)
        except OSError:
            # Otherwise every start on a full disk would leave an empty file.
            self._file.close()
            path.unlink()
            raise

    def append(self, now: Now, event: Event, outputs: Sequence[Output], *, durable: bool,
               gap: Gap | None = None) -> None:
        """Write one record; with `durable`, it is on the disk when this returns.

        Args:
            now: time at which the event came.
            event: the event.
            outputs: outputs that followed from it.
            durable: wait for the disk.
            gap: gap before the record; written with it, or not at all.

        Raises:
            OSError: the disk refused it; the last line may be torn now.
            ValueError: it holds a value that JSON cannot express, such as NaN.
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
        # Half a surrogate pair in an operator's words is written as JSON's own escape.
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
        """Flush everything to the disk and close the file.

        Raises:
            OSError: the disk refused it; the file is closed nevertheless.
        """
        if not self._file.closed:
            with self._file:
                os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        """The writer."""
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
    # Bytes, because the last line may be torn within a character.
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
    """The first record of a node's journal, and an iterator over its other records and gaps.

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
