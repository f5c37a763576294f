"""The operator page's node: a client of the graph, which no mission depends on."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.context import Context
from rclpy.task import Future
from visualization_msgs.msg import MarkerArray

from semantic_nav.belief.events import REQUESTS
from semantic_nav.belief.mission_record import MAKE_SURE
from semantic_nav.bringup.shutdown import ENDING
from semantic_nav.client.mission_client import CANCELLED_S, HOME
from semantic_nav.contracts.documents import Document, Look, ToolReply
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.advice import advice, here
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.beginning import begin, make_executor
from semantic_nav.nodes.ros.clock import steady_timer
from semantic_nav.nodes.ros.conversions import grid_of
from semantic_nav.nodes.ros.core_log import logged_by
from semantic_nav.nodes.ros.hearing import Hearing
from semantic_nav.nodes.ros.mission_client_node import MissionRequest, OperatorNode
from semantic_nav.nodes.ros.names import PREFIX
from semantic_nav.nodes.ros.queries import Queries
from semantic_nav.operator.camera_feed import CameraFeed
from semantic_nav.operator.config import OperatorConfig
from semantic_nav.operator.desk import Desk
from semantic_nav.operator.heard import MapShown, Statement
from semantic_nav.operator.model_switch import ModelSwitch
from semantic_nav.operator.places import TOOLS, PlaceDesk, places_of
from semantic_nav.operator.serving import Serving
from semantic_nav.operator.standing import Command
from semantic_nav.operator.wish import Wish

_SCHEMAS = ('belief', 'step', 'look', 'hypothesis', 'observation', 'verdict', 'pose',
            'candidates', 'reply')
_WISHES_S, _LISTENS_S = 0.05, 0.5
#: Shortest time between two updates of a growing map, in s.
_MAP_S = 1.0
#: Request that starts each kind of mission.
_BEGINNINGS: dict[Command, Callable[[OperatorNode, Wish], MissionRequest]] = {
    Command.GOAL: lambda node, wish: node.find(wish.words),
    Command.GO: lambda node, wish: node.go(wish.place), Command.TOUR: lambda node, _: node.tour()}


class OperatorPage:
    """Feeds the desk from the topics, and fulfils the wishes of the operator.

    Parameters: `OperatorConfig`.
    Subscribes: the documents, `map`, `semantic_nav/markers/places`, /diagnostics; the
        camera while a page is open.
    Publishes: `semantic_nav/answer`, `semantic_nav/query`.
    Calls: the action and the services of the belief; to switch the model, change_state and
        set_parameters of the hypothesis node.

    Attributes:
        node: of the graph.
        config: its parameters.
    """

    def __init__(self, context: Context | None = None, namespace: str = '') -> None:
        """Join the graph.

        Raises:
            ConfigError: a parameter cannot be used.
        """
        began_s = time.monotonic()
        self.desk = Desk(lambda: time.monotonic() - began_s)
        self.node = OperatorNode(self._on_document, context, namespace, name='operator',
                                 schemas=_SCHEMAS)
        parameters.declare(self.node, OperatorConfig, read_only=True)
        self.config = parameters.read(self.node, OperatorConfig)
        self._map_due_s = 0.0
        self._map: GridMessage | None = None
        # Requests that the belief has not answered, each with its deadline.
        self._requests: list[tuple[Future, Wish, float]] = []
        node = self.node
        self._camera = CameraFeed(node, self.config.image_topic, self.desk)
        self._model = ModelSwitch(node)
        self._queries = Queries(node)
        self._places = PlaceDesk(self._queries)
        self._map_hearing = Hearing(node, GridMessage, self.config.map_topic, self._on_map)
        node.create_subscription(
            MarkerArray, f'{PREFIX}/markers/places', self._on_places, qos.STATE)
        node.create_subscription(
            DiagnosticArray, '/diagnostics', self._on_diagnostics, qos.EVENTS)
        self._timers = [steady_timer(node, _WISHES_S, self._on_time),
                        steady_timer(node, _LISTENS_S, self._on_slow_time)]

    # Subscriptions

    def _on_document(self, document: Document) -> None:
        body = document.body
        if isinstance(body, ToolReply):
            self._places.take(document.cause_id, body)
            return
        if isinstance(body, Look) and body.taken:
            self._camera.keep_look(document)
        self.desk.hear(document)

    def _on_map(self, message: GridMessage) -> None:
        self._map = message

    def _show_map(self) -> None:
        message, self._map = self._map, None
        if message is None:
            return
        try:
            grid = grid_of(message)
        except ValueError as error:
            self.node.get_logger().warning(f'the map is not shown: {error}',
                                           throttle_duration_sec=60.0)
            return
        self.desk.hear(MapShown(f'{grid.stamp_ns}', _returning(grid)))

    def _on_places(self, message: MarkerArray) -> None:
        self.desk.hear(places_of(message))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        prefix = self.node.get_namespace().strip('/')
        for one in message.status:
            if one.hardware_id != 'semantic_nav':
                continue
            path, _, subject = one.name.partition(': ')
            namespace, _, name = path.rpartition('/')
            if namespace == prefix:
                self.desk.hear(Statement(
                    name, subject, Level(min(one.level[0], Level.ERROR)), one.message,
                    tuple((value.key, value.value) for value in one.values),
                    here(advice(name, subject))))

    # Wishes

    def _on_time(self) -> None:
        for wish in self.desk.wanted():
            self._fulfil(wish)
        now_s = time.monotonic()
        if self._map is not None and now_s >= self._map_due_s:
            self._map_due_s = now_s + _MAP_S
            self._show_map()
        self._places.look_after(now_s)
        waiting, self._requests = self._requests, []
        for answer, wish, until_s in waiting:
            if answer.done():
                wish.tell(answer.result().success, answer.result().message, None)
            elif now_s > until_s:
                wish.tell(False, f'the belief node did not answer; {MAKE_SURE}', None)
            else:
                self._requests.append((answer, wish, until_s))
        self._model.go_on()
        self._camera.listen(self.desk.pages > 0)

    def _on_slow_time(self) -> None:
        self._map_hearing.adapt()
        self.desk.listens(self.node.heard, self._queries.heard)

    def _fulfil(self, wish: Wish) -> None:
        now_s = time.monotonic()
        if wish.deed in (Command.NAME, Command.FORGET) and (
                not self.desk.permits(wish.deed)):
            wish.tell(False, 'the memory does not answer; is its node started and active?', None)
        elif wish.deed in TOOLS:
            self._places.ask(wish, now_s)
        elif wish.deed is Command.MODEL:
            self._switch(wish)
        elif not self.node.heard:
            wish.tell(False, 'no belief node listens', None)
        elif wish.deed is Command.GO:
            self._go(wish, now_s)
        elif wish.deed in _BEGINNINGS:
            self._begin(wish)
        elif wish.deed is Command.ANSWER:
            self.node.answer(wish.words)
            wish.tell(True, 'answered', None)
        elif wish.deed in REQUESTS:
            self._request(wish)

    def _go(self, wish: Wish, now_s: float) -> None:
        """Send the robot to a place, if the memory knows it."""
        def known(is_known: bool, words: str, _: ToolReply | None) -> None:
            if is_known:
                self._begin(wish)
            else:
                cure = f'; “Name here” calls the place here {HOME}' if wish.place == HOME else ''
                wish.tell(False, f'the robot was sent nowhere: {words}{cure}', None)

        self._places.ask(Wish(Command.DESCRIBE, '', known, wish.place), now_s)

    def _begin(self, wish: Wish) -> None:
        """Start a mission, unless it would end one that the operator may not know of."""
        goal_id, goal = self.desk.in_hand
        if goal_id and wish.ends != goal_id:
            wish.tell(False, f'this ends “{goal}”, which is under way: say so, and ask again',
                      None)
            return
        _BEGINNINGS[wish.deed](self.node, wish)
        wish.tell(True, 'said', None)

    def _request(self, wish: Wish) -> None:
        """Send a request to the belief, with a deadline, as the belief may be gone."""
        answer, until_s = self.node.request(wish.deed), time.monotonic() + CANCELLED_S
        self._requests.append((answer, wish, until_s))

    def _switch(self, wish: Wish) -> None:
        model = wish.words.strip()
        if model and self.desk.permits(Command.MODEL):
            self._model.begin(model, lambda done, words: wish.tell(done, words, None))
        else:
            wish.tell(False, 'a model is switched by its name, and only while no step is open: '
                             'pause the mission first', None)


def _returning(value: Any) -> Callable[[], Any]:
    return lambda: value


@contextmanager
def served(page: OperatorPage) -> Iterator[Serving]:
    """Serve the page for a block.

    Raises:
        ConfigError: the port is not available, or the address needs a token that is not set.
    """
    with Serving(page.desk, page.config) as serving:
        page.node.get_logger().info(f'the operator page is at {serving.url}')
        yield serving


def main(args: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; the exit code is 0, or 1 if a parameter is wrong."""
    begin(args)
    with ExitStack() as end:
        end.callback(ENDING.over)
        end.callback(rclpy.shutdown)
        try:
            page = OperatorPage()
            end.callback(page.node.destroy_node)
            end.enter_context(logged_by(page.node))
            end.enter_context(served(page))
        except ConfigError as error:
            rclpy.logging.get_logger('operator').fatal(str(error))
            return 1
        executor = make_executor()
        end.callback(executor.shutdown)
        executor.add_node(page.node)
        while not ENDING.asked:
            executor.spin_once(timeout_sec=0.5)
    return 0


if __name__ == '__main__':
    sys.exit(main())
