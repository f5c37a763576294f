"""Stores by their URL."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.memory.store import Store
from semantic_nav.memory.volatile_store import VolatileStore

#: Advice for a memory without a file; without quotes YAML takes the colon for its own.
_VOLATILE = "'memory:', with its colon and in quotes, for one that ends with the node"
_SCHEME = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:')


def open_store(url: str) -> Store:
    """Open the store of a URL.

    `sqlite:///path` is an SQLite file by its absolute path, percent-encoded as in any URL; an
    absolute path alone is one too, with `~` for the home. The content of `memory:` is gone when it
    is closed.

    Raises:
        ConfigError: the URL names no store; the message lists the kinds.
        StoreError: the store cannot be opened; the message has the reason.
    """
    return _opener(url)()


def check_url(url: str) -> None:
    """Check that a URL names a store, without opening it.

    Raises:
        ConfigError: it names none.
    """
    _opener(url)


def _opener(url: str) -> Callable[[], Store]:
    if not _SCHEME.match(url):
        if not url:
            raise ConfigError('the URL of the memory is empty')
        return partial(SqliteStore, _absolute(url))
    parts = urlsplit(url)
    opener_of = _OPENERS.get(parts.scheme)
    opener = opener_of(parts) if opener_of is not None else None
    if opener is None:
        raise ConfigError(
            f'{url!r} names no memory: it may be an absolute path, sqlite:///absolute/path, or '
            f'{_VOLATILE}')
    return opener


def _absolute(words: str) -> Path:
    try:
        path = Path(words).expanduser()
    except RuntimeError as error:
        raise ConfigError(f'{words!r} names no memory: {error}') from error
    if not path.is_absolute():
        # A relative path would be another file in every working directory of the node.
        raise ConfigError(f'{words!r} names no memory, as it is no absolute path: it may be '
                          f'{str(path.absolute())!r} for a file, or {_VOLATILE}')
    return path


def _sqlite(parts: SplitResult) -> Callable[[], Store] | None:
    if parts.netloc or parts.query or parts.fragment or not re.match('/+[^/]', parts.path):
        return None
    # SQLAlchemy writes an absolute path with one more slash.
    return partial(SqliteStore, Path('/' + unquote(parts.path).lstrip('/')))


def _volatile(parts: SplitResult) -> Callable[[], Store] | None:
    return VolatileStore if parts.geturl() == 'memory:' else None


#: Opener of a scheme's stores; it returns None if the rest of the URL names none of them.
_OPENERS: dict[str, Callable[[SplitResult], Callable[[], Store] | None]] = {
    'sqlite': _sqlite, 'memory': _volatile}
