"""The files of a run, in a fresh folder, so that nothing is overwritten."""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from semantic_nav.cli.arguments import check_new, check_writable, first_there
from semantic_nav.contracts.errors import ConfigError

#: Link to the latest run in a folder.
LATEST = 'latest'
_STAMP = '%Y%m%d-%H%M%S'
#: Disk space of a run, and of each second of its missions, in bytes: one of 192 s left 30 MB,
#: including pictures and film.
_LEAST_BYTES, _BYTES_PER_S = 15_000_000, 160_000


@dataclass(frozen=True)
class RunFolder:
    """The files of a mission.

    Attributes:
        folder: of the mission.
        memory_db: file of a memory that outlives the mission; None for one of its own.
    """

    folder: Path
    memory_db: Path | None = None

    @property
    def journals(self) -> Path:
        """The journals of the nodes, with the blobs."""
        return self.folder / 'journal'

    @property
    def memory(self) -> Path:
        """The file of the memory."""
        return (self.memory_db or self.folder / 'memory.sqlite').absolute()

    @property
    def requests(self) -> Path:
        """The log of the requests to the model."""
        return self.folder / 'requests'

    @property
    def logs(self) -> Path:
        """The output of the processes."""
        return self.folder / 'log'


def room_bytes(limit_s: float) -> int:
    """The free space that missions with a total time limit need."""
    return _LEAST_BYTES + round(_BYTES_PER_S * limit_s)


def check_room(folder: Path, needed_bytes: int) -> None:
    """Check that the disk of a folder, which need not exist yet, has room for a run.

    Raises:
        ConfigError: it has not.
    """
    free = shutil.disk_usage(first_there(folder)).free
    if free < needed_bytes:
        raise ConfigError(f'a run of that length may need {needed_bytes / 1e6:.0f} MB, and only '
                          f'{free / 1e6:.0f} MB are free where {folder} lies: make room, or '
                          'shorten it with --timeout')


def new_folder(folder: Path) -> Path:
    """Make a folder, or accept an empty one, and return it.

    Raises:
        ConfigError: it is not empty, or cannot be made.
    """
    check_new(folder)
    _make(folder, exist_ok=True)
    return folder


def folder_of_this_run(parent: Path, tell: Callable[[str], None] | None = None) -> Path:
    """Make a folder named by the time in a parent folder, and let the link `latest` point to it.

    Args:
        parent: the parent folder.
        tell: gets a sentence if the link cannot be made; the run goes on without it.

    Raises:
        ConfigError: the folder cannot be made.
    """
    check_writable(parent)
    _make(parent, exist_ok=True)
    stamp = time.strftime(_STAMP)
    for again in count(1):
        folder = parent / (stamp if again == 1 else f'{stamp}-{again}')
        if not os.path.lexists(folder):
            _make(folder, exist_ok=False)
            break
    hindrance = _link(parent / LATEST, folder.name)
    if hindrance and tell is not None:
        tell(f'{parent / LATEST} does not lead to this run: {hindrance}')
    return folder


def _make(folder: Path, *, exist_ok: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
    except OSError as error:
        raise ConfigError(f'{folder} cannot be made: {error.strerror}') from error


def _link(link: Path, target: str) -> str:
    """Let a link point to a target atomically; a file that is not a link is kept.

    Returns:
        The obstacle; empty for none.
    """
    if link.exists() and not link.is_symlink():
        return 'it is no link, and is kept'
    beside = link.with_name(f'.{target}-{os.getpid()}')
    try:
        beside.symlink_to(target)
        beside.replace(link)
    except OSError as error:
        # Some file systems have no links.
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        return f'it cannot be made, {error.strerror}'
    return ''
