"""A recording of topics in an MCAP file, as rosbag2 and Foxglove read it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import Writer

_MB = 1 << 20


class Recording:
    """Writes messages as they came over DDS; where that cannot go on, it ends, and raises nothing.

    Attributes:
        path: of the file.
        ended: why nothing is written any more; empty while something is.
    """

    def __init__(self, path: Path, max_mb: int, keep_free_mb: int,
                 free_bytes: Callable[[], int]) -> None:
        """Begin a file.

        Args:
            path: of the file, which must not be there.
            max_mb: size at which it ends; what is in hand then, and the index, come on top.
            keep_free_mb: it ends where less of the disk is free.
            free_bytes: returns how much of the disk is.
        """
        self.path, self.ended = path, ''
        self._max_mb, self._keep_free_mb, self._free_bytes = max_mb, keep_free_mb, free_bytes
        self._schemas: dict[str, int] = {}
        self._opened = ExitStack()
        with self._on_disk():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._opened.enter_context(path.open('xb'))
            self._writer = Writer(self._file)
            self._writer.start(Profile.ROS2)
        self.flush()

    def add_topic(self, topic: str, kind: str, definition: str, offered_qos: str) -> int:
        """Return the channel of a topic that is not in the file yet.

        Args:
            topic: its full name.
            kind: type of its messages, such as std_msgs/msg/String.
            definition: that type in words.
            offered_qos: how it is published, in the words of rosbag2.
        """
        if self.ended:
            return 0
        with self._on_disk():
            if kind not in self._schemas:
                self._schemas[kind] = self._writer.register_schema(
                    kind, SchemaEncoding.ROS2, definition.encode())
            return self._writer.register_channel(topic, MessageEncoding.CDR, self._schemas[kind],
                                                 {'offered_qos_profiles': offered_qos})
        return 0

    def write(self, channel: int, time_ns: int, message: bytes) -> None:
        """Take a message, which is in the file after the next `flush`.

        Args:
            channel: of its topic.
            time_ns: when it was received.
            message: in CDR.
        """
        if self.ended:
            return
        with self._on_disk():
            self._writer.add_message(channel, time_ns, message, publish_time=time_ns)
            if self._file.tell() >= self._max_mb * _MB:
                self.end(f'it has {self._max_mb} MB')

    def flush(self) -> None:
        """Give the file all that was taken, so that it outlives this process."""
        if self.ended:
            return
        with self._on_disk():
            self._writer.flush()
            if self._free_bytes() < self._keep_free_mb * _MB:
                self.end(f'less than {self._keep_free_mb} MB of the disk are free')

    def end(self, reason: str) -> None:
        """Write the index and close the file, unless that is done."""
        if self.ended:
            return
        with self._on_disk():
            self._writer.finish()
            self._opened.close()
            self.ended = reason

    @contextmanager
    def _on_disk(self) -> Iterator[None]:
        """Let an error of the disk end the recording, and nothing else."""
        try:
            yield
        except OSError as error:
            self.ended = f'it cannot be written: {error.strerror}'
            with suppress(OSError):
                self._opened.close()
