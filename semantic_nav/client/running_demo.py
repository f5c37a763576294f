"""A demo running on this machine, found by commands in other terminals through its file."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.whole_file import write_whole

_DOMAIN, _RANGE = 'ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE'
#: Environment variables by which a shell chooses the model server itself.
_OF_MODEL = frozenset({'OLLAMA_HOST', 'OLLAMA_PORT', 'VLM_BACKEND'})
#: Parameters by which a command chooses the model server.
_NAMES_SERVER = ('base_url', 'vlm_backend')


@dataclass(frozen=True)
class RunningDemo:
    """Addresses of a running demo.

    Attributes:
        domain: its ROS domain, on the loopback interface.
        base_url: URL of its model server.
        model: name of the model on that server.
        memory: file of its memory.
        page: URL of its operator page; empty if it serves none.
        folder: folder of the run.
    """

    domain: int
    base_url: str
    model: str
    memory: str
    page: str
    folder: str

    @property
    def of_robot(self) -> dict[str, str]:
        """Environment variables that reach its robot, except those that the shell sets itself."""
        said = {_DOMAIN: str(self.domain), _RANGE: 'LOCALHOST'}
        return {name: value for name, value in said.items() if name not in os.environ}


def _files() -> Path:
    home = Path(os.environ.get('ROS_HOME') or Path.home() / '.ros')
    return home / 'semantic_nav' / 'demo'


@contextmanager
def told(demo: RunningDemo, say: Callable[[str], None]) -> Iterator[None]:
    """Announce a demo for a block: its file counts as long as this process holds the lock.

    Args:
        demo: the demo.
        say: gets a line if the file cannot be written; the demo goes on without it.
    """
    file = _files() / f'{demo.domain}.json'
    lock = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, (json.dumps(asdict(demo), indent=2) + '\n').encode())
        lock = os.open(file, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:
        say(f'warning   other commands do not know of this demo: {error}')
    try:
        yield
    finally:
        if lock is not None:
            with suppress(OSError):
                file.unlink()
            os.close(lock)


def meant() -> RunningDemo | None:
    """The demo that a command means: the only one running, or that of the shell's domain.

    Raises:
        ConfigError: several are running, and the shell chooses none.
    """
    demos = [demo for demo in map(_read, sorted(_files().glob('*.json'))) if demo is not None]
    chosen = os.environ.get(_DOMAIN)
    if chosen is not None:
        demos = [demo for demo in demos if str(demo.domain) == chosen.strip()]
    if len(demos) > 1:
        raise ConfigError(f'{len(demos)} demos run here: choose one by `export {_DOMAIN}=…`, '
                          + ' or '.join(f'{demo.domain} for {demo.folder}' for demo in demos))
    return demos[0] if demos else None


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set environment variables for a block, and restore the old values after it."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def robot_reached(namespace: str, say: Callable[[str], None]) -> Iterator[None]:
    """Let a command reach the robot of the demo that is meant, if there is one.

    Args:
        namespace: namespace that the command names; the robot of a demo has none.
        say: gets a line where the shell itself sets no ROS domain.

    Raises:
        ConfigError: see `meant`.
    """
    demo = None if namespace else meant()
    if demo is None:
        yield
        return
    if _DOMAIN not in os.environ:
        say(f'the demo that runs here is meant, in ROS domain {demo.domain}; a {_DOMAIN} of your '
            'own would be honoured')
    with environment(**demo.of_robot):
        yield


def with_server(parameters: Mapping[str, Any], say: Callable[[str], None]) -> dict[str, str]:
    """The environment, with the demo's model server unless the command or shell chooses one.

    Args:
        parameters: parameters of the hypothesis node, as given to the command.
        say: gets a line if the server is that of the demo.

    Raises:
        ConfigError: see `meant`.
    """
    environ = dict(os.environ)
    if any(parameters.get(name) for name in _NAMES_SERVER) or environ.keys() & _OF_MODEL:
        return environ
    demo = meant()
    if demo is not None:
        say(f'the model server of the demo that runs here is meant, {demo.base_url}; an '
            'OLLAMA_HOST of your own would be honoured')
        environ['OLLAMA_HOST'] = demo.base_url
    return environ


def _read(file: Path) -> RunningDemo | None:
    """The demo that a file announces; None if the demo has ended."""
    try:
        with file.open(encoding='utf-8') as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return RunningDemo(**json.load(opened))
    except (OSError, ValueError, TypeError):
        return None
    return None
