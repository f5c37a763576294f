"""The memory node: remembers places, and offers candidates for the goal."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from visualization_msgs.msg import MarkerArray

from semantic_nav.contracts.core import Core, Effect
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.memory.backend import MemoryBackend
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.core import MemoryCore
from semantic_nav.memory.events import (
    READS,
    RECORD_KINDS,
    WRITES,
    Embed,
    ForgetPlace,
    HidePlace,
    LoadStore,
    SavePlace,
    ShowPlaces,
)
from semantic_nav.memory.store_url import check_url
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.ros.memory_file import default_memory
from semantic_nav.nodes.ros.memory_markers import PlaceMarkers
from semantic_nav.nodes.ros.memory_worker import MemoryWorker
from semantic_nav.nodes.ros.names import PREFIX

_SHOW_S = 1.0
#: Longest time for the last writes when the node is stopped, in s.
_FAREWELL_S = 2.0


class MemoryNode(CoreNode):
    """Shell of the memory core.

    Parameters: `MemoryConfig`, `ShellConfig`.
    Subscribes: pose, observation, hypothesis, step, belief, query.
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

    def read_config(self) -> MemoryConfig:
        """Configuration, with the default database if none is named."""
        config: MemoryConfig = super().read_config()
        if not config.memory_db:
            config = replace(config, memory_db=str(self._default_file()))
        check_url(config.memory_db)
        return config

    def _default_file(self) -> Path:
        file, shared = default_memory(self.get_namespace()), default_memory('')
        if not file.exists() and shared.exists():
            self.get_logger().warning(
                f'the memory of this namespace is the new {file}; places of before may lie in '
                f'{shared}, which robots of all namespaces once shared: copy it to keep them, '
                'while no memory is running')
        return file.absolute()

    def make_core(self, config: MemoryConfig, session: str, seed: int) -> Core:
        """The memory core."""
        self._config = config
        return MemoryCore(config, session, seed)

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Handlers of the effects of the core; the worker has those that may take long."""
        return {LoadStore: self._work, Embed: self._work, SavePlace: self._work,
                ForgetPlace: self._work, ShowPlaces: self._take_places,
                HidePlace: lambda effect: self._markers.hide(effect.place_id)}

    def activated(self) -> None:
        """Begin to load embedder and store, in a thread of their own."""
        self.diagnostics.report('embedder', Level.WARN, f'loading {self._config.embedder}')
        self.diagnostics.report('store', Level.WARN, f'opening {self._config.memory_db}')
        self._worker = MemoryWorker(
            MemoryBackend(self._config.memory_db, self._config.embedder), self.post)
        self.undo_with(self._stop_worker, self._worker)
        self._publisher = self.undo_with(self.destroy_publisher, self.create_publisher(
            MarkerArray, f'{PREFIX}/markers/places', qos.STATE))
        self._markers = PlaceMarkers(self._config.map_frame)
        self.steady_timer(_SHOW_S, self._show)
        self._show()

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

    def _take_places(self, effect: ShowPlaces) -> None:
        self._markers.take(effect)

    def _show(self) -> None:
        """Publish the place markers if they have changed."""
        message = self._markers.changed(self.get_clock().now().nanoseconds)
        if message is not None:
            self._publisher.publish(message)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(MemoryNode, args)


if __name__ == '__main__':
    sys.exit(main())
