"""The operator's desk: what the commands share that speak with a running robot."""

import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

import rclpy
from rclpy.context import Context
from rclpy.exceptions import InvalidNamespaceException
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args
from rclpy.validate_namespace import validate_namespace

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import remark
from semantic_nav.client.mission_client import FOUND_S, BeliefSearch, NoAnswer
from semantic_nav.client.narrator import harmless
from semantic_nav.client.running_demo import robot_reached
from semantic_nav.client.waiting import wait_until
from semantic_nav.contracts.codec import encode_document
from semantic_nav.contracts.documents import (
    STILL_LOADING,
    Belief,
    Document,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.nodes.ros.mission_client_node import OperatorNode
from semantic_nav.nodes.ros.queries import Queries

#: Time between queries to a memory that is loading, in s: each query is kept in its journal.
_AGAIN_S = 0.5


@dataclass
class CommandDesk:
    """The operator's node, the newest belief, and the reason of a signal, if one came.

    Attributes:
        lines: stream of the lines for people.
    """

    operator: OperatorNode
    executor: SingleThreadedExecutor
    lines: TextIO = field(default_factory=lambda: sys.stdout)
    newest: Document | None = None
    stopped: str = ''
    take: Callable[[Document], None] = field(default=lambda document: None)

    @property
    def belief(self) -> Belief | None:
        """The newest belief."""
        body = self.newest.body if self.newest is not None else None
        return body if isinstance(body, Belief) else None

    def on_document(self, document: Document) -> None:
        """Keep the belief and pass the document on."""
        if isinstance(document.body, Belief):
            self.newest = document
        self.take(document)

    def on_signal(self, number: int, _: object) -> None:
        """Record the signal; the waiting loop acts on it."""
        self.stopped = self.stopped or (
            'you asked for it' if number == signal.SIGINT else
            f'this command was told to end ({signal.Signals(number).name})')

    def until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Spin until a condition holds; False after the timeout."""
        return wait_until(condition, lambda: self.executor.spin_once(timeout_sec=0.1), timeout_s)

    def say(self, line: str) -> None:
        """Print a line for people; its words may be a model's, so it is made harmless."""
        print(harmless(line), file=self.lines, flush=True)

    def find(self) -> BeliefSearch:
        """Wait for the belief node and its newest belief; return the search.

        Raises:
            NoAnswer: there is none.
        """
        search = BeliefSearch(self.operator, time.monotonic())
        self.until(lambda: bool(self.stopped) or search.found(time.monotonic()), math.inf)
        return search


def words_of(args: list[str] | None, name: str) -> list[str]:
    """The words of a command line without those for ROS."""
    words: list[str] = remove_ros_args(sys.argv if args is None else [name, *args])[1:]
    return words


def namespace_of(words: str) -> str:
    """A namespace without the slashes around it.

    Raises:
        ConfigError: ROS would refuse it.
    """
    namespace = words.strip('/')
    try:
        validate_namespace(f'/{namespace}')
    except InvalidNamespaceException as error:
        why = str(error).splitlines()[0].removeprefix('Invalid namespace: ').rstrip(':')
        raise ConfigError(f'argument --namespace: {namespace!r} is refused: {why}') from error
    return namespace


def namespace_in(parser: Parser, words: str) -> str:
    """The given namespace; a wrong one ends the process with the reason."""
    try:
        return namespace_of(words)
    except ConfigError as error:
        parser.error(str(error))


def at_desk(work: Callable[[CommandDesk], int], args: list[str] | None, namespace: str, *,
            as_json: bool) -> int:
    """Do work at the desk and return its exit code; print the belief at the end if requested.

    Raises:
        NoAnswer: there is no belief node, or it does not answer.
        ConfigError: the robot is ambiguous; see `robot_reached`.
    """
    with robot_reached(namespace, remark), _desk(args, namespace) as desk:
        desk.lines = sys.stderr if as_json else sys.stdout
        code = work(desk)
        if as_json and desk.newest is not None:
            print(encode_document(desk.newest), flush=True)
        return code


@contextmanager
def _desk(args: list[str] | None, namespace: str) -> Iterator[CommandDesk]:
    context = Context()
    rclpy.init(args=args, context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = SingleThreadedExecutor(context=context)
    operator = OperatorNode(lambda document: desk.on_document(document), context=context,
                            namespace=namespace)
    desk = CommandDesk(operator, executor)
    executor.add_node(operator)
    before = {number: signal.signal(number, desk.on_signal)
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield desk
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        executor.shutdown()
        operator.destroy_node()
        rclpy.shutdown(context=context)


def reply_of_memory(desk: CommandDesk, query: ToolQuery) -> ToolReply | None:
    """The memory's reply to a query; None if a signal ends this command.

    Raises:
        NoAnswer: it does not reply.
    """
    replies: dict[str, ToolReply] = {}

    def take(document: Document) -> None:
        if isinstance(document.body, ToolReply):
            replies[document.cause_id] = document.body

    desk.take = take
    queries = Queries(desk.operator)
    asked, asked_s = '', 0.0

    def replied() -> bool:
        nonlocal asked, asked_s
        reply, now_s = replies.get(asked), time.monotonic()
        if reply is not None and reply.error != STILL_LOADING:
            return True
        if not asked or (reply is not None and now_s - asked_s >= _AGAIN_S):
            asked, asked_s = queries.ask(query), now_s
        return False

    if desk.until(lambda: bool(desk.stopped) or queries.heard, FOUND_S):
        desk.until(lambda: bool(desk.stopped) or replied(), query.deadline_s)
    if desk.stopped:
        return None
    if asked not in replies:
        raise NoAnswer('the memory node did not answer; is it started and active, in this '
                       'namespace and ROS domain?')
    return replies[asked]
