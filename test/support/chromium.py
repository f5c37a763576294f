"""A headless Chromium, driven by its DevTools protocol; nothing but a websocket is needed."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

NAMES = ('chromium', 'chromium-browser', 'google-chrome')
_PATIENCE_S = 60.0
_MOST_BYTES = 64 * 1024 * 1024


def browser() -> str | None:
    """Return the program; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """A page of the browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.dialogs: list[str] = []
        self._loaded = False

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({'id': number, 'method': method, 'params': params}))
        while True:
            message = self._next()
            if message.get('id') == number:
                assert 'error' not in message, message
                return message['result']

    def _next(self) -> dict[str, Any]:
        message = json.loads(self._socket.recv(_PATIENCE_S))
        match message.get('method'):
            case 'Page.javascriptDialogOpening':
                self.dialogs.append(message['params']['message'])
            case 'Page.loadEventFired':
                self._loaded = True
        return message

    def open(self, url: str) -> None:
        self.call('Page.enable')
        self._loaded = False
        self.call('Page.navigate', url=url)
        while not self._loaded:
            self._next()

    def run(self, script: str) -> Any:
        """Return the value of an expression."""
        done = self.call('Runtime.evaluate', expression=script, returnByValue=True,
                         awaitPromise=True)
        assert 'exceptionDetails' not in done, done
        return done['result'].get('value')

    def text(self, selector: str) -> str:
        return self.run(f'document.querySelector({json.dumps(selector)}).textContent') or ''

    def click(self, selector: str) -> None:
        self.run(f'document.querySelector({json.dumps(selector)}).click()')

    def press(self, x: float, y: float) -> None:
        """Press and release the mouse at a place in the window, in pixels."""
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left',
                      clickCount=1)

    def type(self, selector: str, words: str) -> None:
        """Put the focus into a field and type words and Enter, as a person does."""
        field = f'document.querySelector({json.dumps(selector)})'
        self.run(f'{field}.focus()')
        assert self.run(f'document.activeElement === {field}'), f'{selector} takes no words now'
        self.call('Input.insertText', text=words)
        for kind in ('rawKeyDown', 'char', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key='Enter', code='Enter', text='\r',
                      windowsVirtualKeyCode=13)

    def until(self, condition: Callable[[], object], what: str) -> None:
        deadline_s = time.monotonic() + _PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, f'{what}; the page says: {self.text("body")}'
            time.sleep(0.05)

    def screenshot(self, path: Path, width: int = 1440, height: int = 900) -> None:
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        time.sleep(1.0)
        path.write_bytes(base64.b64decode(self.call('Page.captureScreenshot')['data']))


@contextmanager
def tab(url: str, folder: Path) -> Iterator[Tab]:
    """Open an address in a browser of its own, whose files lie in a folder."""
    # Sockets that it leaves behind; a path to one must be short.
    with (tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as sockets,
          _running(folder, sockets), _tab(folder) as opened):
        opened.open(url)
        yield opened


@contextmanager
def _running(folder: Path, sockets: str) -> Iterator[None]:
    program = browser()
    assert program is not None
    root = ['--no-sandbox'] if os.geteuid() == 0 else []
    running = subprocess.Popen(
        [program, '--headless=new', *root, '--remote-debugging-port=0', '--no-first-run',
         '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--window-size=1440,900',
         f'--user-data-dir={folder}', 'about:blank'],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, 'TMPDIR': sockets})
    try:
        yield
    finally:
        running.terminate()
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@contextmanager
def _tab(folder: Path) -> Iterator[Tab]:
    port = _port(folder / 'DevToolsActivePort')
    with urlopen(f'http://127.0.0.1:{port}/json/list', timeout=_PATIENCE_S) as answer:
        pages = json.load(answer)
    address = next(one for one in pages if one['type'] == 'page')['webSocketDebuggerUrl']
    with connect(address, max_size=_MOST_BYTES) as socket:
        yield Tab(socket)


def _port(path: Path) -> str:
    deadline_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline_s:
        if path.exists() and (lines := path.read_text().splitlines()):
            return lines[0]
        time.sleep(0.05)
    raise AssertionError('the browser did not come up')
