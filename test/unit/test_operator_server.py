"""The operator page over real HTTP and websockets on loopback: who may speak, and what is told."""

import asyncio
import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import numpy as np
import pytest
from starlette.websockets import WebSocket
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from semantic_nav.contracts.documents import (
    Belief,
    Budgets,
    Document,
    PlaceDescription,
    RobotPose,
    ToolReply,
)
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Phase, QueryTool, Status
from semantic_nav.operator import open_page, serving
from semantic_nav.operator.config import OperatorConfig
from semantic_nav.operator.desk import MAX_PAGES, MAX_WISHES, MAX_WORDS, Desk
from semantic_nav.operator.guard import PageGuard, read_token
from semantic_nav.operator.heard import MapShown, PictureShown
from semantic_nav.operator.history import History
from semantic_nav.operator.serving import Serving

TOKEN = 'correct horse battery'
EVIL = '<img src=x onerror=alert(1)>'
PATIENCE_S = 30.0
STATIC = Path(__file__).parents[2] / 'semantic_nav' / 'operator' / 'static'
BELIEF = Belief('find the mug', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', 'look',
                Budgets(1.0, 900.0, 0, 120, 0.0, 300.0, 0, 20))


def document(body: Any) -> Document:
    return Document('id-1', '', 'goal-1', 5, 'map', body)


@contextmanager
def served(desk: Desk | None = None, **config: Any) -> Iterator[Serving]:
    with Serving(desk or Desk(time.monotonic), replace(OperatorConfig(), port=0, **config)) as one:
        yield one


@pytest.fixture
def token_file(tmp_path: Path) -> str:
    path = tmp_path / 'token'
    path.touch(0o600)
    path.write_text(f'{TOKEN}\n')
    return str(path)


def live(url: str, **headers: str) -> ClientConnection:
    return connect(url.replace('http', 'ws') + 'live', additional_headers=headers or None,
                   origin=url.rstrip('/'), open_timeout=PATIENCE_S)


def told(socket: ClientConnection, fits: Callable[[Any], bool]) -> Any:
    """Return the first message that fits."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        message = socket.recv(PATIENCE_S)
        value = message if isinstance(message, bytes) else json.loads(message)
        if fits(value):
            return value
    raise AssertionError('it was not told')


def until(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def is_view(value: Any) -> bool:
    return not isinstance(value, bytes) and value['kind'] == 'view'


# Who may speak

def test_every_response_bears_the_headers() -> None:
    with served() as page:
        for path, status in (('', 200), ('app.js', 200), ('style.css', 200), ('nothing', 404),
                             ('map.png', 404), ('looks/1.jpg', 404)):
            answer = httpx.get(page.url + path)
            assert answer.status_code == status, path
            policy = answer.headers['content-security-policy']
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
            assert 'unsafe' not in policy
            assert answer.headers['x-content-type-options'] == 'nosniff'


@pytest.mark.parametrize('headers', [
    {'host': 'evil.example'}, {'host': 'evil.example:{port}'}, {'host': '127.0.0.1'},
    {'origin': 'http://evil.example'}, {'origin': 'null'}, {'origin': 'https://127.0.0.1:{port}'}])
def test_a_request_of_elsewhere_is_refused(headers: dict[str, str]) -> None:
    with served() as page:
        port = page.url.rstrip('/').rpartition(':')[2]
        sent = {name: value.replace('{port}', port) for name, value in headers.items()}
        answer = httpx.get(page.url, headers=sent)
        assert answer.status_code == 403
        assert 'content-security-policy' in answer.headers


def test_a_websocket_of_elsewhere_is_refused() -> None:
    with served() as page:
        address = page.url.replace('http', 'ws') + 'live'
        for origin in (None, 'http://evil.example', 'http://127.0.0.1:1'):
            with pytest.raises(InvalidStatus, match='403'):
                connect(address, origin=origin)
        with live(page.url) as socket:
            told(socket, is_view)


def test_localhost_is_the_same_page() -> None:
    with served() as page:
        url = page.url.replace('127.0.0.1', 'localhost')
        assert httpx.get(url, headers={'origin': url.rstrip('/')}).status_code == 200


@pytest.mark.parametrize('bind', ['0.0.0.0', '192.0.2.1', '::', 'robot.local'])
def test_another_address_needs_a_token(bind: str) -> None:
    with pytest.raises(ConfigError, match='token_file'):
        Serving(Desk(time.monotonic), replace(OperatorConfig(), port=0, bind=bind))


def test_the_token_file_must_be_its_owners_alone(token_file: str, tmp_path: Path) -> None:
    assert read_token('0.0.0.0', token_file) == TOKEN
    for mode in (0o644, 0o640, 0o604):
        Path(token_file).chmod(mode)
        with pytest.raises(ConfigError, match='chmod 600'):
            read_token('0.0.0.0', token_file)
    Path(token_file).chmod(0o600)
    Path(token_file).write_text('short')
    with pytest.raises(ConfigError, match='at least'):
        read_token('127.0.0.1', token_file)
    with pytest.raises(ConfigError, match='cannot be read'):
        read_token('127.0.0.1', str(tmp_path / 'none'))


def test_nothing_is_shown_before_the_token_was_said(token_file: str) -> None:
    with served(token_file=token_file) as page, httpx.Client(base_url=page.url) as client:
        for path in ('/', '/app.js', '/map.png', '/looks/1.jpg'):
            assert client.get(path).headers['location'] == '/login'
        with pytest.raises(InvalidStatus, match='403'):
            live(page.url)
        assert client.get('/login').status_code == 200
        assert client.post('/login', content='token=a+wrong+token').status_code == 403
        foreign = client.post('/login', content=f'token={TOKEN}',
                              headers={'origin': 'http://evil.example'})
        assert foreign.status_code == 403 and 'set-cookie' not in foreign.headers
        entered = client.post('/login', content=f'token={TOKEN.replace(" ", "+")}')
        assert entered.status_code == 303
        for word in ('HttpOnly', 'SameSite=Strict'):
            assert word in entered.headers['set-cookie']
        assert TOKEN not in entered.headers['set-cookie']
        assert client.get('/').status_code == 200
        cookie = entered.headers['set-cookie'].partition(';')[0]
        with live(page.url, cookie=cookie) as socket:
            told(socket, is_view)


def test_names_are_allowed_by_name() -> None:
    guard = PageGuard.of('0.0.0.0', 80, 'robot.local, ROBOT2')
    for host, fine in (('robot.local:80', True), ('robot2:80', True), ('robot.local', False),
                       ('other:80', False)):
        refusal = guard.refusal([(b'host', host.encode())], needs_origin=False)
        assert (refusal == '') is fine, host
    assert guard.refusal([(b'host', b'robot2:80')] * 2, needs_origin=False)
    assert guard.refusal([], needs_origin=False)


# What is told, and asked for

def test_the_page_is_told_what_changes() -> None:
    desk = Desk(time.monotonic)
    with served(desk) as page, live(page.url) as socket:
        assert told(socket, is_view)['view']['standing']['state'] == 'faulted'
        desk.listens(True)
        desk.hear(document(BELIEF))
        desk.hear(document(RobotPose(Pose2D(1.0, 2.0, 0.0), True, 0.0)))
        view = told(socket, lambda value: is_view(value) and value['view']['robot'])['view']
        assert view['standing']['state'] == 'executing' and view['live']
        assert view['mission']['goal'] == 'find the mug'


def test_what_the_operator_asks_for_is_handed_on_and_its_answer_is_told() -> None:
    desk = Desk(time.monotonic)
    with served(desk) as page, live(page.url) as socket:
        for sent in ('no json', '[]', '{}', '{"do": "format"}', '{"do": "goal", "words": 3}',
                     json.dumps({'do': 'goal', 'words': 'find the mug'})):
            socket.send(sent)
        until(lambda: not desk.wishes.empty())
        wish = desk.wishes.get()
        assert (wish.deed, wish.words) == ('goal', 'find the mug')
        wish.tell(True, 'said', None)
        answer = told(socket, lambda value: value['kind'] == 'said')
        assert (answer['deed'], answer['taken'], answer['words']) == ('goal', True, 'said')
        socket.send(json.dumps({'do': 'goal', 'words': 'x' * (MAX_WORDS + 1)}))
        assert not told(socket, lambda value: value['kind'] == 'said')['taken']
        assert desk.wishes.empty()
        for _ in range(MAX_WISHES + 1):
            socket.send(json.dumps({'do': 'goal', 'words': 'find the mug'}))
        refusal = told(socket, lambda value: value['kind'] == 'said')
        assert not refusal['taken'] and desk.wishes.qsize() == MAX_WISHES


def test_a_stop_passes_whatever_else_is_asked_for() -> None:
    desk = Desk(time.monotonic)
    with served(desk) as page, live(page.url) as flooding, live(page.url) as other:
        for socket in (flooding, other):
            for _ in range(5 * MAX_WISHES):
                socket.send(json.dumps({'do': 'goal', 'words': 'find the mug'}))
            until(lambda: desk.wishes.qsize() >= MAX_WISHES)
        until(lambda: desk.wishes.qsize() == 2 * MAX_WISHES)
        for deed in ('pause', 'cancel', 'cancel'):
            other.send(json.dumps({'do': deed}))
        again = told(other, lambda value: value.get('deed') == 'cancel')
        assert again['words'] == 'cancel is asked for already'
        wanted = desk.wanted()
        assert [wish.deed for wish in wanted[:3]] == ['pause', 'cancel', 'goal']
        for wish in wanted:
            wish.tell(True, 'done', None)
        told(other, lambda value: value.get('deed') == 'cancel' and value['taken'])
        other.send(json.dumps({'do': 'cancel'}))
        until(lambda: [wish.deed for wish in desk.wanted()] == ['cancel'])


@pytest.mark.parametrize('path', [
    f'looks/{"7" * 5000}.jpg', 'looks/²³.jpg', 'looks/-1.jpg', 'looks/%00.jpg',
    f'map.png?at={"9" * 400}', 'heat.png?at=1e400', 'map.png?at=%ff', 'map.png?at=-1e308'])
def test_no_address_ends_in_a_traceback(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    with served() as page:
        assert httpx.get(page.url + path).status_code == 404
    assert 'Traceback' not in capfd.readouterr().err


@pytest.mark.parametrize('sent', [
    f'{{"do": "at", "at_s": 1{"0" * 400}}}', f'{{"do": "at", "at_s": {"9" * 5000}}}',
    '{"do": "at", "at_s": 1e308}', '{"do": "at", "at_s": -1.7e308}', b'\x00\xff', b'', '',
    '[' * 10_000, r'{"do": "search", "words": "\ud800"}'])
def test_nothing_that_a_page_sends_ends_it(sent: str | bytes,
                                           capfd: pytest.CaptureFixture[str]) -> None:
    with served() as page, live(page.url) as socket:
        socket.send(sent)
        socket.send(json.dumps({'do': 'at', 'at_s': None}))
        socket.send(json.dumps({'do': 'goal', 'words': 'x' * (MAX_WORDS + 1)}))
        assert not told(socket, lambda value: value['kind'] == 'said')['taken']
        told(socket, is_view)
    assert 'Traceback' not in capfd.readouterr().err


def test_a_page_that_never_reads_is_told_no_more_than_it_could_take() -> None:
    class NeverReads:
        def __init__(self) -> None:
            self.coming = [{'type': 'websocket.receive', 'bytes': None, 'text': json.dumps(
                {'do': 'goal', 'words': 'x' * (MAX_WORDS + 1)})}] * 1000

        async def receive(self) -> dict[str, object]:
            return self.coming.pop() if self.coming else {'type': 'websocket.disconnect'}

        async def send_text(self, text: str) -> None:
            await asyncio.Event().wait()

    async def unread() -> int:
        page = open_page.OpenPage(Desk(time.monotonic), cast(WebSocket, NeverReads()))
        await page.run()
        return page._out.qsize()

    assert 0 < asyncio.run(unread()) <= open_page._MOST_UNREAD


def test_a_client_that_never_reads_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, '_UNREAD_MS', 500)
    desk = Desk(time.monotonic)
    with served(desk) as page, closing(socket.socket()) as client:
        host = page.url.split('/')[2]
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((host.split(':')[0], int(host.split(':')[1])))
        client.sendall('\r\n'.join((
            'GET /live HTTP/1.1', f'Host: {host}', f'Origin: http://{host}',
            'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
            'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', '')).encode())
        until(lambda: desk.pages == 1)
        # A text frame with a mask of zeros.
        wish = json.dumps({'do': 'camera', 'on': True}).encode()
        client.sendall(bytes([0x81, 0x80 | len(wish), 0, 0, 0, 0]) + wish)
        until(lambda: desk.watching)

        def gone() -> bool:
            desk.show(bytes(1_000_000))
            return desk.pages == 0

        until(gone)


def test_what_the_memory_says_of_a_place_is_told() -> None:
    desk = Desk(time.monotonic)
    place = PlaceDescription('place-1', Pose2D(1.0, 2.0, 0.0), 'hall', 'hall with coat', ('coat',),
                             3, 60.0, 's', (), EVIL)
    with served(desk) as page, live(page.url) as socket:
        for wish in ({'do': 'name'}, {'do': 'go', 'place': ''}, {'do': 'forget', 'place': 3},
                     {'do': 'describe', 'place': 'x' * 161}, {'do': 'tour', 'format': 'c'},
                     {'do': 'name', 'place': 'here', 'words': EVIL}):
            socket.send(json.dumps(wish))
        until(lambda: not desk.wishes.empty())
        wish = desk.wishes.get()
        assert (wish.deed, wish.words, wish.place) == ('name', EVIL, 'here')
        wish.tell(True, 'named', ToolReply(QueryTool.NAME_PLACE, place=place))
        answer = told(socket, lambda value: value['kind'] == 'place')
        assert (answer['asked'], answer['taken'], answer['words']) == ('here', True, 'named')
        assert answer['place'] == {
            'id': 'place-1', 'name': EVIL, 'kind': 'hall', 'summary': 'hall with coat',
            'visits': 3, 'seen_ago_s': 60.0}
        wish.tell(False, 'no', None)
        assert told(socket, lambda value: value['kind'] == 'place')['place'] is None
    assert desk.wishes.empty()


@pytest.mark.parametrize('wish', [
    {'do': 'go', 'place': 'home'}, {'do': 'tour'}, {'do': 'forget', 'place': 'place-1'},
    {'do': 'name', 'place': 'here', 'words': 'home'}, {'do': 'goal', 'words': 'find the mug'}])
def test_nothing_is_done_from_a_page_that_looks_at_the_past(wish: dict[str, str]) -> None:
    desk = Desk(time.monotonic)
    with served(desk) as page, live(page.url) as socket:
        socket.send(json.dumps({'do': 'at', 'at_s': 0.0}))
        socket.send(json.dumps(wish))
        answer = told(socket, lambda value: value['kind'] == 'said')
        assert not answer['taken'] and 'past' in answer['words']
        assert desk.wishes.empty()
        socket.send(json.dumps({'do': 'at', 'at_s': None}))
        socket.send(json.dumps(wish))
        until(lambda: not desk.wishes.empty())


def test_the_camera_is_shown_only_while_a_page_wants_it() -> None:
    desk = Desk(time.monotonic)
    with served(desk) as page:
        with live(page.url) as socket:
            until(lambda: desk.pages == 1)
            assert not desk.watching
            socket.send(json.dumps({'do': 'camera', 'on': True}))
            until(lambda: desk.watching)
            desk.show(b'a picture')
            assert told(socket, lambda value: isinstance(value, bytes)) == b'a picture'
        until(lambda: not desk.watching and desk.pages == 0)
        assert desk.frame is None


def test_pages_are_counted() -> None:
    desk = Desk(time.monotonic)
    assert all(desk.open_page() for _ in range(MAX_PAGES)) and not desk.open_page()
    with served(desk) as page:
        with pytest.raises(InvalidStatus):
            live(page.url)
        desk.close_page()
        with live(page.url) as socket:
            told(socket, is_view)


def test_maps_and_pictures_are_served() -> None:
    desk = Desk(time.monotonic)
    desk.hear(MapShown('m', lambda: OccupancyGrid(
        np.zeros((3, 4), np.int8), 0.1, 0.0, 0.0, 'map', 1)))
    desk.hear(PictureShown('look-s-77', lambda: b'\xff\xd8 a jpeg'))
    with served(desk) as page:
        for path in ('map.png', 'heat.png', 'map.png?at=nan'):
            assert httpx.get(page.url + path).content.startswith(b'\x89PNG')
        assert httpx.get(page.url + 'looks/look-s-77.jpg').content.endswith(b'a jpeg')
        assert httpx.get(page.url + 'looks/look-s-78.jpg').status_code == 404


def test_of_a_journal_the_past_is_shown_and_nothing_is_done() -> None:
    history = History()
    history.add(0.0, document(BELIEF))
    history.add(5.0, document(replace(BELIEF, phase=Phase.PAUSED, pause_requested=True)))
    desk = Desk(lambda: 0.0, history)
    with served(desk) as page, live(page.url) as socket:
        view = told(socket, is_view)['view']
        assert view['replay'] and view['standing']['state'] == 'waiting'
        assert view['standing']['permitted'] == [] and view['last_s'] == 5.0
        socket.send(json.dumps({'do': 'at', 'at_s': 2.0}))
        past = told(socket, lambda value: is_view(value) and value['view']['past'])['view']
        assert past['standing']['state'] == 'executing' and past['now_s'] == 2.0
        socket.send(json.dumps({'do': 'cancel'}))
        assert not told(socket, lambda value: value['kind'] == 'said')['taken']
    assert desk.wishes.empty()


# What is served

def test_no_text_becomes_markup_and_nothing_comes_from_elsewhere() -> None:
    for path in STATIC.glob('*.js'):
        text = path.read_text()
        for word in ('innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(',
                     'new Function', 'createContextualFragment', 'srcdoc'):
            assert word not in text, f'{path.name}: {word}'
        assert not re.search(r'https?://(?!\$)', text), path.name
    for path in STATIC.glob('*.html'):
        text = path.read_text()
        assert not re.search(r'<script(?![^>]*\bsrc="/)', text), path.name
        assert not re.search(r'\s(on\w+|style)=', text), path.name
        assert 'http' not in text.replace('http-equiv', ''), path.name
    assert 'url(' not in (STATIC / 'style.css').read_text()
