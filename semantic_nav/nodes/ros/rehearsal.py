"""Rehearsal of a look after the start, without a picture, before a goal needs one."""

from collections.abc import Callable
from typing import Any

from sensor_msgs.msg import CameraInfo, LaserScan

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.depth import LookFreezer, Tell
from semantic_nav.nodes.ros.hearing import PICTURES, Hearing, Kinds, why_silent, wish_for
from semantic_nav.nodes.ros.verifier_wiring import VerifierWiring
from semantic_nav.verify.effects import FreezeLook

_CHECK_S = 0.2
#: Longest wait for the transforms of a stamp, in s.
_WAIT_S = 1.0


class Rehearsal:
    """Rehearsal of looks with live sensor data until one succeeds, reported as `proof`.

    The core gets none of it. The sensors are heard only until then.
    """

    def __init__(self, node: CoreNode, names: VerifierWiring,
                 make_freezer: Callable[[Tell], LookFreezer],
                 stamped: Callable[[str, int], None]) -> None:
        """Begin; it ends at the deactivation of the node.

        Args:
            node: owns the subscriptions.
            names: names of the sensors' topics.
            make_freezer: returns a freezer that reports each look to a function.
            stamped: takes topic and stamp of each message as it arrives, in ns.
        """
        self._stamped, self._names = stamped, names
        self._node, self._freezer = node, make_freezer(self._told)
        #: Newest message of each topic.
        self._newest: dict[str, Any] = {}
        self._measured = names.depth_topic or names.scan_topic
        self._calibration = names.camera_info_topic
        freezer = self._freezer
        sources: dict[str, tuple[Kinds, Callable[[Any], None]]] = {
            self._measured: (PICTURES, freezer.take_depth) if names.depth_topic else (
                LaserScan, freezer.take_scan),
            self._calibration: (CameraInfo, freezer.take_camera),
            names.depth_info_topic: (CameraInfo, freezer.take_depth_camera)}
        self._hearings = [
            Hearing(node, kind, topic, self._keeping(topic, take), wish_for(kind))
            for topic, (kind, take) in sources.items() if topic]
        self._trying = self._proved = False
        node.undo_with(lambda _: self._end(), None)
        node.steady_timer(_CHECK_S, self._check)
        self._report(Level.WARN, 'no look was tried since the start')

    def _keeping(self, topic: str, take: Callable[[Any], None]) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            self._stamped(self._node.resolve_topic_name(topic), stamp_ns(message.header.stamp))
            self._newest[topic] = message
            take(message)

        return keep

    def _check(self) -> None:
        if self._proved:
            self._end()
            return
        for hearing in self._hearings:
            hearing.adapt()
        absent = [topic for topic in (self._measured, self._calibration)
                  if topic not in self._newest]
        if self._trying:
            self._freezer.try_pending()
        elif absent:
            names = ', '.join(map(self._node.resolve_topic_name, absent))
            self._report(Level.WARN, 'no look was tried since the start: nothing has come on '
                         f'{names}: {"; ".join(why_silent(self._node, one) for one in absent)}')
        else:
            self._trying = True
            measured = self._newest.pop(self._measured).header
            # A picture names its frame itself; depth of the same view has the same frame.
            frame = self._newest[self._calibration].header.frame_id or (
                measured.frame_id if self._names.depth_topic else '')
            self._freezer.freeze(FreezeLook(
                'rehearsal', stamp_ns(measured.stamp), frame, _WAIT_S))

    def _told(self, level: Level, words: str) -> None:
        self._trying, self._proved = False, level is Level.OK
        self._report(level, 'a look was tried: what it measures fits together' if self._proved
                     else f'a look was tried: {words}')

    def _end(self) -> None:
        for hearing in self._hearings:
            hearing.destroy()
        self._hearings.clear()
        self._freezer.clear()

    def _report(self, level: Level, words: str) -> None:
        self._node.diagnostics.report('proof', level, words)
