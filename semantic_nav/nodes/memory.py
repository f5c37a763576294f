"""The memory node: remembers places, and offers them for the goal."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visualization_msgs.msg import MarkerArray

from semantic_nav.contracts.core import Core, Effect
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.memory.backend import MemoryBackend
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.core import MemoryCore
from semantic_nav.memory.events import READS, RECORD_KINDS, WRITES, Embed, LoadStore, SavePlace
from semantic_nav.memory.saver import StoreState
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import PREFIX, CoreNode, ros_home
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.ros.memory_markers import place_markers
from semantic_nav.nodes.ros.memory_worker import MemoryWorker

_MAP_FRAME = 'map'
_REPORT_S = 1.0
#: How long the last writes may take when the node is stopped.
_FAREWELL_S = 2.0


class MemoryNode(CoreNode):
    """Shell of the memory.

    Parameters: `MemoryConfig`, `ShellConfig`.
    Subscribes: pose, observation, hypothesis, belief, query.
    Publishes: candidates, reply, markers/places.
    """

    config_class = MemoryConfig
    reads = READS
    writes = WRITES
    record_kinds = RECORD_KINDS

    def __init__(self, **kwargs: Any) -> None:
        """Declare the parameters."""
        super().__init__('memory', **kwargs)
        self._worker: MemoryWorker | None = None

    def make_core(self, config: MemoryConfig, session: str, seed: int) -> Core:
        """Return the core."""
        self._config = config
        self._core = MemoryCore(config, session, seed)
        return self._core

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Return what carries the effects out: all of them may take long."""
        return dict.fromkeys((LoadStore, Embed, SavePlace), self._work)

    def activated(self) -> None:
        """Begin to load embedder and store, in a thread of their own."""
        config = self._config
        path = Path(config.memory_db).expanduser() if config.memory_db else (
            ros_home() / PREFIX / 'memory.sqlite')
        self._backend = MemoryBackend(path, config.embedder)
        self._worker = MemoryWorker(self._backend, self.post)
        self.undo_with(self._stop_worker, self._worker)
        self._markers = self.undo_with(self.destroy_publisher, self.create_publisher(
            MarkerArray, f'{PREFIX}/markers/places', qos.STATE))
        self._shown_revision = -1
        self.steady_timer(_REPORT_S, self._report)
        self._report()

    def settled(self) -> bool:
        """Tell whether everything is written."""
        return self._worker is None or self._worker.idle

    def _work(self, effect: Effect) -> None:
        if self._worker is not None:
            self._worker.put(effect)

    def _stop_worker(self, worker: MemoryWorker) -> None:
        self._worker = None
        if not worker.stop(_FAREWELL_S):
            self.get_logger().warning('the memory was still busy when the node stopped')

    def _report(self) -> None:
        status = self._core.status
        match status.store:
            case StoreState.LOADING:
                self.diagnostics.report('store', Level.WARN, f'opening {self._backend.path}')
            case StoreState.FAILED:
                self.diagnostics.report('store', Level.ERROR, status.store_reason)
            case StoreState.READY if status.store_reason:
                self.diagnostics.report('store', Level.ERROR, status.store_reason,
                                        unsaved=status.unsaved)
            case StoreState.READY:
                self.diagnostics.report('store', Level.OK, f'open: {self._backend.path}')
        self._report_embedder(status.embedder)
        self.diagnostics.report(
            'places', Level.OK, 'remembered' if status.places else 'none yet',
            places=status.places, edges=status.edges, unembedded=status.unembedded,
            checked=status.checked, untrusted_looks=status.untrusted_looks)
        self._show()

    def _report_embedder(self, embedder: str) -> None:
        if not embedder:
            self.diagnostics.report('embedder', Level.WARN, f'loading {self._config.embedder}')
        elif self._backend.embedder_doubt:
            self.diagnostics.report('embedder', Level.WARN,
                                    f'{embedder} instead: {self._backend.embedder_doubt}')
        else:
            self.diagnostics.report('embedder', Level.OK, embedder)

    def _show(self) -> None:
        """Publish the places for people, when they have changed."""
        if self._core.revision != self._shown_revision:
            self._shown_revision = self._core.revision
            self._markers.publish(place_markers(
                self._core.places, self._core.edges, _MAP_FRAME,
                self.get_clock().now().nanoseconds))


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(MemoryNode, args)


if __name__ == '__main__':
    sys.exit(main())
