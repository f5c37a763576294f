"""The recorder: writes the messages of the topics into an MCAP file; no mission needs it."""

import inspect
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import action_msgs.msg
import diagnostic_msgs.msg
import geometry_msgs.msg
import map_msgs.msg
import nav_msgs.msg
import rcl_interfaces.msg
import rclpy
import rosgraph_msgs.msg
import sensor_msgs.msg
import std_msgs.msg
import tf2_msgs.msg
import visualization_msgs.msg
from ament_index_python.packages import get_package_share_directory
from rclpy.node import Node
from rclpy.qos import QoSProfile

from semantic_nav.bringup.shutdown import ENDING
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.beginning import begin, make_executor
from semantic_nav.nodes.ros.clock import steady_timer
from semantic_nav.nodes.ros.core_log import logged_by
from semantic_nav.nodes.ros.diagnostics import Diagnostics
from semantic_nav.nodes.ros.message_definition import definition
from semantic_nav.nodes.ros.names import journal_folder, new_session
from semantic_nav.nodes.ros.offered_qos import offered_qos
from semantic_nav.nodes.ros.recorder_config import RecorderConfig
from semantic_nav.nodes.ros.recording import Recording

#: Period of the search for new topics, in s; messages before a topic is found are not recorded.
_SEEK_S = 0.2
#: Period of the flush to the file, in s.
_FLUSH_S = 1.0
#: Message types that are recorded, by name.
KINDS: dict[str, type] = {
    f'{module.__name__.replace(".", "/")}/{name}': kind
    for module in (action_msgs.msg, diagnostic_msgs.msg, geometry_msgs.msg, map_msgs.msg,
                   nav_msgs.msg, rcl_interfaces.msg, rosgraph_msgs.msg, sensor_msgs.msg,
                   std_msgs.msg, tf2_msgs.msg, visualization_msgs.msg)
    for name, kind in inspect.getmembers(module, inspect.isclass)}
#: Types of which a robot sends more messages than are needed, or fit on the disk.
_LARGE = ('sensor_msgs/msg/Image', 'sensor_msgs/msg/PointCloud2')


@dataclass
class _Heard:
    """A topic under recording.

    Attributes:
        kind: type of its messages.
        channel: its channel in the recording.
        period_s: period in which one message is recorded; 0: every message.
        due_s: time of the next recorded message, on the steady clock in s.
        profile, subscription: the current subscription and its QoS.
    """

    kind: str
    channel: int
    period_s: float
    due_s: float = 0.0
    profile: QoSProfile | None = None
    subscription: Any = None


class RecorderNode(Node):
    """Recorder of the robot's topics of a standard type, each message as it came.

    Parameters: `RecorderConfig`.
    Subscribes: the topics of its namespace, and `global_topics`.
    Publishes: /diagnostics.

    Raises:
        ConfigError: a parameter is not valid.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__('recorder', **kwargs)
        parameters.declare(self, RecorderConfig, read_only=True)
        config = parameters.read(self, RecorderConfig)
        self._prefix = f'{self.get_namespace().rstrip("/")}/'
        self._global, self._left_out = (
            {self.resolve_topic_name(name.strip()) for name in names.split(',') if name.strip()}
            for names in (config.global_topics, config.left_out))
        self._picture_period_s = config.picture_period_s
        self._heard: dict[str, _Heard] = {}
        self._diagnostics = Diagnostics(self)
        path = journal_folder(config.journal_dir) / new_session() / 'recorder.mcap'
        self._recording = Recording(path, config.max_mb, config.keep_free_mb,
                                    lambda: shutil.disk_usage(path.parent).free)
        self._rounds = [steady_timer(self, _SEEK_S, self._seek),
                        steady_timer(self, _FLUSH_S, self._go_on)]
        self._go_on()

    def close(self) -> None:
        """End the recording."""
        self._recording.end('the recorder ends')

    def _seek(self) -> None:
        """Begin to record new topics."""
        for topic, kinds in self.get_topic_names_and_types():
            if topic in self._heard or not self._is_ours(topic) or len(kinds) != 1:
                continue
            kind, writers = kinds[0], self._writers(topic)
            if kind not in KINDS or not writers:
                continue
            self._heard[topic] = _Heard(
                kind, self._recording.add_topic(topic, kind, definition(kind, _read),
                                                offered_qos(writers)),
                self._picture_period_s if kind in _LARGE else 0.0)
            self._adapt(topic, self._heard[topic], writers)

    def _is_ours(self, topic: str) -> bool:
        return topic not in self._left_out and (
            topic.startswith(self._prefix) or topic in self._global)

    def _writers(self, topic: str) -> list[QoSProfile]:
        return [one.qos_profile for one in self.get_publishers_info_by_topic(topic)]

    def _adapt(self, topic: str, heard: _Heard, writers: list[QoSProfile]) -> None:
        """Subscribe so that all current writers of a topic are heard."""
        profile = qos.weakest(qos.STATE, writers)
        if not writers or profile == heard.profile:
            return
        if heard.subscription is not None:
            self.destroy_subscription(heard.subscription)
        heard.profile, heard.subscription = profile, self.create_subscription(
            KINDS[heard.kind], topic, lambda message: self._take(heard, message),
            qos.recording(profile), raw=True)

    def _take(self, heard: _Heard, message: bytes) -> None:
        now_s = time.monotonic()
        if now_s < heard.due_s:
            return
        heard.due_s = now_s + heard.period_s
        self._recording.write(heard.channel, self.get_clock().now().nanoseconds, message)
        if self._recording.ended:
            self._stop()

    def _go_on(self) -> None:
        for topic, heard in self._heard.items():
            self._adapt(topic, heard, self._writers(topic))
        self._recording.flush()
        if self._recording.ended:
            self._stop()
        else:
            self._tell(Level.OK, f'written to {self._recording.path}')

    def _stop(self) -> None:
        """Unsubscribe from all topics: unused pictures need not be sent."""
        for timer in self._rounds:
            timer.cancel()
        for heard in self._heard.values():
            self.destroy_subscription(heard.subscription)
        self._heard.clear()
        self._tell(Level.WARN, f'{self._recording.path} has ended: {self._recording.ended}')

    def _tell(self, level: Level, words: str) -> None:
        self._diagnostics.report('recording', level, words, topics=len(self._heard))


def _read(package: str, name: str) -> str:
    return Path(get_package_share_directory(package), 'msg', f'{name}.msg').read_text('utf-8')


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return 0 then, 1 if a parameter is wrong."""
    begin(args)
    with ExitStack() as end:
        end.callback(ENDING.over)
        end.callback(rclpy.shutdown)
        try:
            node = RecorderNode()
        except ConfigError as error:
            rclpy.logging.get_logger('recorder').fatal(str(error))
            return 1
        end.callback(node.destroy_node)
        end.enter_context(logged_by(node))
        executor = make_executor()
        end.callback(executor.shutdown)
        end.callback(node.close)
        executor.add_node(node)
        while not ENDING.asked:
            executor.spin_once(timeout_sec=0.5)
    return 0


if __name__ == '__main__':
    sys.exit(main())
