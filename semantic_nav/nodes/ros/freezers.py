"""Freezers of all cameras: each look is frozen by the freezer of its camera."""

from collections.abc import Callable, Mapping
from functools import partial

from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, LaserScan

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.depth import LookFreezer
from semantic_nav.nodes.ros.hearing import PICTURES
from semantic_nav.nodes.ros.other_cameras import camera_info_topic, depth_topic
from semantic_nav.nodes.ros.sensors import Source
from semantic_nav.verify.effects import FreezeLook


class Freezers:
    """Dispatcher of looks to the freezers of their cameras; it also reports the other mounts.

    Attributes:
        sources: topics of the other cameras, which the core does not watch.
    """

    def __init__(self, first: LookFreezer, others: Mapping[str, LookFreezer],
                 answer: Callable[[Event], None], *, depth: bool = True) -> None:
        """Begin with no mount reported.

        Args:
            first: freezer of the first camera, whatever its name.
            others: freezers of the other cameras, by name.
            answer: gets the events.
            depth: the cameras have depth.
        """
        self._first, self._others, self._answer = first, others, answer
        self._told: set[str] = set()
        #: Reasons why the mount of a camera is unknown, by camera name.
        self._unplaced: dict[str, str] = {}
        self.sources: tuple[Source, ...] = tuple(
            source for name, freezer in others.items() for source in (
                (PICTURES, depth_topic(name) if depth else '', '', freezer.take_depth),
                (CameraInfo, camera_info_topic(name), '', partial(self._take_camera, name))))

    def freeze(self, effect: FreezeLook) -> None:
        """Answer now, or at the latest when the wait of the look is over."""
        self._others.get(effect.camera, self._first).freeze(effect)

    def state(self, node: Node) -> tuple[Level, str]:
        """State of the other cameras: topics without a publisher, cameras without a mount."""
        topics = [node.resolve_topic_name(topic) for _, topic, _, _ in self.sources if topic]
        silent = [topic for topic in topics if not node.count_publishers(topic)]
        if silent:
            return Level.WARN, f'waiting for {", ".join(silent)}'
        unplaced = '; '.join(f'{name}: {reason}' for name, reason in self._unplaced.items())
        return (Level.WARN, unplaced) if unplaced else (Level.OK, 'offered')

    def take_scan(self, message: LaserScan) -> None:
        """Keep a scan, if there is no depth camera."""
        for freezer in (self._first, *self._others.values()):
            freezer.take_scan(message)

    def try_pending(self) -> None:
        """Try every open look again."""
        for freezer in (self._first, *self._others.values()):
            freezer.try_pending()

    def clear(self) -> None:
        """Forget everything."""
        self._told.clear()
        self._unplaced.clear()
        for freezer in (self._first, *self._others.values()):
            freezer.clear()

    def _take_camera(self, name: str, message: CameraInfo) -> None:
        freezer = self._others[name]
        freezer.take_camera(message)
        if name in self._told:
            return
        try:
            mounted = freezer.mounted(name)
        except LookupError as error:
            # TF may still come.
            self._unplaced[name] = f'{error}'.strip('\'"')
            return
        self._unplaced.pop(name, None)
        self._told.add(name)
        self._answer(mounted)
