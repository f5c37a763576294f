"""All that the model is told besides the picture, and its fingerprint."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from semantic_nav.vlm.conversation import Image, Thinking, Tool, ToolCall, ToolResult
from semantic_nav.vlm.prompt.manifest import Manifest


@dataclass(frozen=True)
class Exchange:
    """A reply that failed the gate, and what the model was told of it."""

    reply: str
    complaint: str


@dataclass(frozen=True)
class ToolTurn:
    """A turn in which the model called tools, and what came of it.

    Attributes:
        thoughts: what it thought before, where the server wants that back.
        calls: the tools.
        results: theirs, in the same order.
        said: the words beside the calls.
    """

    thoughts: tuple[Thinking, ...]
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]
    said: str = ''


@dataclass(frozen=True)
class Prompt:
    """All that the model is told besides the picture.

    Attributes:
        version: of the template.
        system: its role and rules.
        user: the request with one fenced JSON block of context; the picture goes with it.
        schema: the JSON schema that the server holds the reply to.
        repairs: the exchanges after that, oldest first.
        manifest: what it is made of and costs; empty where nobody assembled it.
        window_tokens: the context window to ask the server for; 0 leaves it to the parameters.
        turns: in which it has used tools, oldest first; they stand before the repairs.
        tools: what it may use in its next turn.
        schema_in_words: the schema stands in the system message too.
        unheld: the server is not asked to hold the reply to the schema.
    """

    version: str
    system: str
    user: str
    schema: dict[str, Any]
    repairs: tuple[Exchange, ...] = ()
    manifest: Manifest = Manifest()
    window_tokens: int = 0
    turns: tuple[ToolTurn, ...] = ()
    tools: tuple[Tool, ...] = ()
    schema_in_words: bool = False
    unheld: bool = False

    @property
    def sha256(self) -> str:
        """SHA-256 of what is sent besides the picture and its name, in hexadecimal.

        Pictures of tools stand in it with theirs.
        """
        parts: list[Any] = [self.version, self.system, self.user, self.schema,
                            [[repair.reply, repair.complaint] for repair in self.repairs]]
        if self.turns or self.tools:
            parts += [[asdict(tool) for tool in self.tools], [_plain(turn) for turn in self.turns]]
        if self.schema_in_words:
            parts.append('schema in words')
        if self.unheld:
            parts.append('unheld')
        text = json.dumps(parts, ensure_ascii=True, separators=(',', ':'))
        return hashlib.sha256(text.encode()).hexdigest()


def _plain(turn: ToolTurn) -> Any:
    """Return a turn as JSON values, each picture as its SHA-256."""
    said = [turn.said] if turn.said else []
    return [*said, [asdict(thought) for thought in turn.thoughts],
            [asdict(call) for call in turn.calls],
            [[result.id, result.is_error,
              [hashlib.sha256(part.jpeg).hexdigest() if isinstance(part, Image) else part.text
               for part in result.parts]] for result in turn.results]]
