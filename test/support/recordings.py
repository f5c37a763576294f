"""Recordings read back, also those that were broken off."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

from mcap.exceptions import EndOfFile
from mcap.records import Channel, Footer, Header, Message, Schema
from mcap.stream_reader import StreamReader


@dataclass
class Recorded:
    """What a file holds.

    Attributes:
        profile: of the file.
        schemas: by their names.
        channels, messages: by topics.
        whole: whether it has its end.
    """

    profile: str = ''
    schemas: dict[str, Schema] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    messages: dict[str, list[Message]] = field(default_factory=dict)
    whole: bool = False

    def of(self, topic: str) -> list[bytes]:
        return [message.data for message in self.messages.get(topic, ())]


def read(path: Path) -> Recorded:
    found, topics = Recorded(), {}
    with path.open('rb') as file:
        try:
            for record in StreamReader(file, validate_crcs=True).records:
                if isinstance(record, Header):
                    found.profile = record.profile
                elif isinstance(record, Schema):
                    found.schemas[record.name] = record
                elif isinstance(record, Channel):
                    topics[record.id] = record.topic
                    found.channels[record.topic] = record
                elif isinstance(record, Message):
                    found.messages.setdefault(topics[record.channel_id], []).append(record)
                elif isinstance(record, Footer):
                    found.whole = True
        except (EndOfFile, struct.error):
            pass
    return found
