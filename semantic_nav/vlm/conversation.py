"""A conversation with a model, in a form that belongs to no provider."""

import json
from dataclasses import dataclass, field, replace
from enum import StrEnum

from semantic_nav.contracts.schemas import Json

#: Ends of replies that we broke off, for nothing else would have followed.
BLANKS, REPEATS = 'blanks', 'repeats'


class Role(StrEnum):
    """Who says something."""

    SYSTEM = 'system'
    USER = 'user'
    ASSISTANT = 'assistant'
    TOOL = 'tool'


@dataclass(frozen=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True)
class Image:
    """A picture, as the bytes of its file."""

    jpeg: bytes = field(repr=False)


@dataclass(frozen=True)
class Thinking:
    """What a model thought before it answered; never part of the answer.

    Attributes:
        signature: the server's mark on it, which goes back with it; empty for most servers.
    """

    text: str
    signature: str = ''


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants to use.

    Attributes:
        id: ties the result to the call.
        arguments: as an object; empty where they could not be read.
        problem: why the arguments could not be read, for the model; empty if they could.
        raw: the arguments that could not be read, for the log alone.
    """

    id: str
    name: str
    arguments: Json
    problem: str = ''
    raw: str = ''


@dataclass(frozen=True)
class ToolResult:
    """What came of a tool call.

    Attributes:
        id: of the call.
        name: of the tool.
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
        """Its words, thoughts and tool results aside."""
        return words_of(self.parts)

    @property
    def images(self) -> tuple[Image, ...]:
        """Its pictures, those of tool results aside."""
        return tuple(part for part in self.parts if isinstance(part, Image))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that are called in it."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The results of tools in it."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


@dataclass(frozen=True)
class Tool:
    """What a model may use.

    Attributes:
        input_schema: JSON schema of its arguments, an object.
    """

    name: str
    description: str
    input_schema: Json


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counted them; 0 where it did not say."""

    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True)
class ServerTimes:
    """How long a server says that it took, in ms; 0 where it did not say.

    Attributes:
        load_ms: until it had loaded the model.
        prompt_ms: for reading the prompt.
        reply_ms: for writing the reply.
    """

    load_ms: float = 0.0
    prompt_ms: float = 0.0
    reply_ms: float = 0.0


@dataclass(frozen=True)
class Question:
    """A conversation that waits for the model's turn.

    Attributes:
        schema: the JSON schema that the server holds the reply to.
        max_tokens: longest reply.
        window_tokens: context window that prompt and reply must fit into, where the server lets
            its client choose.
        temperature: of sampling.
        seed: of sampling.
        tools: what the model may use before it answers.
        schema_in_words: the model is told the schema too, for the server may not hold it.
        unheld: the server is not asked to hold the reply to the schema.
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
        """Whether the server is to hold the reply to the schema; a held one can call no tool."""
        return not (self.tools or self.unheld)

    @property
    def told(self) -> tuple[Message, ...]:
        """The messages, with the schema in words where the model must know it.

        A reply that is held to a schema can call no tool, so with tools none is.
        """
        if self.tools or self.schema_in_words:
            return with_schema_in_words(self.messages, self.schema)
        return self.messages


@dataclass(frozen=True)
class Reply:
    """What the model said.

    Attributes:
        parts: thoughts, words and tool calls.
        finish_reason: `stop`, `length`, `tool_calls` or another word of the server; empty where
            it said none; BLANKS or REPEATS where it was broken off.
        model: the name under which the server answered; empty where it said none.
        first_part_ms: until the first piece came; 0 if unknown.
        times: what the server says that it took.
    """

    parts: tuple[Part, ...]
    finish_reason: str = ''
    usage: Usage = Usage()
    model: str = ''
    first_part_ms: float = field(default=0.0, compare=False)
    times: ServerTimes = field(default=ServerTimes(), compare=False)

    @property
    def text(self) -> str:
        """The answer: its words without the thoughts."""
        return words_of(self.parts)

    @property
    def thinking(self) -> str:
        """What the model thought before."""
        return ''.join(part.text for part in self.parts if isinstance(part, Thinking))

    @property
    def signed_thoughts(self) -> tuple[Thinking, ...]:
        """The thoughts that the server wants back with the calls that followed from them."""
        return tuple(part for part in self.parts
                     if isinstance(part, Thinking) and part.signature)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that it wants to use before it answers."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def words_of(parts: tuple[Part, ...]) -> str:
    """Return the words among some parts, put together."""
    return ''.join(part.text for part in parts if isinstance(part, Text))


def schema_words(schema: Json) -> str:
    """Return what a model is told of the schema where its server does not enforce it."""
    return f'\n\nThe JSON schema:\n{json.dumps(_one_form(schema), separators=(",", ":"))}'


def _one_form(schema: Json) -> Json:
    """Return a choice of forms as one, of a fifth the length: it requires what all require."""
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
                # It may be null in one form at least.
                properties[name] = part
    required = [name for name in properties if all(name in form['required'] for form in forms)]
    said = {word: part for word, part in schema.items() if word != 'anyOf'}
    return {**said, **forms[0], 'required': required, 'properties': properties}


def with_schema_in_words(messages: tuple[Message, ...], schema: Json) -> tuple[Message, ...]:
    """Return the messages with the schema in the first, for a server that does not enforce it.

    It stands behind the rules, and before what differs from look to look.
    """
    first, *others = messages
    rules, *rest = first.parts
    return (replace(first, parts=(rules, Text(schema_words(schema)), *rest)), *others)
