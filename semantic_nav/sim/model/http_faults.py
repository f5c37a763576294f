"""What becomes of a call over HTTP that is not answered as it should be."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from semantic_nav.sim.model.engine import ApiError
from semantic_nav.sim.model.profile import CallOutcome, Kind

if TYPE_CHECKING:
    from semantic_nav.sim.model.http_server import ModelHandler

FOR_EVER_S = float('inf')
#: An address that belongs to nobody (RFC 5737): who follows the redirect talks to no one.
_ELSEWHERE = 'http://192.0.2.1:11434/api/chat'
_BOMB_BYTES = 100_000_000
_WORDS = {404: 'model not found, try pulling it first', 500: 'llama runner has terminated'}
_NOISE = bytes(range(256)) * 4


def misbehave(handler: ModelHandler, outcome: CallOutcome) -> bool:
    """Do what the outcome of a call says; returns False when the call is to be answered.

    Raises:
        ApiError: it ends with a status.
        ConnectionError: the client left.
    """
    act = _ACTS.get(outcome.kind)
    if act is None:
        return False
    act(handler, outcome)
    handler.close_connection = True
    return True


def _refuse(handler: ModelHandler, _: CallOutcome) -> None:
    handler.server.die()
    handler.reset()


def _hang(handler: ModelHandler, _: CallOutcome) -> None:
    handler.wait(FOR_EVER_S)


def _reset(handler: ModelHandler, _: CallOutcome) -> None:
    handler.reset()


def _status(_: ModelHandler, outcome: CallOutcome) -> None:
    raise ApiError(outcome.status, _WORDS.get(outcome.status, 'something went wrong'))


def _redirect(handler: ModelHandler, _: CallOutcome) -> None:
    handler.send_response(307)
    handler.send_header('Location', _ELSEWHERE)
    handler.send_header('Content-Length', '0')
    handler.end_headers()


def _wrong_length(handler: ModelHandler, _: CallOutcome) -> None:
    body = json.dumps({'model': 'm', 'done': False}).encode()
    _send(handler, body, announced=2 * len(body))


def _compressed(handler: ModelHandler, _: CallOutcome) -> None:
    _send(handler, gzip.compress(bytes(_BOMB_BYTES), 1), encoding='gzip')


def _endless(handler: ModelHandler, _: CallOutcome) -> None:
    handler.start_stream('application/x-ndjson')
    while not handler.server.pause(0.0):
        # The model's name and empty words, again and again.
        handler.send_line({'model': handler.server.engine.card.name, 'created_at': '',
                           'message': {'role': 'assistant', 'content': ' ' * 1000},
                           'response': ' ' * 1000, 'done': False})


def _foreign(handler: ModelHandler, _: CallOutcome) -> None:
    _send(handler, _NOISE)


def _send(handler: ModelHandler, body: bytes, announced: int | None = None,
          encoding: str = '') -> None:
    handler.send_response(200)
    handler.send_header('Content-Type', 'application/x-ndjson')
    handler.send_header('Content-Length', str(len(body) if announced is None else announced))
    if encoding:
        handler.send_header('Content-Encoding', encoding)
    handler.end_headers()
    handler.wfile.write(body)


_ACTS: dict[Kind, Callable[[ModelHandler, CallOutcome], None]] = {
    Kind.REFUSED: _refuse, Kind.HANGS: _hang, Kind.RESET: _reset, Kind.STATUS: _status,
    Kind.REDIRECT: _redirect, Kind.WRONG_LENGTH: _wrong_length, Kind.COMPRESSED: _compressed,
    Kind.ENDLESS: _endless, Kind.FOREIGN: _foreign}
