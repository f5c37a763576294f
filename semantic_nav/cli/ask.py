"""`ask`: publishes a goal in words and follows the mission; Ctrl-C cancels it."""

import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from semantic_nav.cli.arguments import Parser, duration
from semantic_nav.cli.command import command
from semantic_nav.cli.namespace import namespace_of
from semantic_nav.contracts.codec import encode_document
from semantic_nav.contracts.documents import Belief, Document
from semantic_nav.contracts.errors import ConfigError, SemanticNavError
from semantic_nav.contracts.vocabulary import Outcome, Phase
from semantic_nav.running.operator_node import OperatorNode, wait_until
from semantic_nav.show.narrator import Narrator, harmless

_FOUND_S = 10.0
#: A goal begins, and a mission is over, when the robot stands, or after `stop_wait_s` of belief.
_TAKEN_UP_S = 30.0
_CANCELLED_S = 30.0
#: What earlier missions left is held for late comers; it comes in before anything is said.
_SETTLE_S = 0.5
#: The same where nothing else is waited for.
_SETTLE_LONG_S = 3.0
_GONE_S = 5.0
_MAKE_SURE = 'make sure that the robot stands'
_STATUS = 'status'
#: What the process ends with, by how the mission did; 1 is an error, 2 a wrong command line.
EXIT_CODES = {Outcome.ARRIVED: 0, Outcome.NOT_HERE: 3, Outcome.GAVE_UP: 4, Outcome.CANCELLED: 5,
              Outcome.REFUSED: 6}


class NoAnswer(SemanticNavError):
    """The belief node is not there, or does not answer."""


@dataclass(frozen=True)
class Options:
    """What the operator chose: a goal, or else what is asked for for the running mission."""

    goal: str
    request: str
    namespace: str
    timeout_s: float
    as_json: bool = False

    @property
    def lines(self) -> TextIO:
        """Return where lines for people go."""
        return sys.stderr if self.as_json else sys.stdout


@dataclass
class Desk:
    """The operator's node, what the belief said last, and why a signal came, if one did."""

    operator: OperatorNode
    executor: SingleThreadedExecutor
    newest: Document | None = None
    stopped: str = ''
    take: Callable[[Document], None] = field(default=lambda document: None)

    @property
    def belief(self) -> Belief | None:
        """The newest belief."""
        body = self.newest.body if self.newest is not None else None
        return body if isinstance(body, Belief) else None

    def on_document(self, document: Document) -> None:
        """Keep the belief and hand the document on."""
        if isinstance(document.body, Belief):
            self.newest = document
        self.take(document)

    def on_signal(self, number: int, _: object) -> None:
        """Take note; whoever waits looks after it."""
        self.stopped = self.stopped or (
            'you asked for it' if number == signal.SIGINT else
            f'this command was told to end ({signal.Signals(number).name})')

    def until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Spin until a condition holds; returns False when the time is over."""
        return wait_until(condition, lambda: self.executor.spin_once(timeout_sec=0.1), timeout_s)

    def find(self) -> None:
        """Wait for the belief node and for what it published last.

        Raises:
            NoAnswer: there is none.
        """
        if not self.until(lambda: bool(self.stopped) or self.operator.ready, _FOUND_S):
            raise NoAnswer(
                f'no belief node listens to {self.operator.goal_topic} after {_FOUND_S:.0f} s; '
                'is it started and active, in this namespace and ROS domain?')
        self.until(lambda: bool(self.stopped), _SETTLE_S)


def parse(args: list[str] | None) -> Options:
    """Return the options of a command line."""
    parser = Parser(prog='ask', description=__doc__)
    parser.add_argument('goal', nargs='*', help='what to find, in words')
    parser.add_argument('--namespace', default='', help='namespace of the robot')
    parser.add_argument('--timeout', type=duration, default=0.0, metavar='S',
                        help='cancel the mission after this time, in s (default: never)')
    for request, what in (('cancel', 'end the running mission'),
                          ('pause', 'let the robot stand, and the running mission wait'),
                          ('resume', 'let the paused mission go on'),
                          (_STATUS, 'tell how the newest mission stands')):
        parser.add_argument(f'--{request}', action='append_const', dest='requests',
                            const=request, default=[], help=what)
    parser.add_argument('--json', action='store_true', dest='as_json',
                        help='write the belief at the end as one JSON document '
                             '(schema/belief.schema.json), where there is one; the lines go to '
                             'standard error')
    chosen = parser.parse_args(remove_ros_args(sys.argv if args is None else ['ask', *args])[1:])
    goal = ' '.join(chosen.goal)
    if len(chosen.requests) + bool(goal.strip()) != 1:
        parser.error('say either what to find, or one of --cancel, --pause, --resume and '
                     '--status')
    try:
        namespace = namespace_of(chosen.namespace)
    except ConfigError as error:
        parser.error(str(error))
    return Options(goal, ''.join(chosen.requests), namespace, chosen.timeout, chosen.as_json)


@command
def main(args: list[str] | None = None) -> int:
    """Follow a mission to its end; exit code 0 only if the robot says that it has arrived."""
    options = parse(args)
    with _desk(options, args) as desk:
        desk.find()
        if desk.stopped:
            return 1
        if options.request == _STATUS:
            code = _status(desk, options)
        elif options.request:
            code = _request(desk, options)
        else:
            code = _follow(desk, options)
        if options.as_json and desk.newest is not None:
            print(encode_document(desk.newest), flush=True)
        return code


@contextmanager
def _desk(options: Options, args: list[str] | None) -> Iterator[Desk]:
    context = Context()
    rclpy.init(args=args, context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = SingleThreadedExecutor(context=context)
    operator = OperatorNode(lambda document: desk.on_document(document), context=context,
                            namespace=options.namespace)
    desk = Desk(operator, executor)
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


def _follow(desk: Desk, options: Options) -> int:
    began = time.monotonic()

    def say(line: str) -> None:
        print(f'{time.monotonic() - began:7.1f} s  {line}', flush=True, file=options.lines)

    narrator = Narrator(say)
    desk.take = narrator.take
    say(f'goal      {options.goal}')
    desk.operator.say(options.goal)
    if not desk.until(lambda: desk.operator.goal_id is not None, _TAKEN_UP_S):
        raise NoAnswer('the belief node did not take the goal up; see /diagnostics')
    narrator.begin(desk.operator.goal_id or '')
    watch = _Watch(desk, narrator)
    ended = desk.until(watch.over, options.timeout_s or float('inf'))
    if narrator.outcome is None:
        if watch.gone:
            raise NoAnswer('the belief node is gone, and with it the mission')
        say('cancel    ' + (desk.stopped if ended else
                            f'the mission took longer than {options.timeout_s:.0f} s'))
        desk.operator.request('cancel')
        if not desk.until(lambda: narrator.outcome is not None, _CANCELLED_S):
            raise NoAnswer(f'the belief node did not answer to the cancellation; {_MAKE_SURE}')
    assert narrator.outcome is not None
    return EXIT_CODES[narrator.outcome]


class _Watch:
    """Looks after a mission between two spins."""

    def __init__(self, desk: Desk, narrator: Narrator) -> None:
        self._desk = desk
        self._narrator = narrator
        self._heard_at = time.monotonic()
        self._words = sys.stdin is not None and sys.stdin.readable()
        self._asked = ''
        self._answered = True
        self.gone = False

    def over(self) -> bool:
        """Tell whether there is nothing more to follow; answers questions on the way."""
        now = time.monotonic()
        if self._desk.operator.heard:
            self._heard_at = now
        self.gone = now - self._heard_at > _GONE_S
        if self._narrator.outcome is not None or self._desk.stopped or self.gone:
            return True
        belief = self._narrator.belief
        if belief is not None and belief.phase is Phase.ASKING:
            self._ask(belief.question)
        else:
            self._asked = ''
            if not self._answered and self._typed():
                # The question is over; the next one is another.
                self._answered = True
                self._narrator.say('answer    came too late: nobody asks any more')
        return False

    def _ask(self, question: str) -> None:
        """Say once how to answer, and hand over the line that was typed."""
        if self._asked != question:
            self._asked = question
            self._answered = False
            self._narrator.say('answer    type it here, or publish it on '
                               f'{self._desk.operator.answer_topic}')
        line = self._typed()
        if line:
            self._answered = True
            self._desk.operator.answer(line)

    def _typed(self) -> str:
        """Return the line that was typed, or nothing."""
        if not self._words or not select.select([sys.stdin], [], [], 0)[0]:
            return ''
        line = sys.stdin.readline()
        self._words = bool(line)
        return line.strip()


#: Tells from the belief whether what was asked for has come.
_DONE: dict[str, Callable[[Belief], bool]] = {
    'cancel': lambda belief: belief.outcome is not None,
    'pause': lambda belief: belief.outcome is not None or bool(belief.stands),
    'resume': lambda belief: belief.phase is not Phase.PAUSED}


def _status(desk: Desk, options: Options) -> int:
    """Tell how the newest mission stands."""
    desk.until(lambda: bool(desk.stopped) or desk.belief is not None, _SETTLE_LONG_S)
    belief = desk.belief
    if belief is None or not belief.goal_text:
        raise NoAnswer('no goal was said yet')
    word = belief.outcome or belief.phase
    print(harmless(f'{word.value}: {belief.goal_text}; '
                   f'{belief.reason or belief.next_action}'), file=options.lines)
    return 0


def _request(desk: Desk, options: Options) -> int:
    """Ask something of the belief; after all but a resume, 0 says that the robot stands."""
    name = options.request
    # A belief that was started anew knows no mission, and the robot may still drive for one.
    desk.newest = None
    answer = desk.operator.request(name)
    if not desk.until(answer.done, _CANCELLED_S):
        raise NoAnswer(f'the belief node did not answer; {_MAKE_SURE}')
    if not answer.result().success:
        raise NoAnswer(answer.result().message)
    if not desk.until(lambda: desk.belief is not None and _DONE[name](desk.belief),
                      _CANCELLED_S):
        raise NoAnswer(f'the {name} was accepted, but does not show after {_CANCELLED_S:.0f} s; '
                       f'{_MAKE_SURE}')
    belief = desk.belief
    assert belief is not None
    word = belief.outcome or belief.phase
    print(harmless(f'{word.value}: {belief.reason}'), file=options.lines)
    return 0 if belief.stands or name == 'resume' else 1


if __name__ == '__main__':
    sys.exit(main())
