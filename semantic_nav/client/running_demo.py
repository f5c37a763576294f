"""A demo that runs on this machine, as its file tells commands of it in other terminals."""

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
#: By these a shell says itself which model server is meant.
_OF_MODEL = frozenset({'OLLAMA_HOST', 'OLLAMA_PORT', 'VLM_BACKEND'})
#: Parameters by which a command says it.
_NAMES_SERVER = ('base_url', 'vlm_backend')


@dataclass(frozen=True)
class RunningDemo:
    """How to reach a demo.

    Attributes:
        domain: its ROS domain, on the loopback interface.
        base_url: of its model server.
        model: its name there.
        memory: file of its memory.
        page: address of its operator page; empty where it serves none.
        folder: of the run.
    """

    domain: int
    base_url: str
    model: str
    memory: str
    page: str
    folder: str

    @property
    def of_robot(self) -> dict[str, str]:
        """The environment in which its robot is reached, but for what the shell says itself."""
        said = {_DOMAIN: str(self.domain), _RANGE: 'LOCALHOST'}
        return {name: value for name, value in said.items() if name not in os.environ}


def _files() -> Path:
    home = Path(os.environ.get('ROS_HOME') or Path.home() / '.ros')
    return home / 'semantic_nav' / 'demo'


@contextmanager
def told(demo: RunningDemo, say: Callable[[str], None]) -> Iterator[None]:
    """Tell of a demo for a block: the file counts as long as this process holds its lock.

    Args:
        demo: that is told of.
        say: gets a line where the file cannot be written; the demo does without.
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
    """Return the demo that a command means: the one that runs, or that of the shell's domain.

    Raises:
        ConfigError: several run, and the shell chooses none.
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
    """Set environment variables, and put them back as they were."""
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
    """Let a command reach the robot of the demo that is meant, if one is.

    Args:
        namespace: that the command names; the robot of a demo has none.
        say: gets a line where the shell itself says nothing of a ROS domain.

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
    """Return the environment, with the model server of the demo that is meant where none is named.

    Args:
        parameters: of the hypothesis node, as a command names them.
        say: gets a line where it is that of the demo.

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
    """Return what a file tells; None where its demo has ended."""
    try:
        with file.open(encoding='utf-8') as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return RunningDemo(**json.load(opened))
    except (OSError, ValueError, TypeError):
        return None
    return None
