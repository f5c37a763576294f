"""The prompt of a look without its picture, and its SHA-256."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from semantic_nav.vlm.conversation import Image, Thinking, Tool, ToolCall, ToolResult
from semantic_nav.vlm.prompt.manifest import Manifest


@dataclass(frozen=True)
class Exchange:
    """A reply that failed the gate, and the complaint to the model."""

    reply: str
    complaint: str


@dataclass(frozen=True)
class ToolTurn:
    """A turn in which the model called tools, with their results.

    Attributes:
        thoughts: thoughts before the calls, if the server wants them back.
        calls: tool calls.
        results: results of the calls, in their order.
        said: words beside the calls.
    """

    thoughts: tuple[Thinking, ...]
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]
    said: str = ''


@dataclass(frozen=True)
class Prompt:
    """The prompt of a look without its picture.

    Attributes:
        version: version of the template.
        system: the model's role and rules.
        user: request with one fenced JSON block of context; the picture goes with it.
        schema: JSON schema of the reply.
        repairs: refused replies with complaints, oldest first.
        manifest: parts and costs; empty if the prompt was not assembled.
        window_tokens: context window to ask the server for; 0 leaves it to the parameters.
        turns: turns with tools, oldest first; they precede the repairs.
        tools: tools that the model may use in its next turn.
        schema_in_words: the system message holds the schema too.
        unheld: the server is not asked to enforce the schema.
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
        """SHA-256 of all that is sent, without the picture and its name, in hexadecimal.

        Pictures of tool results enter by their own SHA-256.
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
    """A turn as JSON values, each picture as its SHA-256."""
    said = [turn.said] if turn.said else []
    return [*said, [asdict(thought) for thought in turn.thoughts],
            [asdict(call) for call in turn.calls],
            [[result.id, result.is_error,
              [hashlib.sha256(part.jpeg).hexdigest() if isinstance(part, Image) else part.text
               for part in result.parts]] for result in turn.results]]
