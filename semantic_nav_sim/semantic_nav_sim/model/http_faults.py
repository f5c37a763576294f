"""Faults of a call over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from semantic_nav_sim.model.engine import ApiError
from semantic_nav_sim.model.transport import CallOutcome, Kind

FOR_EVER_S = float('inf')
LINES = 'application/x-ndjson'
#: An address without an owner (RFC 5737), so a client that follows the redirect reaches no one.
_ELSEWHERE = 'http://192.0.2.1:11434/api/chat'
_BOMB_BYTES = 100_000_000
_WORDS = {404: 'model not found, try pulling it first', 500: 'llama runner has terminated'}
_NOISE = bytes(range(256)) * 4


class Fault(Exception):
    """The end of a call: a reply, if any, and then the connection is closed.

    Attributes:
        reply: sends the rest of the reply.
        reset: the connection ends with a TCP reset.
        dies: the server refuses later connections.
    """

    def __init__(self, reply: ASGIApp | None = None, *, reset: bool = False,
                 dies: bool = False) -> None:
        super().__init__('a fault of the profile')
        self.reply, self.reset, self.dies = reply, reset, dies


async def misbehave(outcome: CallOutcome) -> None:
    """Begin a call with its fault; returns if the call is to be answered.

    Raises:
        ApiError: the call ends with an HTTP status.
        Fault: it ends otherwise.
    """
    match outcome.kind:
        case Kind.HANGS:
            await asyncio.sleep(FOR_EVER_S)
        case Kind.STATUS:
            raise ApiError(outcome.status, _WORDS.get(outcome.status, 'something went wrong'))
        case Kind.REFUSED:
            raise Fault(reset=True, dies=True)
        case Kind.RESET:
            raise Fault(reset=True)
        case Kind.REDIRECT:
            raise Fault(Response(status_code=307, headers={'location': _ELSEWHERE}))
        case Kind.WRONG_LENGTH:
            raise Fault(_half)
        case Kind.COMPRESSED:
            raise Fault(Response(gzip.compress(bytes(_BOMB_BYTES), 1), media_type=LINES,
                                 headers={'content-encoding': 'gzip'}))
        case Kind.ENDLESS:
            raise Fault(_endless)
        case Kind.FOREIGN:
            raise Fault(Response(_NOISE, media_type=LINES))


async def start(send: Send, kind: str, *headers: tuple[bytes, bytes]) -> None:
    """Begin a streamed reply of a content type."""
    await send({'type': 'http.response.start', 'status': 200,
                'headers': [(b'content-type', kind.encode()), *headers]})


async def go_on(send: Send, part: bytes) -> None:
    """Send a part of a streamed reply."""
    await send({'type': 'http.response.body', 'body': part, 'more_body': True})


async def _half(_scope: Scope, _receive: Receive, send: Send) -> None:
    body = json.dumps({'model': 'm', 'done': False}).encode()
    await start(send, LINES, (b'content-length', b'%d' % (2 * len(body))))
    await go_on(send, body)


async def _endless(_scope: Scope, _receive: Receive, send: Send) -> None:
    await start(send, LINES)
    for first in itertools.count(0, 200):
        # New words each time: a client would cut off a repeating text sooner.
        words = ' '.join(map(str, range(first, first + 200)))
        line = {'model': 'm', 'created_at': '', 'message': {'role': 'assistant', 'content': words},
                'response': words, 'done': False}
        await go_on(send, json.dumps(line).encode() + b'\n')
        # A chance for other requests, and for noticing that the client has left.
        await asyncio.sleep(0.0)
