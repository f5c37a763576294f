"""Assembly of a reply from the pieces of any API."""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.schemas import Json, loads_strict
from semantic_nav.vlm.conversation import (
    BLANKS,
    REPEATS,
    Part,
    Reply,
    ServerTimes,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from semantic_nav.vlm.errors import EmptyReply, MissingField, ReplyTooLong
from semantic_nav.vlm.gate.gate import MAX_REPLY_BYTES
from semantic_nav.vlm.quoting import as_unicode, shown

#: Finish reasons of servers in lower case, and ours for them.
_FINISHED = {'end_turn': 'stop', 'stop_sequence': 'stop', 'eos_token': 'stop', 'eos': 'stop',
             'max_tokens': 'length', 'model_length': 'length', 'max_length': 'length',
             'tool_use': 'tool_calls', 'function_call': 'tool_calls',
             'stop': 'stop', 'length': 'length', 'tool_calls': 'tool_calls'}
_CUT_OFF = 'length'
#: Most blanks in a row that a reply needs; a grammar lets any number through.
_MOST_BLANKS = 100
#: A text repeats itself if this number of characters at its end are one repeated piece, of this
#: length at most.
_REPEATING, _LONGEST_PIECE = 600, 100
#: Characters between two checks for that.
_LOOK_EVERY = 50
_ONLY_THOUGHT = 'the model thought until its tokens were used up and gave no answer'
_OTHER_MODEL = 'choose one that does not think, such as an -instruct tag, or raise num_predict'
#: Marks of models around their thoughts: most, Kimi-VL, Magistral, Seed.
_THOUGHTS = (('<think>', '</think>'), ('◁think▷', '◁/think▷'), ('[THINK]', '[/THINK]'),
             ('<seed:think>', '</seed:think>'))
#: Beginnings of an answer but not of thoughts; a mark within such an answer is part of a string.
_ANSWERS = ('{', '```', '\ufeff')
_MAX_CALLS = 16
#: Longest duration that a server is believed: a day.
_LONGEST_MS = 86_400_000.0
#: Most lists and objects in the arguments of a call; more would only serve deep nesting.
_MAX_NESTED = 64


@dataclass
class _Call:
    id: str = ''
    name: str = ''
    arguments: str = ''
    whole: Json | None = None


class ReplyBuilder:
    """A reply in the making; a value that should be text and is not is ignored."""

    def __init__(self, may_think: bool | None = None) -> None:
        """Start the reply and its clock.

        Args:
            may_think: permission to think that the model was given; None if it was told nothing.
        """
        self._only_thought = (
            f'{_ONLY_THOUGHT}, though it was told not to think; {_OTHER_MODEL}'
            if may_think is False else f'{_ONLY_THOUGHT}; set think to false, {_OTHER_MODEL}')
        self._began = time.monotonic()
        self._first_ms = 0.0
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._signature = ''
        self._calls: dict[object, _Call] = {}
        self._size = self._looked_at = 0
        self._end = ''
        self.finish_reason = ''
        self.usage = Usage()
        self.times = ServerTimes()
        self.model = ''

    def add_text(self, piece: object) -> None:
        """Add a piece to the answer.

        Raises:
            ReplyTooLong: the reply became longer than the gate takes.
        """
        self._add(self._text, piece)

    def add_thinking(self, piece: object, signature: object = '') -> None:
        """Add a piece to the thoughts, and to the server's signature of them.

        Raises:
            ReplyTooLong: see `add_text`; thoughts count too.
        """
        self._add(self._thinking, piece)
        if isinstance(signature, str) and signature:
            self._signature += signature
            self._count(signature)

    def add_call(self, key: object, id_: object, name: object, arguments: object) -> None:
        """Add a piece to a tool call.

        Args:
            key: key that tells the calls of a reply apart.
            id_: id of the call, in any one of its pieces.
            name: name of the tool, in any one of its pieces.
            arguments: object, or a piece of its JSON.

        Raises:
            ReplyTooLong: see `add_text`; calls count too. Or there are too many of them.
        """
        call = self._calls.setdefault(key, _Call())
        if len(self._calls) > _MAX_CALLS:
            raise ReplyTooLong(f'the model called more than {_MAX_CALLS} tools at once')
        call.id = call.id or _text(id_)
        call.name = call.name or _text(name)
        if isinstance(arguments, dict):
            call.whole = arguments
        else:
            call.arguments += _text(arguments)
        self._count(_text(id_) + _text(name) + _written(arguments))

    @property
    def endless(self) -> bool:
        """Tell whether only blanks, or repetitions of one piece, would follow."""
        return self.finish_reason in (BLANKS, REPEATS)

    def count(self, prompt_tokens: object, reply_tokens: object) -> None:
        """Note the token counts; a value that is not a count keeps the one before."""
        prompt, reply = _number(prompt_tokens), _number(reply_tokens)
        self.usage = Usage(self.usage.prompt_tokens if prompt is None else prompt,
                           self.usage.reply_tokens if reply is None else reply)

    def time(self, load_ms: object, prompt_ms: object, reply_ms: object) -> None:
        """Note the server's durations; a value that is not a duration keeps the one before."""
        known = self.times
        self.times = ServerTimes(_time(load_ms, known.load_ms), _time(prompt_ms, known.prompt_ms),
                                 _time(reply_ms, known.reply_ms))

    def finish(self, reason: object) -> None:
        """Note the finish reason."""
        if isinstance(reason, str) and reason and not self.endless:
            self.finish_reason = shown(_FINISHED.get(reason.lower(), reason))

    def named(self, model: object) -> None:
        """Note the name under which the server answers."""
        self.model = self.model or shown(_text(model))

    def reply(self) -> Reply:
        """The whole reply.

        Some servers put an answer under a schema among the thoughts, and send nothing else. So the
        thoughts of a reply that ended by itself without text are taken as its answer.

        Raises:
            EmptyReply: it ended with neither text nor calls.
            MissingField: it did not end and is empty, or only thoughts came, cut off.
        """
        thinking, text = _apart(''.join(self._thinking), ''.join(self._text))
        if not text.strip() and not self._calls and self.finish_reason != _CUT_OFF and (
                not self.endless):
            thinking, text = '', thinking
        parts: list[Part] = []
        if thinking:
            parts.append(Thinking(as_unicode(thinking), self._signature))
        if text:
            parts.append(Text(as_unicode(text)))
        parts += [_finished(call, number) for number, call in
                  enumerate(self._calls.values(), start=1)]
        if not text.strip() and not self._calls:
            if thinking:
                raise MissingField(self._only_thought)
            if self.endless:
                raise EmptyReply('the model wrote nothing but blanks')
            kind = EmptyReply if self.finish_reason else MissingField
            raise kind('the model server sent no content')
        return Reply(tuple(parts), self.finish_reason, self.usage, self.model, self._first_ms,
                     self.times)

    def _add(self, pieces: list[str], piece: object) -> None:
        if isinstance(piece, str) and piece:
            pieces.append(piece)
            self._count(piece)
            self._end = (self._end + piece)[-_REPEATING:]
            if self._size - self._looked_at >= _LOOK_EVERY:
                self._looked_at = self._size
                self.finish_reason = _endless_end(self._end) or self.finish_reason

    def _count(self, piece: str) -> None:
        if not self._first_ms:
            self._first_ms = (time.monotonic() - self._began) * 1000.0
        self._size += len(piece)
        if self._size > MAX_REPLY_BYTES:
            raise ReplyTooLong(f'the reply is longer than {MAX_REPLY_BYTES} bytes')


def _endless_end(end: str) -> str:
    """BLANKS or REPEATS for a text whose end would go on for ever; empty for any other."""
    if len(end) - len(end.rstrip()) > _MOST_BLANKS:
        return BLANKS
    if len(end) == _REPEATING and any(
            end[length:] == end[:-length] for length in range(1, _LONGEST_PIECE + 1)):
        return REPEATS
    return ''


def _apart(thinking: str, text: str) -> tuple[str, str]:
    """Thoughts and answer, split at the model's own marks if the server leaves them in."""
    inside = text.lstrip()
    for begin, end in _THOUGHTS:
        begun = inside.startswith(begin)
        thought, ended, rest = inside.removeprefix(begin).partition(end)
        # Some chat templates hold the opening mark: the reply has only the closing one.
        if begun or (ended and not inside.startswith(_ANSWERS)):
            return thinking + thought, rest.lstrip()
    return thinking, text


def _finished(call: _Call, number: int) -> ToolCall:
    text = call.arguments
    try:
        # Parsed again, because a client library accepts more than JSON allows.
        if call.whole is not None:
            text = json.dumps(call.whole)
        arguments, problem = _read(text)
    except (ValueError, RecursionError) as error:
        arguments, problem = {}, f'the arguments are no JSON: {shown(str(error))}'
    return ToolCall(as_unicode(call.id) or f'call-{number}', as_unicode(call.name), arguments,
                    problem, as_unicode(text) if problem else '')


def _read(text: str) -> tuple[Json, str]:
    """The arguments of a call, and their fault in words; a blank text means no arguments.

    Raises:
        ValueError, RecursionError: the text is not JSON.
    """
    if not text.strip():
        return {}, ''
    if text.count('[') + text.count('{') > _MAX_NESTED:
        return {}, 'the arguments hold too many lists and objects'
    value = loads_strict(text)
    if not isinstance(value, dict):
        return {}, 'the arguments must be one JSON object'
    return value, ''


def _written(arguments: object) -> str:
    """Arguments as text; empty for an object that is not JSON, which is left out anyway."""
    if not isinstance(arguments, dict):
        return _text(arguments)
    with suppress(ValueError, RecursionError):
        return json.dumps(arguments)
    return ''


def _text(value: object) -> str:
    return value if isinstance(value, str) else ''


def _time(value: Any, known_ms: float) -> float:
    is_time = type(value) in (int, float) and 0 <= value <= _LONGEST_MS
    return float(value) if is_time else known_ms


def _number(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
