"""Recording of topics in an MCAP file, as rosbag2 and Foxglove read it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import Writer

_MB = 1 << 20


class Recording:
    """Writer of messages as they came over DDS; a disk error ends it instead of raising.

    Attributes:
        path: path of the file.
        ended: reason why nothing is written any more; empty while it goes on.
    """

    def __init__(self, path: Path, max_mb: int, keep_free_mb: int,
                 free_bytes: Callable[[], int]) -> None:
        """Begin a file.

        Args:
            path: path of the file, which must not exist.
            max_mb: size at which it ends, in MB; pending messages and the index come on top.
            keep_free_mb: it ends when less of the disk is free, in MB.
            free_bytes: returns the free bytes of the disk.
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
        """Channel of a topic that is not in the file yet; 0 if the recording has ended.

        Args:
            topic: full name of the topic.
            kind: type of its messages, such as std_msgs/msg/String.
            definition: definition of that type, in text.
            offered_qos: QoS of its publishers, in the words of rosbag2.
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
            channel: channel of its topic.
            time_ns: time of reception, in ns.
            message: the message in CDR.
        """
        if self.ended:
            return
        with self._on_disk():
            self._writer.add_message(channel, time_ns, message, publish_time=time_ns)
            if self._file.tell() >= self._max_mb * _MB:
                self.end(f'it has {self._max_mb} MB')

    def flush(self) -> None:
        """Write out all messages taken so far, so that they outlive this process."""
        if self.ended:
            return
        with self._on_disk():
            self._writer.flush()
            if self._free_bytes() < self._keep_free_mb * _MB:
                self.end(f'less than {self._keep_free_mb} MB of the disk are free')

    def end(self, reason: str) -> None:
        """Write the index and close the file, unless the recording has ended."""
        if self.ended:
            return
        with self._on_disk():
            self._writer.finish()
            self._opened.close()
            self.ended = reason

    @contextmanager
    def _on_disk(self) -> Iterator[None]:
        """Let a disk error end the recording, and nothing else."""
        try:
            yield
        except OSError as error:
            self.ended = f'it cannot be written: {error.strerror}'
            with suppress(OSError):
                self._opened.close()
