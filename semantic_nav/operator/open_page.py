"""One open page on a websocket: sends it changes, and takes its operator's wishes."""

import asyncio
import json
import math
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from semantic_nav.contracts.documents import ToolReply
from semantic_nav.contracts.schemas import loads_strict
from semantic_nav.operator.desk import MAX_WISHES, MAX_WORDS, Desk
from semantic_nav.operator.standing import Command
from semantic_nav.operator.view import Json, description_to_plain, place_to_plain
from semantic_nav.operator.wish import HARMLESS, OF_PLACE, STOPS, Wish, is_sent

#: Interval between checks for changes, and between updates of ages, in s.
_LOOK_S, _AGAIN_S = 0.1, 1.0
#: Most answers that a page has not read; further ones are dropped.
_MOST_UNREAD = 64


def moment(words: object) -> float | None:
    """A time in s; None for now, and for a value that is no time."""
    try:
        value = float(words)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


class OpenPage:
    """One open page: sends it changes, and takes its operator's wishes."""

    def __init__(self, desk: Desk, websocket: WebSocket) -> None:
        self._desk, self._websocket = desk, websocket
        self._loop = asyncio.get_running_loop()
        self._out: asyncio.Queue[Json] = asyncio.Queue(_MOST_UNREAD)
        # Wishes of this page that are not answered yet.
        self._open: set[Wish] = set()
        self._at_s: float | None = None
        self._watches = False
        self._stir = asyncio.Event()

    async def run(self) -> None:
        """Serve until the page is closed."""
        telling = asyncio.gather(self._tell_views(), self._tell_answers(), self._tell_camera())
        taking = asyncio.ensure_future(self._take())
        try:
            done, _ = await asyncio.wait((telling, taking),
                                         return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                with suppress(WebSocketDisconnect):
                    one.result()
        finally:
            self._watch(False)
            for task in (telling, taking):
                task.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect):
                    await task

    async def _take(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message['type'] == 'websocket.disconnect':
                return
            try:
                wish = loads_strict(message.get('text') or '')
            except (ValueError, RecursionError):
                continue
            if is_sent(wish):
                self._heed(wish)

    def _heed(self, wish: Json) -> None:
        deed = wish['do']
        if deed == 'at':
            self._at_s = moment(wish.get('at_s'))
            self._stir.set()
        elif deed == 'camera':
            self._watch(wish.get('on') is True and self._desk.live)
        else:
            self._ask(Command(deed), wish.get('words', ''), wish.get('place', ''),
                      wish.get('ends', ''))

    def _ask(self, deed: Command, words: str, place: str, ends: str) -> None:
        refusal = self._refusal(deed, words)
        if refusal:
            self._answer(_said(deed, False, refusal))
            return

        def tell(taken: bool, told: str, reply: ToolReply | None) -> None:
            said = {**_said(deed, taken, told), **self._result(deed, words, place, reply)}
            with suppress(RuntimeError):  # the page is closed, and its loop with it
                self._loop.call_soon_threadsafe(self._answered, wish, said)

        wish = Wish(deed, words, tell, place, ends)
        self._open.add(wish)
        self._desk.wishes.put(wish)

    def _refusal(self, deed: Command, words: str) -> str:
        """The reason why a wish is refused; empty if it is taken."""
        if not self._desk.live:
            return 'this is a journal: nothing can be done'
        if self._at_s is not None and deed not in HARMLESS:
            return 'nothing can be done in the past'
        if len(words) > MAX_WORDS:
            return f'longer than {MAX_WORDS} characters'
        if deed in STOPS:
            asked = any(one.deed == deed for one in self._open)
            return f'{deed} is asked for already' if asked else ''
        waiting = sum(one.deed not in STOPS for one in self._open)
        return 'too much is asked for at once' if waiting >= MAX_WISHES else ''

    def _answered(self, wish: Wish, said: Json) -> None:
        self._open.discard(wish)
        self._answer(said)

    def _answer(self, said: Json) -> None:
        with suppress(asyncio.QueueFull):
            self._out.put_nowait(said)

    def _result(self, deed: Command, words: str, place: str,
                reply: ToolReply | None) -> Json:
        """The memory's reply as JSON, if it was asked."""
        if deed is Command.SEARCH:
            found = reply.places if reply is not None and reply.places else ()
            return {'kind': 'places', 'query': words, 'places': [
                {**place_to_plain(one), 'picture': self._desk.nearest_picture(
                    one.pose.x, one.pose.y, one.pose.yaw)} for one in found]}
        if deed not in OF_PLACE or deed is Command.GO:
            return {}
        told = reply.place if reply is not None else None
        return {'kind': 'place', 'asked': place,
                'place': None if told is None else description_to_plain(told)}

    def _watch(self, on: bool) -> None:
        if on is not self._watches:
            self._watches = on
            self._desk.watch(1 if on else -1)

    async def _tell_views(self) -> None:
        told, told_at_s, lines = -1, -math.inf, 0
        while True:
            now_s = self._loop.time()
            stirred = self._stir.is_set()
            if stirred or self._desk.changes != told or (
                    self._desk.live and now_s - told_at_s >= _AGAIN_S):
                self._stir.clear()
                told, told_at_s = self._desk.changes, now_s
                entries = self._desk.timeline(lines)
                if entries or lines == 0:
                    await self._send({'kind': 'timeline', 'from': lines, 'entries': entries})
                    lines += len(entries)
                view = await run_in_threadpool(self._desk.view, self._at_s)
                await self._send({'kind': 'view', 'view': view})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stir.wait(), _LOOK_S)

    async def _tell_answers(self) -> None:
        while True:
            await self._send(await self._out.get())

    async def _tell_camera(self) -> None:
        told = 0
        while True:
            frame = self._desk.frame if self._watches else None
            if frame is not None and frame.number != told:
                told = frame.number
                await self._websocket.send_bytes(frame.jpeg)
            await asyncio.sleep(_LOOK_S)

    async def _send(self, value: Json) -> None:
        await self._websocket.send_text(json.dumps(value, allow_nan=False))


def _said(deed: Command, taken: bool, words: str) -> Json:
    return {'kind': 'said', 'deed': deed, 'taken': taken, 'words': words}
