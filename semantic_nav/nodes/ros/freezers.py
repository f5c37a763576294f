"""Freezers of all cameras: each look is frozen by the freezer of its camera."""

from collections.abc import Callable, Sequence
from functools import partial

from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, LaserScan

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.camera_topics import CameraTopics
from semantic_nav.nodes.ros.depth import Answer, LookFreezer, Tell
from semantic_nav.nodes.ros.hearing import PICTURES
from semantic_nav.nodes.ros.sensors import Source
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import LookNotFrozen
from semantic_nav.verify.floor.surroundings import DEPTH


class Freezers:
    """Dispatcher of looks to the freezers of their cameras; it also reports the other mounts.

    Attributes:
        sources: topics of all cameras; the core watches the depth of the first.
    """

    def __init__(self, cameras: Sequence[CameraTopics],
                 make: Callable[[CameraTopics], LookFreezer], answer: Answer,
                 tell: Tell) -> None:
        """Begin with no mount reported.

        Args:
            cameras: all cameras, the first one first.
            make: makes the freezer of a camera.
            answer: gets the events.
            tell: takes level and words of the state of depth and camera.
        """
        self._by_name = {camera.name: make(camera) for camera in cameras}
        self._others = cameras[1:]
        self._answer, self._say = answer, tell
        self._told: set[str] = set()
        #: Reasons why the mount of a camera is unknown, by camera name.
        self._unplaced: dict[str, str] = {}
        self.sources = tuple(
            source for camera in cameras for source in self._sources_of(
                camera, is_first=camera is cameras[0]))

    def _sources_of(self, camera: CameraTopics, *, is_first: bool) -> tuple[Source, ...]:
        freezer = self._by_name[camera.name]
        take_info = freezer.take_camera if is_first else partial(self._take_camera, camera.name)
        return ((PICTURES, camera.depth, DEPTH if is_first else '', freezer.take_depth),
                (CameraInfo, camera.info, '', take_info),
                (CameraInfo, camera.depth_info, '', freezer.take_depth_camera))

    def freeze(self, effect: FreezeLook) -> None:
        """Answer now, or at the latest when the wait of the look is over.

        A sole camera takes each look, as its name tells nothing. Of several, each takes its own,
        and a look through an unknown camera counts as without depth.
        """
        name = effect.camera if self._others else next(iter(self._by_name))
        freezer = self._by_name.get(name)
        if freezer is not None:
            freezer.freeze(effect)
            return
        reason = (f'the verifier knows no camera {name!r}, only {", ".join(self._by_name)}: give '
                  'camera_name and other_cameras the values that they have in the hypothesis node')
        self._say(Level.ERROR, reason)
        self._answer(LookNotFrozen(effect.look_id, reason))

    def state(self, node: Node) -> tuple[Level, str]:
        """State of the other cameras: topics without a publisher, cameras without a mount."""
        topics = [node.resolve_topic_name(topic) for camera in self._others
                  for topic in (camera.depth, camera.info) if topic]
        silent = [topic for topic in topics if not node.count_publishers(topic)]
        if silent:
            return Level.WARN, f'waiting for {", ".join(silent)}'
        unplaced = '; '.join(f'{name}: {reason}' for name, reason in self._unplaced.items())
        return (Level.WARN, unplaced) if unplaced else (Level.OK, 'offered')

    def take_scan(self, message: LaserScan) -> None:
        """Keep a scan, if there is no depth camera."""
        for freezer in self._by_name.values():
            freezer.take_scan(message)

    def try_pending(self) -> None:
        """Try every open look again."""
        for freezer in self._by_name.values():
            freezer.try_pending()

    def clear(self) -> None:
        """Forget everything."""
        self._told.clear()
        self._unplaced.clear()
        for freezer in self._by_name.values():
            freezer.clear()

    def _take_camera(self, name: str, message: CameraInfo) -> None:
        freezer = self._by_name[name]
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
