"""A belief node that keeps the topics and tells what it is told to."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import rclpy
from executors import spun
from rclpy.context import Context
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
from std_srvs.srv import Trigger

from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import (
    NAMES,
    Belief,
    Body,
    Budgets,
    Document,
    PlaceDescription,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.names import meant
from semantic_nav.contracts.signs_of_life import BEAT_S, Sign
from semantic_nav.contracts.vocabulary import Outcome, Phase, QueryTool, Status
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.find_server import FindServer

NOBODY = Belief('', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', 'look',
                 Budgets(0.0, 900.0, 0, 120, 0.0, 300.0, 0, 20))
NAMESPACE = 'robot1'


class FakeBelief(Node):
    """Takes a goal up and then does what `react` says; a cancel always ends the mission."""

    def __init__(self, context: Context, react: Callable[['FakeBelief'], None],
                 namespace: str = '', session: str = 'x') -> None:
        super().__init__('belief', context=context, namespace=namespace)
        self._react = react
        self._session = session
        self._count = 0
        self.cancelled = 0
        self.told = NOBODY
        self.stands = True
        self.held = ''
        self.answers: list[str] = []
        self._destroyed = False
        self.listens = True
        self.refuses = False
        self._goal_ids: dict[str, str] = {}
        self._others: dict[str, Publisher] = {}
        self._publisher = self.create_publisher(String, 'semantic_nav/belief', qos.STATE)
        self._signs = self.create_publisher(String, 'semantic_nav/alive/belief', qos.ALIVE)
        self.create_timer(BEAT_S, lambda: self._signs.publish(
            String(data=Sign(1, session).text)))
        self.missions = FindServer(self, self._begin, self._end)
        self.create_timer(0.1, self.missions.look_after)
        self.create_subscription(String, 'semantic_nav/answer', self._on_answer, qos.EVENTS)
        self.create_service(Trigger, 'semantic_nav/cancel', self._on_cancel)
        self.create_service(Trigger, 'semantic_nav/pause', self._on_pause)
        self.create_service(Trigger, 'semantic_nav/resume', self._on_resume)

    def tell(self, **changes: object) -> None:
        self.told = replace(self.told, **changes)
        self._publish(self._publisher, self._document(self.told, 1))

    def say(self, body: Body, stamp_ns: int) -> None:
        """Say something of the mission in the name of another node."""
        name = NAMES[type(body)]
        if name not in self._others:
            self._others[name] = self.create_publisher(String, f'semantic_nav/{name}', qos.EVENTS)
        self._publish(self._others[name], self._document(body, stamp_ns))

    def _publish(self, publisher: Publisher, document: Document) -> None:
        publisher.publish(String(data=encode_document(document)))
        self.missions.take(document)

    def _document(self, body: Body, stamp_ns: int) -> Document:
        self._count += 1
        text = self.told.goal_text
        return Document(f'belief-{self._session}-{self._count}', '',
                        self._goal_ids.get(text, f'goal-{text}'), stamp_ns, 'map', body)

    def destroy_node(self) -> None:
        if not self._destroyed:
            self._destroyed = True
            self.missions.destroy()
        super().destroy_node()

    def finish(self, outcome: Outcome) -> None:
        self.tell(phase=Phase.FINISHED, outcome=outcome, reason='as told', question='',
                  stands=self.stands, pause_requested=False)

    def take_up(self, goal_id: str, goal_text: str, **changes: object) -> None:
        """Tell of a mission that another belief began."""
        self._goal_ids[goal_text] = goal_id
        self.tell(goal_text=goal_text, **changes)

    def _begin(self, goal: Goal) -> None:
        self._goal_ids[goal.text] = goal.id
        if self.refuses:
            # It says no more of a goal than that.
            self.tell(goal_text=goal.text, phase=Phase.FINISHED, outcome=Outcome.REFUSED,
                      reason='as told')
            return
        self.tell(goal_text=goal.text, phase=Phase.LOOKING, outcome=None, purpose=goal.purpose,
                  place=goal.place)
        self._react(self)

    def _end(self, goal_id: str) -> bool:
        del goal_id
        self.cancelled += 1
        self.finish(Outcome.CANCELLED)
        return True

    def _on_answer(self, message: String) -> None:
        self.answers.append(message.data)
        self.finish(Outcome.ARRIVED)

    def _on_cancel(self, request: Trigger.Request,
                   response: Trigger.Response) -> Trigger.Response:
        del request
        response.success = self._end('')
        return response

    def _on_pause(self, request: Trigger.Request,
                  response: Trigger.Response) -> Trigger.Response:
        del request
        response.success = not self.told.pause_requested
        response.message = 'accepted' if response.success else 'it is paused already'
        if response.success:
            self.tell(phase=Phase.PAUSED, reason='as told', stands=False,
                      pause_requested=True)
            self.tell(reason='as told; the robot stands', stands=True)
        return response

    def _on_resume(self, request: Trigger.Request,
                   response: Trigger.Response) -> Trigger.Response:
        del request
        phase, stands = (Phase.PAUSED, True) if self.held else (Phase.LOOKING, None)
        self.tell(phase=phase, reason=self.held or 'it was resumed', stands=stands,
                  pause_requested=False)
        response.success = True
        return response


class FakeMemory(Node):
    """Describes the places of some names, and knows no other."""

    def __init__(self, context: Context, names: tuple[str, ...], namespace: str = '') -> None:
        super().__init__('memory', context=context, namespace=namespace)
        self._names = names
        self._replies = self.create_publisher(String, 'semantic_nav/reply', qos.EVENTS)
        self.create_subscription(String, 'semantic_nav/query', self._on_query, qos.EVENTS)

    def _on_query(self, message: String) -> None:
        document = decode_document(message.data, 'query')
        assert isinstance(document.body, ToolQuery)
        name = str(document.body.arguments['node_id'])
        reply = ToolReply(QueryTool.DESCRIBE_PLACE, place=PlaceDescription(
            f'place-{name}', Pose2D(0.0, 0.0, 0.0), 'hall', 'hall', (), 1, 0.0, 's', (), name))
        if name not in self._names:
            reply = ToolReply(QueryTool.DESCRIBE_PLACE,
                              f'no place {name} is remembered{meant(name, self._names)}')
        self._replies.publish(String(data=encode_document(Document(
            f'memory-x-{document.id}', document.id, '', 1, 'map', reply))))


@contextlib.contextmanager
def beliefs(namespace: str = NAMESPACE) -> Iterator[Callable[..., FakeBelief]]:
    """Yield what starts such a node, and a memory of some places unless they are None.

    Both are spun until the end of the block.
    """
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor(context)
    nodes: list[Node] = []

    def start(react: Callable[[FakeBelief], None] = lambda node: None,
              *before: Outcome, places: tuple[str, ...] | None = ()) -> FakeBelief:
        node = FakeBelief(context, react, namespace)
        made = [node, *([] if places is None else [FakeMemory(context, places, namespace)])]
        nodes.extend(made)
        for one in made:
            executor.add_node(one)
        for outcome in before:
            node.tell(goal_text='an older goal')
            node.finish(outcome)
        spins.enter_context(spun(executor))
        return node

    with contextlib.ExitStack() as spins:
        yield start
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)
