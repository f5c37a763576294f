"""A conversation with a model, in a form independent of providers."""

import json
from dataclasses import dataclass, field, replace
from enum import StrEnum

from semantic_nav.contracts.schemas import Json

#: Finish reasons of replies that we broke off, because nothing else would have followed.
BLANKS, REPEATS = 'blanks', 'repeats'


class Role(StrEnum):
    """Author of a message."""

    SYSTEM = 'system'
    USER = 'user'
    ASSISTANT = 'assistant'
    TOOL = 'tool'


@dataclass(frozen=True)
class Text:
    """A text part."""

    text: str


@dataclass(frozen=True)
class Image:
    """A picture part, as the bytes of a JPEG file."""

    jpeg: bytes = field(repr=False)


@dataclass(frozen=True)
class Thinking:
    """Thoughts of a model before its answer; never part of the answer.

    Attributes:
        signature: the server's signature, which goes back with the text; empty for most servers.
    """

    text: str
    signature: str = ''


@dataclass(frozen=True)
class ToolCall:
    """A tool call of the model.

    Attributes:
        id: id that ties the result to the call.
        arguments: arguments as an object; empty if they could not be read.
        problem: reason why the arguments could not be read, for the model; empty if they could.
        raw: arguments that could not be read, for the log only.
    """

    id: str
    name: str
    arguments: Json
    problem: str = ''
    raw: str = ''


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool call.

    Attributes:
        id: id of the call.
        name: name of the tool.
    """

    id: str
    name: str
    parts: tuple[Text | Image, ...]
    is_error: bool = False


Part = Text | Image | Thinking | ToolCall | ToolResult


@dataclass(frozen=True)
class Message:
    """One turn of the conversation."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its text parts, joined, without thoughts and tool results."""
        return words_of(self.parts)

    @property
    def images(self) -> tuple[Image, ...]:
        """Its pictures, without those of tool results."""
        return tuple(part for part in self.parts if isinstance(part, Image))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Its tool calls."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Its tool results."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


@dataclass(frozen=True)
class Tool:
    """A tool that a model may use.

    Attributes:
        input_schema: JSON schema of its arguments, an object.
    """

    name: str
    description: str
    input_schema: Json


@dataclass(frozen=True)
class Usage:
    """Token counts of the server; 0 where it gave none."""

    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True)
class ServerTimes:
    """Durations by the server, in ms; 0 where it gave none.

    Attributes:
        load_ms: time for loading the model.
        prompt_ms: time for reading the prompt.
        reply_ms: time for writing the reply.
    """

    load_ms: float = 0.0
    prompt_ms: float = 0.0
    reply_ms: float = 0.0


@dataclass(frozen=True)
class Question:
    """A conversation that waits for the model's turn.

    Attributes:
        schema: JSON schema of the reply.
        max_tokens: longest reply in tokens.
        window_tokens: context window for prompt and reply, where the server lets its client
            choose.
        temperature: sampling temperature.
        seed: sampling seed.
        tools: tools that the model may use before it answers.
        schema_in_words: the prompt holds the schema too, because the server may not enforce it.
        unheld: the server is not asked to enforce the schema.
    """

    messages: tuple[Message, ...]
    schema: Json
    max_tokens: int
    window_tokens: int
    temperature: float
    seed: int
    tools: tuple[Tool, ...] = ()
    schema_in_words: bool = False
    unheld: bool = False

    @property
    def held(self) -> bool:
        """Tell whether the server is to enforce the schema, which rules out tool calls."""
        return not (self.tools or self.unheld)

    @property
    def told(self) -> tuple[Message, ...]:
        """The messages, with the schema in words if the model must know it.

        With tools it must: no schema is enforced then, because such a reply could call no tool.
        """
        if self.tools or self.schema_in_words:
            return with_schema_in_words(self.messages, self.schema)
        return self.messages


@dataclass(frozen=True)
class Reply:
    """A reply of the model.

    Attributes:
        parts: thoughts, texts and tool calls.
        finish_reason: `stop`, `length`, `tool_calls` or another word of the server; empty if it
            gave none; BLANKS or REPEATS if the reply was broken off.
        model: name under which the server answered; empty if it gave none.
        first_part_ms: time until the first piece came; 0 if unknown.
        times: durations by the server.
    """

    parts: tuple[Part, ...]
    finish_reason: str = ''
    usage: Usage = Usage()
    model: str = ''
    first_part_ms: float = field(default=0.0, compare=False)
    times: ServerTimes = field(default=ServerTimes(), compare=False)

    @property
    def text(self) -> str:
        """The answer: its text parts, joined, without the thoughts."""
        return words_of(self.parts)

    @property
    def thinking(self) -> str:
        """Its thoughts, joined."""
        return ''.join(part.text for part in self.parts if isinstance(part, Thinking))

    @property
    def signed_thoughts(self) -> tuple[Thinking, ...]:
        """Its thoughts that the server wants back with the tool calls that followed."""
        return tuple(part for part in self.parts
                     if isinstance(part, Thinking) and part.signature)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Its tool calls."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def words_of(parts: tuple[Part, ...]) -> str:
    """The text parts among some parts, joined."""
    return ''.join(part.text for part in parts if isinstance(part, Text))


def schema_words(schema: Json) -> str:
    """The schema in words, for a model whose server does not enforce it."""
    return f'\n\nThe JSON schema:\n{json.dumps(_one_form(schema), separators=(",", ":"))}'


def _one_form(schema: Json) -> Json:
    """A choice of forms merged into one, a fifth as long, which requires what all of them require.
    """
    forms = schema.get('anyOf')
    if not forms:
        return schema
    properties: Json = {}
    for form in forms:
        for name, part in form['properties'].items():
            known = properties.setdefault(name, part)
            if 'enum' in part and known is not part:
                words = [*known['enum'], *part['enum']]
                properties[name] = {**known, 'enum': list(dict.fromkeys(words))}
            elif 'anyOf' in part:
                # It may be null in at least one form.
                properties[name] = part
    required = [name for name in properties if all(name in form['required'] for form in forms)]
    said = {word: part for word, part in schema.items() if word != 'anyOf'}
    return {**said, **forms[0], 'required': required, 'properties': properties}


def with_schema_in_words(messages: tuple[Message, ...], schema: Json) -> tuple[Message, ...]:
    """The messages with the schema in the first, for a server that does not enforce it.

    It follows the rules, and precedes the parts that differ from look to look.
    """
    first, *others = messages
    rules, *rest = first.parts
    return (replace(first, parts=(rules, Text(schema_words(schema)), *rest)), *others)
