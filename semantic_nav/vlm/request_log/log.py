"""The request log: one JSON line per request to the model, written by its own thread."""

import hashlib
import json
import re
import threading
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.vlm.redaction import Redaction
from semantic_nav.vlm.request_log.record import RequestRecord

#: Most records that wait for the disk; more are dropped and counted.
_MAX_WAITING = 64
#: Number of volumes of the log; the oldest is removed when there is no room.
_VOLUMES = 8
#: File name of a volume; a long session with pictures and little room exceeds number 9999.
_VOLUME = re.compile('requests-.+-[0-9]{4,}[.]jsonl')


class RequestLog:
    """A log that appends records to `requests-<session>-<number>.jsonl` in a folder.

    Writing never blocks. On a slow disk, records are dropped and counted; on a full or missing one
    the log reports the failure and keeps trying.

    Attributes:
        dropped: number of records that were not written, because too many waited or the log was
            closed.
        failure: reason why the last write failed; empty if it did not.
    """

    def __init__(self, folder: Path, session: str, max_bytes: int, *, pictures: bool = False,
                 secrets: Collection[str] = ()) -> None:
        """Start the thread; nothing is written before the first record.

        Args:
            folder: folder of the log, made if it is missing.
            session: word that distinguishes this log from others in the folder.
            max_bytes: largest size of all logs in the folder, pictures included.
            pictures: keep the sent pictures, by their SHA-256, in `requests-pictures`.
            secrets: texts that must not appear.
        """
        self._folder, self._session = folder, session
        self._max_bytes, self._volume_bytes = max_bytes, max_bytes // _VOLUMES
        self._pictures = folder / 'requests-pictures' if pictures else None
        self._hide = Redaction(secrets)
        self._file: BinaryIO | None = None
        #: Length of the whole lines in the file, in bytes.
        self._whole = 0
        self._number = 0
        self._written = 0
        self.dropped = 0
        self.failure = ''
        self._wake = threading.Condition()
        self._waiting: deque[tuple[RequestRecord, bytes]] = deque()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name='request_log', daemon=True)
        self._thread.start()

    def write(self, record: RequestRecord, jpeg: bytes = b'') -> None:
        """Queue a record with the sent picture; drop it if too many wait or the log is closed."""
        with self._wake:
            if self._closed or len(self._waiting) >= _MAX_WAITING:
                self.dropped += 1
                return
            self._waiting.append((record, jpeg))
            self._wake.notify()

    def close(self, timeout_s: float = 2.0) -> None:
        """Write the waiting records and close the file, within the timeout."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._closed or self._waiting)
                if not self._waiting:
                    break
                record, jpeg = self._waiting.popleft()
            try:
                self._append(record, jpeg)
                self.failure = ''
            except OSError as error:
                self._break_off()
                self.failure = str(error)
        self._end_volume()

    def _append(self, record: RequestRecord, jpeg: bytes) -> None:
        plain = to_plain(record)
        plain['image_sha256'] = hashlib.sha256(jpeg).hexdigest() if jpeg else ''
        line = (self._hide(json.dumps(plain)) + '\n').encode('ascii')
        if self._pictures is not None and jpeg:
            self._keep_picture(self._pictures / f'{plain["image_sha256"]}.jpg', jpeg)
        if self._file is None:
            self._file = self._next_volume()
        rest = line
        while rest:
            rest = rest[self._file.write(rest):]
        self._whole += len(line)
        self._written += len(line)
        if self._written >= self._volume_bytes:
            self._end_volume()

    def _keep_picture(self, path: Path, jpeg: bytes) -> None:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, jpeg)
            self._written += len(jpeg)

    def _next_volume(self) -> BinaryIO:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        while True:
            self._number += 1
            path = self._folder / f'requests-{self._session}-{self._number:04d}.jsonl'
            with suppress(FileExistsError):
                # Unbuffered: bytes that a full disk refused are not written later.
                return path.open('xb', buffering=0)

    def _end_volume(self) -> None:
        file, self._file = self._file, None
        self._written = self._whole = 0
        if file is not None:
            with suppress(OSError):
                file.close()

    def _break_off(self) -> None:
        """Remove a partly written line, and a file without a line."""
        if self._file is not None:
            with suppress(OSError):
                self._file.truncate(self._whole)
            if not self._whole:
                # The next record tries this name again.
                with suppress(OSError):
                    Path(self._file.name).unlink()
                self._number -= 1
        self._end_volume()

    def _make_room(self) -> None:
        """Remove the oldest volumes and pictures until another volume fits."""
        files = sorted((path.stat().st_mtime_ns, path.stat().st_size, path)
                       for path in self._own_files())
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total + self._volume_bytes <= self._max_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size

    def _own_files(self) -> Iterator[Path]:
        yield from (path for path in self._folder.glob('requests-*.jsonl')
                    if _VOLUME.fullmatch(path.name))
        yield from (path for path in self._folder.glob('requests-pictures/*.jpg')
                    if re.fullmatch('[0-9a-f]{64}', path.stem))
