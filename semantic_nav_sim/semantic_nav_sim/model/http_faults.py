"""Faults of a call over HTTP."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

from semantic_nav_sim.model.engine import ApiError
from semantic_nav_sim.model.http_wire import FOR_EVER_S, WireHandler
from semantic_nav_sim.model.transport import CallOutcome, Kind

#: An address without an owner (RFC 5737), so a client that follows the redirect reaches no one.
_ELSEWHERE = 'http://192.0.2.1:11434/api/chat'
_BOMB_BYTES = 100_000_000
_WORDS = {404: 'model not found, try pulling it first', 500: 'llama runner has terminated'}
_NOISE = bytes(range(256)) * 4


def misbehave(handler: WireHandler, outcome: CallOutcome, model: str) -> bool:
    """Apply the fault of a call; returns False if the call is to be answered.

    Args:
        handler: of the connection.
        outcome: of the call.
        model: name of the model, for endless replies.

    Raises:
        ApiError: the call ends with an HTTP status.
        ConnectionError: the client left.
    """
    act = _ACTS.get(outcome.kind)
    if outcome.kind is Kind.ENDLESS:
        _endless(handler, model)
    elif act is not None:
        act(handler, outcome)
    else:
        return False
    handler.close_connection = True
    return True


def _refuse(handler: WireHandler, _: CallOutcome) -> None:
    handler.server.die()
    handler.reset()


def _hang(handler: WireHandler, _: CallOutcome) -> None:
    handler.wait(FOR_EVER_S)


def _reset(handler: WireHandler, _: CallOutcome) -> None:
    handler.reset()


def _status(_: WireHandler, outcome: CallOutcome) -> None:
    raise ApiError(outcome.status, _WORDS.get(outcome.status, 'something went wrong'))


def _redirect(handler: WireHandler, _: CallOutcome) -> None:
    handler.send_response(307)
    handler.send_header('Location', _ELSEWHERE)
    handler.send_header('Content-Length', '0')
    handler.end_headers()


def _wrong_length(handler: WireHandler, _: CallOutcome) -> None:
    body = json.dumps({'model': 'm', 'done': False}).encode()
    _send(handler, body, announced=2 * len(body))


def _compressed(handler: WireHandler, _: CallOutcome) -> None:
    _send(handler, gzip.compress(bytes(_BOMB_BYTES), 1), encoding='gzip')


def _endless(handler: WireHandler, model: str) -> None:
    handler.start_stream('application/x-ndjson')
    first = 0
    while not handler.server.pause(0.0):
        # New words each time: a client would cut off a repeating text sooner.
        words = ' '.join(map(str, range(first, first := first + 200)))
        handler.send_line({'model': model, 'created_at': '',
                           'message': {'role': 'assistant', 'content': words},
                           'response': words, 'done': False})


def _foreign(handler: WireHandler, _: CallOutcome) -> None:
    _send(handler, _NOISE)


def _send(handler: WireHandler, body: bytes, announced: int | None = None,
          encoding: str = '') -> None:
    handler.send_response(200)
    handler.send_header('Content-Type', 'application/x-ndjson')
    handler.send_header('Content-Length', str(len(body) if announced is None else announced))
    if encoding:
        handler.send_header('Content-Encoding', encoding)
    handler.end_headers()
    handler.wfile.write(body)


_ACTS: dict[Kind, Callable[[WireHandler, CallOutcome], None]] = {
    Kind.REFUSED: _refuse, Kind.HANGS: _hang, Kind.RESET: _reset, Kind.STATUS: _status,
    Kind.REDIRECT: _redirect, Kind.WRONG_LENGTH: _wrong_length, Kind.COMPRESSED: _compressed,
    Kind.FOREIGN: _foreign}
