"""File of the running mission, from which a restarted belief node takes it up."""

import json
import time
from pathlib import Path
from typing import Any

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
    """Mission file, one for each belief node of a ROS domain, by its full name.

    The kernel keeps what was written when the process is killed. Nothing is synced to the disk:
    after a loss of power no robot should drive on by itself.
    """

    def __init__(self, path: Path) -> None:
        """Name the file, which need not exist."""
        self._path = path
        self._codec = RecordCodec(RECORD_KINDS, NoBlobs())
        self._kept: Kept | None = None

    def find(self) -> MissionFound | None:
        """The mission that an earlier belief left, and how long ago; None if there is none.

        Raises:
            OSError: the file cannot be read.
            ContractError: the file is of another version, or damaged.
        """
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            value = json.loads(content)
            kept = self._kept_of(value['effect'])
            away_s = seconds(time.monotonic_ns() - int(value['steady_ns'])) if (
                value['boot'] == _boot() != '') else None
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError,
                ContractError) as error:
            raise ContractError(f'{self._path}: {error}') from error
        return MissionFound(kept, away_s) if kept is not None else None

    def _kept_of(self, value: Any) -> Kept | None:
        """The mission in a record.

        Raises:
            ContractError: it is another record, or does not fit.
            ValueError: it cannot be encoded: invalid text, or numbers that are not finite.
        """
        effect = self._codec.decode(value)
        if not isinstance(effect, KeepMission):
            raise ContractError(f'a mission was expected, not {type(effect).__name__}')
        json.dumps(self._codec.encode(effect), ensure_ascii=False, allow_nan=False).encode()
        return effect.kept

    def set_aside(self) -> None:
        """Rename the file, so that the next start finds nothing unless a mission is kept again.

        Raises:
            OSError: the file cannot be renamed.
        """
        self._path.replace(self._path.with_suffix('.aside'))

    def keep(self, effect: KeepMission) -> None:
        """Keep a mission, or forget it; if it cannot be kept, the earlier one is forgotten.

        The earlier one may be over or paused by now: it is better to take none up.

        Raises:
            OSError: the file cannot be written.
        """
        self._kept = effect.kept
        if self._kept is None:
            self._path.unlink(missing_ok=True)
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self.refresh()
        except OSError:
            self._path.unlink(missing_ok=True)
            raise

    def refresh(self) -> None:
        """Rewrite the file, as a sign that the mission still has an owner.

        Raises:
            OSError: the file cannot be written.
        """
        if self._kept is not None:
            write_whole(self._path, json.dumps({
                'boot': _boot(), 'steady_ns': time.monotonic_ns(),
                'effect': self._codec.encode(KeepMission(self._kept))}).encode())


def path_of(node: Node, folder: Path) -> Path:
    """File of a node in a folder of such files."""
    name = node.get_fully_qualified_name().strip('/').replace('/', '.')
    return folder / f'{node.context.get_domain_id()}.{name}.json'


def _boot() -> str:
    """Id of this run of the computer, because its steady clock restarts with it.

    Empty if the system has none.
    """
    try:
        return _BOOT_ID.read_text(encoding='ascii').strip()
    except OSError:
        return ''
