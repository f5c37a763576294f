"""Check of the running robot: our nodes, their diagnostics, topics and parameters, Nav2."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.qos import QoSCompatibility, qos_check_compatible
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.utilities import get_rmw_implementation_identifier

from semantic_nav.contracts.vocabulary import NODES, Level
from semantic_nav.doctor.advice import OF_ANY, advice
from semantic_nav.doctor.agreement import agreement, names_by_node
from semantic_nav.doctor.asking import parameters_of
from semantic_nav.doctor.cameras import camera_findings
from semantic_nav.doctor.finding import Finding, good, missing
from semantic_nav.doctor.local_costmap import local_costmap
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.middleware import judged

#: Optional nodes, which may be missing.
_WHERE_WANTED = ('recorder',)
#: Time to listen, in s; each entry is published once a second.
_LISTEN_S = 4.0
_NAVIGATOR, _TIMEOUT = 'bt_navigator', 'default_server_timeout'
_GOALS = 'navigate_to_pose/_action/send_goal'
#: Timeout below which a loaded computer loses acknowledgements of Nav2's servers, in ms.
_LEAST_TIMEOUT_MS = 200


@dataclass(frozen=True)
class _Entry:
    level: int
    message: str


class RobotDoctor(Node):  # type: ignore[misc]
    """Listens for some seconds; it publishes nothing."""

    def __init__(self, namespace: str = '', **options: object) -> None:
        """Check the robot of a namespace."""
        super().__init__('semantic_nav_doctor', namespace=namespace, **options)
        self._entries: dict[tuple[str, str], _Entry] = {}
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics,
                                 qos.EVENTS)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self)

    def findings(self, listen_s: float = _LISTEN_S) -> list[Finding]:
        """The findings about the robot, after listening for some seconds."""
        until_s = time.monotonic() + listen_s
        while time.monotonic() < until_s:
            self._executor.spin_once(timeout_sec=0.1)
        present = Counter(name for name, where in self.get_node_names_and_namespaces()
                          if where == self.get_namespace())
        nodes = (*NODES, *(one for one in _WHERE_WANTED if present[one]))
        return [*(finding for node in nodes for finding in self._of_node(node, present[node])),
                *self._agreement(present),
                *camera_findings(self, self._executor),
                middleware(one.message for (_, entry), one in self._entries.items()
                           if entry == 'middleware'), self._nav2(),
                *local_costmap(self, has_depth=self._has_depth)]

    def close(self) -> None:
        """Release the executor and the node."""
        self._executor.shutdown()
        self.destroy_node()

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.hardware_id == 'semantic_nav':
                where, _, entry = status.name.partition(': ')
                namespace, _, node = f'/{where}'.rpartition('/')
                if (namespace or '/') == self.get_namespace():
                    self._entries[node, entry] = _Entry(status.level[0], status.message)

    def _of_node(self, node: str, count: int) -> Iterator[Finding]:
        if not count:
            yield missing(node)
            return
        if count > 1:
            yield Finding(Level.ERROR, node, f'{count} of that name are there, or one was killed '
                          'some seconds ago', 'end all but one')
        said = {entry: one for (of, entry), one in self._entries.items() if of == node}
        if not said:
            yield Finding(Level.ERROR, node, 'it says nothing on /diagnostics: it is not '
                          'configured, or it hangs',
                          f'ros2 lifecycle get {node}, and its log; then restart it')
        bad = {entry: one for entry, one in said.items() if one.level}
        for entry, one in sorted(bad.items()):
            yield Finding(Level(min(one.level, Level.ERROR)), f'{node}: {entry}', one.message,
                          advice(node, entry))
        topics = list(self._of_topics(node))
        yield from topics
        if said and not bad and not topics:
            yield good(node, f'all is well ({len(said)} entries on /diagnostics)')

    def _of_topics(self, node: str) -> Iterator[Finding]:
        """Yield findings about subscribed topics of a node whose publishers do not match."""
        where = self.get_namespace()
        try:
            heard = self.get_subscriber_names_and_types_by_node(node, where)
        except NodeNameNonExistentError:
            # It has ended since it was counted.
            yield missing(node)
            return
        for topic, _ in heard:
            readers = [one for one in self.get_subscriptions_info_by_topic(topic)
                       if (one.node_name, one.node_namespace) == (node, where)]
            for writer in self.get_publishers_info_by_topic(topic):
                # One of the readers may be there for this very writer.
                faults = [self._misfit(writer, reader) for reader in readers]
                if faults and all(faults):
                    yield Finding(Level.ERROR, f'{node}: {topic}', faults[0],
                                  'change that publisher, or name another topic')

    @staticmethod
    def _misfit(writer: TopicEndpointInfo, reader: TopicEndpointInfo) -> str:
        if writer.topic_type != reader.topic_type:
            return (f'{writer.node_name} publishes {writer.topic_type}, and {reader.topic_type} '
                    'is heard')
        fits, why = qos_check_compatible(writer.qos_profile, reader.qos_profile)
        return (f'{writer.node_name} publishes with a QoS that does not fit: {why}'
                if fits == QoSCompatibility.ERROR else '')

    def _nav2(self) -> Finding:
        names = [name for name, where in self.get_node_names_and_namespaces()
                 if where == self.get_namespace()]
        if _NAVIGATOR not in names:
            served = self.resolve_service_name(_GOALS) in dict(self.get_service_names_and_types())
            return good('Nav2', f'navigate_to_pose is served, by no {_NAVIGATOR}') if served else (
                Finding(Level.ERROR, 'Nav2', f'there is no {_NAVIGATOR}', 'start Nav2'))
        told = parameters_of(self, self._executor, _NAVIGATOR, (_TIMEOUT,))
        if _TIMEOUT not in told:
            return Finding(Level.WARN, 'Nav2', f'{_NAVIGATOR} does not tell its parameters',
                           'see whether it hangs')
        timeout_ms = told[_TIMEOUT]
        if timeout_ms is None:
            return good('Nav2', f'{_NAVIGATOR} runs, and has no {_TIMEOUT}')
        if timeout_ms < _LEAST_TIMEOUT_MS:
            return Finding(Level.WARN, 'Nav2', f'{_TIMEOUT} of {_NAVIGATOR} is {timeout_ms} ms: a '
                           'loaded computer loses acknowledgements, and the robot may drive on',
                           f'set it to 1000 in the parameter file of {_NAVIGATOR}')
        return good('Nav2', f'{_NAVIGATOR} runs, {_TIMEOUT} is {timeout_ms} ms')

    def _has_depth(self) -> bool:
        """Tell whether the robot has a depth camera; True if the verifier does not answer."""
        topic = parameters_of(self, self._executor, 'verifier', ('depth_topic',))
        return topic.get('depth_topic') != ''

    def _agreement(self, present: Counter[str]) -> list[Finding]:
        return agreement({
            node: parameters_of(self, self._executor, node, names)
            for node, names in names_by_node().items() if present[node]})


def middleware(said: Iterable[str], own: str = '') -> Finding:
    """The finding about the middleware of this shell and of the nodes that it hears.

    Args:
        said: each heard node's report of its own, which begins with the name.
        own: name of this shell's; empty for the one in use.
    """
    own = own or get_rmw_implementation_identifier()
    others = sorted({words.split()[0] for words in said if words} - {own})
    if others:
        return Finding(Level.WARN, 'middleware', f'nodes run on {", ".join(others)}, and this '
                       f'shell on {own}: they may not hear each other',
                       f'export RMW_IMPLEMENTATION={others[0]}, everywhere the same')
    level, words = judged(own)
    return good('middleware', words) if level is Level.OK else (
        Finding(level, 'middleware', words, OF_ANY['middleware']))
