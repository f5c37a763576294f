"""The mission in hand on the disk: a belief node that is started anew takes it up from there."""

import json
import time
from pathlib import Path

from rclpy.node import Node

from semantic_nav.belief.events import RECORD_KINDS, KeepMission, MissionFound
from semantic_nav.belief.kept import Kept
from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.whole_file import write_whole

_BOOT_ID = Path('/proc/sys/kernel/random/boot_id')


class MissionFile:
    """One file for each belief node of a ROS domain, by its full name.

    The kernel keeps what was written when the process is killed; nothing is synced to the disk,
    for after a loss of power nobody should drive on by itself.
    """

    def __init__(self, path: Path) -> None:
        """Name the file, which need not be there."""
        self._path = path
        self._codec = RecordCodec(RECORD_KINDS, NoBlobs())
        self._kept: Kept | None = None

    def find(self) -> MissionFound | None:
        """Return the mission that an earlier belief left, and how long ago; None for none.

        Raises:
            OSError: the file cannot be read.
            ContractError: it is of another version, or damaged.
        """
        try:
            text = self._path.read_text(encoding='utf-8')
        except FileNotFoundError:
            return None
        try:
            value = json.loads(text)
            effect = self._codec.decode(value['effect'])
            away_s = seconds(time.monotonic_ns() - int(value['steady_ns'])) if (
                value['boot'] == _boot() != '') else None
        except (ValueError, KeyError, TypeError, ContractError) as error:
            raise ContractError(f'{self._path}: {error}') from error
        return MissionFound(effect.kept, away_s) if effect.kept is not None else None

    def keep(self, effect: KeepMission) -> None:
        """Keep a mission, or forget it.

        Raises:
            OSError: the file cannot be written.
        """
        self._kept = effect.kept
        if self._kept is None:
            self._path.unlink(missing_ok=True)
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self.refresh()

    def refresh(self) -> None:
        """Say that the mission is still cared for.

        Raises:
            OSError: the file cannot be written.
        """
        if self._kept is not None:
            write_whole(self._path, json.dumps({
                'boot': _boot(), 'steady_ns': time.monotonic_ns(),
                'effect': self._codec.encode(KeepMission(self._kept))}).encode())


def path_of(node: Node, folder: Path) -> Path:
    """Return the file of a node in a folder of such files."""
    name = node.get_fully_qualified_name().strip('/').replace('/', '.')
    return folder / f'{node.context.get_domain_id()}.{name}.json'


def _boot() -> str:
    """Return what tells one run of the computer from another, for its steady clock begins anew.

    Empty where the system does not tell.
    """
    try:
        return _BOOT_ID.read_text(encoding='ascii').strip()
    except OSError:
        return ''
