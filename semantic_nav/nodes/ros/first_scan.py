"""First scans after the start, by which the scanner is checked before a mission needs it."""

from sensor_msgs.msg import LaserScan

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.hearing import Hearing
from semantic_nav.nodes.ros.scans import judge_scan
from semantic_nav.verify.floor.surroundings import SCAN

_CHECK_S = 0.5


class FirstScan:
    """Listener until a scan measured something; it reports the state of the scanner.

    The core gets none of these scans.
    """

    def __init__(self, node: CoreNode, topic: str) -> None:
        """Begin to listen; it ends at the deactivation of the node."""
        self._node = node
        self._hearing = Hearing(node, LaserScan, topic, self._take, qos.IMAGES)
        self._came: list[LaserScan] = []
        node.undo_with(lambda _: self._hearing.destroy(), None)
        node.steady_timer(_CHECK_S, self._check)

    def _take(self, message: LaserScan) -> None:
        self._came.append(message)

    def _check(self) -> None:
        if not self._came:
            return
        # A scanner may send its layers or echoes in turn.
        fault = min((judge_scan(one).fault for one in self._came), key=bool)
        self._came.clear()
        self._node.diagnostics.report(SCAN, *((Level.WARN, fault) if fault
                                              else (Level.OK, 'heard')))
        if not fault:
            self._hearing.destroy()
