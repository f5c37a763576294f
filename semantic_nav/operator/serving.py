"""HTTP server of the page in a thread of its own."""

import socket
import threading
from types import TracebackType
from typing import Self

import uvicorn

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.operator.app import make_app
from semantic_nav.operator.config import OperatorConfig
from semantic_nav.operator.desk import Desk
from semantic_nav.operator.guard import PageGuard, read_token

_MOST_MESSAGE_BYTES = 16 * 1024
_BACKLOG = 64
_END_S = 5.0
#: Time after which a client that reads nothing is cut off, with its pending data, in ms.
_UNREAD_MS = 20_000


class Serving:
    """Serves from the beginning of a block to its end.

    Attributes:
        url: of the page.
    """

    def __init__(self, desk: Desk, config: OperatorConfig) -> None:
        """Take the port.

        Raises:
            ConfigError: it is not available, or the address needs a token that is not set.
        """
        token = read_token(config.bind, config.token_file)
        family = socket.AF_INET6 if ':' in config.bind else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Inherited by each connection.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
        try:
            self._socket.bind((config.bind, config.port))
            self._socket.listen(_BACKLOG)
        except OSError as error:
            self._socket.close()
            raise ConfigError(f'{config.bind} port {config.port} cannot be had: '
                              f'{error.strerror}; choose another port') from error
        port = self._socket.getsockname()[1]
        guard = PageGuard.of(config.bind, port, config.allowed_hosts, token)
        shown = f'[{config.bind}]' if ':' in config.bind else config.bind
        self.url = f'http://{shown}:{port}/'
        self._server = uvicorn.Server(uvicorn.Config(
            make_app(desk, guard), log_level='warning', access_log=False, lifespan='off',
            ws='websockets-sansio', ws_max_size=_MOST_MESSAGE_BYTES, ws_per_message_deflate=False,
            proxy_headers=False, server_header=False, date_header=False,
            timeout_graceful_shutdown=1))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={'sockets': [self._socket]}, daemon=True)

    def __enter__(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Stop answering."""
        self._server.should_exit = True
        self._thread.join(_END_S)
        self._socket.close()
