"""The gate: a model's reply becomes a typed hypothesis or a typed refusal, and nothing else.

Limits, JSON, rereading, wire schema, canonical schema, sense: in this order. No text makes
`judged` raise an exception.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ContractError, GateError
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.judge import Judge
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.gate import wire
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.extract import NoObject, only_object
from semantic_nav.vlm.gate.reread import reread
from semantic_nav.vlm.gate.units import WireError
from semantic_nav.vlm.quoting import as_unicode

#: Longest reply that is read, in bytes of UTF-8.
MAX_REPLY_BYTES = 64 * 1024
_MESSAGE_LENGTH = 300


class GateKind(StrEnum):
    """Stage at which a reply was refused."""

    PARSE_FAIL = 'PARSE_FAIL'
    SCHEMA_BAD = 'SCHEMA_BAD'
    SEMANTIC_BAD = 'SEMANTIC_BAD'


@dataclass(frozen=True)
class GateContext:
    """Context by which a reply is judged.

    Attributes:
        boxes: box convention of the model.
        sent_px: width and height of the picture it saw.
        place_ids: ids of the places in its prompt.
    """

    boxes: BoxConvention
    sent_px: tuple[int, int]
    place_ids: frozenset[str]


@dataclass(frozen=True)
class GateRefusal:
    """A refused reply, with the reason.

    Attributes:
        path: JSON path in the reply.
        message: reason, for people and for the model to repair its reply.
        schema_path: JSON pointer to the schema keyword that it breaks; empty if it breaks none.
    """

    kind: GateKind
    path: str
    message: str
    schema_path: str = ''

    def __str__(self) -> str:
        """Kind, path and message in one line."""
        return f'{self.kind} at {self.path}: {self.message}'


@dataclass(frozen=True)
class Passed:
    """A reply that passed.

    Attributes:
        otherwise: fields in another form than asked for, read as they were meant.
    """

    hypothesis: CanonicalHypothesis
    otherwise: tuple[str, ...] = ()


class _Refused(GateError):
    def __init__(self, kind: GateKind, path: str, message: str, schema_path: str = '') -> None:
        super().__init__(message)
        shown = message if len(message) <= _MESSAGE_LENGTH else f'{message[:_MESSAGE_LENGTH]}...'
        # The message may quote the reply, lone surrogates and all.
        self.refusal = GateRefusal(kind, path, as_unicode(shown), schema_path)


def gate(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    """The hypothesis of `judged`, or the refusal."""
    result = judged(text, context)
    return result.hypothesis if isinstance(result, Passed) else result


def judged(text: str, context: GateContext) -> Passed | GateRefusal:
    """The hypothesis that a reply holds, or the refusal.

    Args:
        text: whole reply, any text at all.
        context: context by which it is judged.
    """
    try:
        return _pass(text, context)
    except _Refused as refused:
        return refused.refusal


def _pass(text: str, context: GateContext) -> Passed:
    try:
        reply, otherwise = reread(_read(text), context.boxes)
        _keep(_wire_judge(context.boxes), reply)
        canonical = wire.to_canonical(reply, context.boxes, context.sent_px)
    except WireError as error:
        raise _Refused(GateKind.SEMANTIC_BAD, error.path, error.message) from error
    _keep(_canonical_judge(), canonical)
    try:
        hypothesis = from_plain(canonical, CanonicalHypothesis)
    except ContractError as error:
        raise _Refused(GateKind.SCHEMA_BAD, '$', str(error)) from error
    _keep_sense(hypothesis, context)
    return Passed(hypothesis, otherwise)


def _read(text: str) -> Json:
    try:
        size = len(text.encode())
        if size > MAX_REPLY_BYTES:
            raise NoObject(f'{size} bytes, allowed are {MAX_REPLY_BYTES}')
        return only_object(text)
    except UnicodeEncodeError as error:
        raise _Refused(GateKind.PARSE_FAIL, '$', f'no Unicode text: {error.reason}') from error
    except NoObject as error:
        raise _Refused(GateKind.PARSE_FAIL, '$', str(error)) from error


def _keep(judge: Judge, value: Json) -> None:
    breach = judge.breach(value)
    if breach is not None:
        raise _Refused(GateKind.SCHEMA_BAD, breach.path, breach.message, breach.schema_path)


def _keep_sense(hypothesis: CanonicalHypothesis, context: GateContext) -> None:
    """Refuse a hypothesis that no schema can refuse."""
    if hypothesis.action is Action.APPROACH and (
            hypothesis.target_status is TargetStatus.NOT_VISIBLE):
        raise _Refused(GateKind.SEMANTIC_BAD, '$.target_status',
                       'a target that is not visible cannot be approached')
    if hypothesis.action is Action.GOTO_NODE and hypothesis.node_id not in context.place_ids:
        # The places are not listed: remembered text stays in the prompt's block of data.
        raise _Refused(GateKind.SEMANTIC_BAD, '$.node_id',
                       f'{hypothesis.node_id!r} is the node_id of none of the candidates')


@cache
def _wire_judge(boxes: BoxConvention) -> Judge:
    return Judge(wire.wire_schema(boxes))


@cache
def _canonical_judge() -> Judge:
    return Judge(wire.canonical_schema())
