"""The gate: a model's reply becomes a typed hypothesis, or a typed refusal, and nothing else.

Size limit, JSON, wire schema, canonical schema, meaning: in this order, and whatever text comes,
no exception leaves `gate`.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ContractError, GateError
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.schemas import Json, loads_strict, quick_check
from semantic_nav.vlm import wire
from semantic_nav.vlm.config import BoxConvention

#: Longest reply that is looked at, in bytes of UTF-8.
MAX_REPLY_BYTES = 64 * 1024
#: Deepest nesting of brackets; a valid reply has five levels.
_MAX_DEPTH = 32
#: How many opening braces are tried as the start of the reply's object.
_MAX_STARTS = 16
#: A bracket of JSON, or a whole string, which may end with the text.
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]', re.DOTALL)
_MESSAGE_LENGTH = 300
#: Among how many errors of a schema the most telling one is chosen; a hostile list has thousands.
_MAX_ERRORS = 30


class GateKind(StrEnum):
    """How far a reply came."""

    PARSE_FAIL = 'PARSE_FAIL'
    SCHEMA_BAD = 'SCHEMA_BAD'
    SEMANTIC_BAD = 'SEMANTIC_BAD'


@dataclass(frozen=True)
class GateContext:
    """What a reply is judged by.

    Attributes:
        boxes: how the model writes boxes.
        sent_px: width and height of the picture it saw.
        nodes: the places it was told of.
    """

    boxes: BoxConvention
    sent_px: tuple[int, int]
    nodes: frozenset[str]


@dataclass(frozen=True)
class GateRefusal:
    """Why a reply was refused.

    Attributes:
        path: where in the reply, as a JSON path.
        message: for people, and for the model to repair its reply.
    """

    kind: GateKind
    path: str
    message: str

    def __str__(self) -> str:
        """Return kind, place and message in one line."""
        return f'{self.kind} at {self.path}: {self.message}'


class _Refused(GateError):
    def __init__(self, kind: GateKind, path: str, message: str) -> None:
        super().__init__(message)
        shown = message if len(message) <= _MESSAGE_LENGTH else f'{message[:_MESSAGE_LENGTH]}...'
        # The message may quote the reply, lone surrogates and all.
        self.refusal = GateRefusal(kind, path, shown.encode('utf-8', 'replace').decode())


def gate(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    """Return the hypothesis that a reply holds, or why there is none.

    Args:
        text: the whole reply, which may hold anything at all.
        context: what it is judged by.
    """
    try:
        return _pass(text, context)
    except _Refused as refused:
        return refused.refusal


def _pass(text: str, context: GateContext) -> CanonicalHypothesis:
    reply = _parse(text)
    _keep(_wire_schema(context.boxes), reply)
    try:
        canonical = wire.to_canonical(reply, context.boxes, context.sent_px)
    except wire.BoxError as error:
        raise _Refused(GateKind.SEMANTIC_BAD, error.path, error.message) from error
    _keep(_canonical_schema(), canonical)
    try:
        hypothesis = from_plain(canonical, CanonicalHypothesis)
    except ContractError as error:
        raise _Refused(GateKind.SCHEMA_BAD, '$', str(error)) from error
    if hypothesis.action == 'goto_node' and hypothesis.node_id not in context.nodes:
        known = ', '.join(sorted(context.nodes)) or 'none'
        raise _Refused(GateKind.SEMANTIC_BAD, '$.node_id',
                       f'{hypothesis.node_id!r} is not among the candidates: {known}')
    return hypothesis


def _parse(text: str) -> Json:
    """Return the first object of a reply that is JSON."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise _Refused(GateKind.PARSE_FAIL, '$', f'no Unicode text: {error.reason}') from error
    if size > MAX_REPLY_BYTES:
        raise _Refused(GateKind.PARSE_FAIL, '$', f'{size} bytes, allowed are {MAX_REPLY_BYTES}')
    reason = 'the reply holds no JSON object'
    for part in _objects(text):
        if part is None:
            reason = 'the JSON object is cut off or nested too deeply'
            continue
        try:
            value = loads_strict(part)
            if '\\' in part:
                json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            reason = 'a string holds half a surrogate pair'
        except (ValueError, RecursionError) as error:
            reason = str(error)
        else:
            if isinstance(value, dict):
                return value
    raise _Refused(GateKind.PARSE_FAIL, '$', reason)


def _objects(text: str) -> Iterator[str | None]:
    """Yield the balanced `{...}` of a text, braces in strings aside; None where one never ends.

    No part of an object is ever taken for the whole: what stands inside one is not tried.
    """
    end: int | None = 0
    for _ in range(_MAX_STARTS):
        start = text.find('{', end)
        if start < 0:
            return
        end = _end_of_object(text, start)
        yield None if end is None else text[start:end]
        if end is None:
            return


def _end_of_object(text: str, start: int) -> int | None:
    depth = 0
    for match in _STRUCTURE.finditer(text, start):
        first = text[match.start()]
        if first in '{[':
            depth += 1
            if depth > _MAX_DEPTH:
                return None
        elif first in '}]':
            depth -= 1
            if depth == 0:
                return match.end()
    return None


@dataclass(frozen=True)
class _Schema:
    """A schema with its two judges: a fast one, and one that can say what is wrong."""

    check: Callable[[object], bool]
    validator: Draft202012Validator


@cache
def _wire_schema(boxes: BoxConvention) -> _Schema:
    schema = wire.wire_schema(boxes)
    return _Schema(quick_check(schema), Draft202012Validator(schema))


@cache
def _canonical_schema() -> _Schema:
    schema = wire.canonical_schema()
    return _Schema(quick_check(schema), Draft202012Validator(schema))


def _keep(schema: _Schema, value: Any) -> None:
    if schema.check(value):
        return
    error = best_match(islice(schema.validator.iter_errors(value), _MAX_ERRORS))
    if error is None:
        raise _Refused(GateKind.SCHEMA_BAD, '$', 'the reply breaks its schema')
    message = error.message
    if error.validator == 'oneOf':
        choices = (name for part in error.validator_value for name in part['required'])
        message = f'needs exactly one of {", ".join(choices)}'
    raise _Refused(GateKind.SCHEMA_BAD, error.json_path, message)
