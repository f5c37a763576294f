"""Looks with each camera, frozen as by the verifier, and the faults that they show."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, LaserScan
from tf2_ros import Buffer, TransformListener

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.asking import parameters_of
from semantic_nav.doctor.finding import Finding, good
from semantic_nav.nodes.ros.camera_topics import CameraTopics, cameras_of
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.depth import LookFreezer
from semantic_nav.nodes.ros.hearing import PICTURES, Hearing, Kinds, why_silent, wish_for
from semantic_nav.nodes.ros.judging_buffer import JudgingBuffer
from semantic_nav.nodes.ros.pixels import pixels_of
from semantic_nav.nodes.ros.robot_pose import Frames
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import LookFrozen, LookNotFrozen
from semantic_nav.vlm.content import fault_of_content

_PICTURES_S, _FREEZE_S, _STEP_S = 4.0, 1.5, 0.1
_MEND = 'docs/troubleshooting.md, "The picture and its depth"'
_MEND_NAMES = 'give `camera_name` and `other_cameras` the same values in both nodes'
#: Parameters that name the cameras, in both nodes.
_NAMES = ('camera_name', 'other_cameras')
#: Parameters that each node is asked for.
_WIRING = {
    'verifier': ('depth_topic', 'camera_info_topic', 'depth_info_topic', 'scan_topic',
                 'image_is_rectified', 'depth_tolerance_s', 'map_frame', 'odom_frame',
                 'base_frame', 'footprint', 'footprint_topic', 'robot_radius', 'ground_min_m',
                 *_NAMES),
    'hypothesis': ('image_topic', *_NAMES)}


@dataclass
class _Trial:
    """Looks with one camera, until one is complete.

    Attributes:
        name, image: the camera, and its topic.
        freezer: the verifier's.
        damage: reason why the newest picture cannot be used.
        looks: number of looks begun.
        answers, told: result and remarks of each.
        hearings, silent: its topics, and those on which no message has come.
    """

    name: str
    image: str
    freezer: LookFreezer
    answers: list[Event]
    told: list[tuple[Level, str]]
    damage: str = ''
    looks: int = 0
    hearings: list[Hearing] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)

    @property
    def open(self) -> bool:
        """Tell whether the rest of a look is awaited."""
        return self.looks > len(self.answers)

    @property
    def frozen(self) -> bool:
        """Tell whether a look is complete."""
        return bool(self.answers) and isinstance(self.answers[-1], LookFrozen)

    def take(self, message: Image | CompressedImage) -> None:
        """Take a picture for a look, if it is usable and no look is complete or open."""
        if self.open or self.frozen:
            return
        try:
            rgb = pixels_of(message)
            if fault := fault_of_content(rgb):
                raise ValueError(fault)
        except ValueError as error:
            self.damage = f'a picture on {self.image} cannot be used: {error}'
            return
        height, width, _ = rgb.shape
        self.looks += 1
        self.freezer.freeze(FreezeLook(f'doctor-{self.looks}', stamp_ns(message.header.stamp),
                                       message.header.frame_id, _FREEZE_S, self.name, width,
                                       height))

    def finding(self, node: Node) -> Finding:
        """The finding about the camera; the node is asked who publishes."""
        about = f'camera {self.name}'
        if not self.answers and self.damage:
            return Finding(Level.ERROR, about, self.damage, _MEND)
        if not self.answers:
            return Finding(Level.ERROR, about, f'no picture came: {why_silent(node, self.image)}'
                           f'{_elsewhere(node, self.image)}', 'start it, or set `image_topic`')
        answer, (level, words) = self.answers[-1], self.told[-1]
        if isinstance(answer, LookNotFrozen):
            silent = [why_silent(node, topic) for topic in sorted(self.silent)]
            return Finding(Level.ERROR, about, '; '.join((answer.reason, *silent)), _MEND)
        assert isinstance(answer, LookFrozen)
        return Finding(level, about, words, _MEND) if level else good(about, _shown(answer))


def camera_findings(node: Node, executor: Executor) -> Iterator[Finding]:
    """Yield findings about the cameras that the nodes of a namespace listen to."""
    verifier, hypothesis = (
        parameters_of(node, executor, name, wanted) for name, wanted in _WIRING.items())
    if len(verifier) + len(hypothesis) < sum(map(len, _WIRING.values())):
        # A node that is missing or hangs is another finding.
        return
    try:
        yield from _difference(*(cameras_of(CameraTopics(wiring['camera_name']), wiring[
            'other_cameras']) for wiring in (verifier, hypothesis)))
        cameras = cameras_of(CameraTopics(
            hypothesis['camera_name'], hypothesis['image_topic'], verifier['depth_topic'],
            verifier['camera_info_topic'], verifier['depth_info_topic']),
            verifier['other_cameras'])
    except ConfigError as error:
        yield Finding(Level.ERROR, 'cameras', f'{error}', _MEND_NAMES)
        return
    buffer = JudgingBuffer()
    listener = TransformListener(buffer, node, spin_thread=False)
    trials = list(_trials(node, buffer, cameras, verifier))
    until_s = time.monotonic() + _PICTURES_S
    while not all(trial.frozen for trial in trials) and time.monotonic() < until_s + (
            _FREEZE_S if any(trial.looks == 1 and trial.open for trial in trials) else 0.0):
        executor.spin_once(timeout_sec=_STEP_S)
        for trial in trials:
            trial.freezer.try_pending()
            for hearing in trial.hearings:
                hearing.adapt()
    for trial in trials:
        for hearing in trial.hearings:
            hearing.destroy()
        yield trial.finding(node)
    listener.unregister()


def _difference(verifier: Sequence[CameraTopics], hypothesis: Sequence[CameraTopics],
                ) -> Iterator[Finding]:
    """Yield a finding if one of the nodes has several cameras, and the other not the same."""
    known, taken = ([camera.name for camera in cameras] for cameras in (verifier, hypothesis))
    is_sole = len(known) == len(taken) == 1
    if not is_sole and (known[0], {*known}) != (taken[0], {*taken}):
        yield Finding(
            Level.ERROR, 'cameras', f'the verifier knows {", ".join(known)}, and the hypothesis '
            f'node {", ".join(taken)}', _MEND_NAMES)


def _trials(node: Node, buffer: Buffer, cameras: Sequence[CameraTopics],
            wiring: Mapping[str, Any]) -> Iterator[_Trial]:
    frames = Frames(*(wiring[name].removeprefix('/') for name in (
        'map_frame', 'odom_frame', 'base_frame')))
    footprint = footprint_of(wiring['footprint'])
    # The verifier itself heeds the footprint of a topic.
    reach_m = math.inf if wiring['footprint_topic'] else (
        wiring['robot_radius'] if footprint is None else footprint.circumscribed_m)
    for camera in cameras:
        answers: list[Event] = []
        told: list[tuple[Level, str]] = []

        def tell(level: Level, words: str, told: list[tuple[Level, str]] = told) -> None:
            told.append((level, words))

        freezer = LookFreezer(
            buffer, frames, camera.depth and node.resolve_topic_name(camera.depth),
            wiring['depth_tolerance_s'], answers.append, tell,
            rectified=wiring['image_is_rectified'], apart=bool(camera.depth_info),
            reach_m=reach_m, nearest_m=wiring['ground_min_m'])
        trial = _Trial(camera.name, node.resolve_topic_name(camera.image), freezer, answers, told)
        sources: tuple[tuple[Kinds, str, Callable[[Any], None]], ...] = (
            (PICTURES, camera.image, trial.take), (PICTURES, camera.depth, freezer.take_depth),
            (CameraInfo, camera.info, freezer.take_camera),
            (CameraInfo, camera.depth_info, freezer.take_depth_camera),
            (LaserScan, '' if camera.depth else wiring['scan_topic'], freezer.take_scan))
        trial.silent = {topic for _, topic, _ in sources if topic}
        trial.hearings = [Hearing(node, kind, topic, _noted(trial, topic, take), wish_for(kind))
                          for kind, topic, take in sources if topic]
        yield trial


def _noted(trial: _Trial, topic: str, take: Callable[[Any], None]) -> Callable[[Any], None]:
    def note(message: Any) -> None:
        trial.silent.discard(topic)
        take(message)

    return note


def _elsewhere(node: Node, image: str) -> str:
    """Other topics with pictures, in words."""
    kinds = {'sensor_msgs/msg/Image', 'sensor_msgs/msg/CompressedImage'}
    topics = [topic for topic, types in node.get_topic_names_and_types()
              if kinds & set(types) and node.count_publishers(topic) and topic != image]
    return f'; pictures are published on {", ".join(topics[:8])}' if topics else ''


def _shown(look: LookFrozen) -> str:
    """Geometry of a good look, for people to compare with the robot."""
    camera, base_T_camera = look.intrinsics, look.odom_T_base.inverse() @ look.odom_T_camera
    x, _, z = base_T_camera.translation
    wide_deg = 2 * math.degrees(math.atan(camera.width_px / 2 / camera.fx))
    down_deg = -math.degrees(math.asin(max(-1.0, min(1.0, float(base_T_camera.matrix[2, 2])))))
    return (f'a look has its {"scan" if look.scan else "depth"}: {camera.width_px} x '
            f'{camera.height_px} pixels, {wide_deg:.0f} degrees wide; by TF it sits {z:.2f} m '
            f'high, {x:.2f} m ahead, and looks {abs(down_deg):.0f} degrees '
            f'{"down" if down_deg >= 0.0 else "up"}')
