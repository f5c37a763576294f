"""Commands of a mission: `ask`, `go`, `home`, `tour`, `cancel`, `pause`, `resume`, `status`."""

import argparse
from collections.abc import Callable

from semantic_nav.__main__ import COMMANDS
from semantic_nav.belief.goal import words_of_way
from semantic_nav.belief.mission_record import MAKE_SURE
from semantic_nav.cli.arguments import Parser, duration
from semantic_nav.cli.command import command
from semantic_nav.cli.desk import CommandDesk, at_desk, namespace_in, words_of
from semantic_nav.cli.following import follow
from semantic_nav.client.mission_client import CANCELLED_S, HOME, NoAnswer, Request
from semantic_nav.contracts.documents import Belief

#: Descriptions of the commands, for their help.
_DESCRIPTIONS = {
    'ask': 'asks for a mission in words and follows it; Ctrl-C cancels it.',
    'go': 'sends the robot to a remembered place and follows it; Ctrl-C cancels.',
    'home': 'sends the robot to the place that was named home (`places name here home`).',
    'tour': 'lets the robot look at all that it can reach, so that it knows the home afterwards.',
    'cancel': 'ends the running mission; exit code 0 only if the robot is known to stand.',
    'pause': 'lets the robot stand and the mission wait; exit code 0 only if it is known to '
             'stand.',
    'resume': 'lets the paused mission go on.',
    'status': 'prints the state of the newest mission.'}
#: Tests on the belief whether a request has been carried out.
_DONE: dict[str, Callable[[Belief], bool]] = {
    'cancel': lambda belief: belief.outcome is not None,
    'pause': lambda belief: belief.outcome is not None or (
        belief.pause_requested and bool(belief.stands)),
    'resume': lambda belief: not belief.pause_requested}
#: Commands about the running mission.
MISSION_COMMANDS = (*_DONE, 'status')
#: Wait for the belief of an earlier mission, which is latched for late joiners, in s.
_SETTLE_LONG_S = 3.0


@command
def ask(args: list[str] | None = None) -> int:
    """Follow a mission to its end; exit code 0 only if the robot says that it has arrived."""
    parser, chosen = _parsed('ask', args)
    goal = ' '.join(chosen.goal)
    if len(chosen.requests) + bool(goal.strip()) != 1:
        parser.error('say either what to find, or one of --cancel, --pause, --resume and '
                     '--status')
    if chosen.requests:
        return _carry_out(chosen.requests[0], args, chosen)
    return _mission(args, chosen, goal, lambda desk: desk.operator.find(goal))


@command
def go(args: list[str] | None = None) -> int:
    """Go there; exit code 0 only if the robot says that it has arrived."""
    parser, chosen = _parsed('go', args)
    place = ' '.join(chosen.place).strip()
    if not place:
        parser.error('say where to go')
    return _way(args, chosen, place)


@command
def home(args: list[str] | None = None) -> int:
    """Go home; exit code 0 only if the robot says that it has arrived."""
    return _way(args, _parsed('home', args)[1], HOME)


@command
def tour(args: list[str] | None = None) -> int:
    """Follow the tour to its end; exit code 0 only if all in reach was looked at."""
    return _mission(args, _parsed('tour', args)[1], 'a tour', lambda desk: desk.operator.tour())


@command
def cancel(args: list[str] | None = None) -> int:
    """Stop the robot, even without a mission."""
    return _carry_out('cancel', args, _parsed('cancel', args)[1])


@command
def pause(args: list[str] | None = None) -> int:
    """Pause the mission, and wait until the robot stands."""
    return _carry_out('pause', args, _parsed('pause', args)[1])


@command
def resume(args: list[str] | None = None) -> int:
    """Resume the mission."""
    return _carry_out('resume', args, _parsed('resume', args)[1])


@command
def status(args: list[str] | None = None) -> int:
    """Print the state of the newest mission; exit code 1 if there was no goal yet."""
    return _carry_out('status', args, _parsed('status', args)[1])


MAINS = {'ask': ask, 'go': go, 'home': home, 'tour': tour, 'cancel': cancel, 'pause': pause,
         'resume': resume, 'status': status}


def make_parser(name: str) -> Parser:
    """The parser of a command."""
    parser = Parser(prog=name, description=f'`{name}`: {_DESCRIPTIONS[name]}')
    if name == 'ask':
        parser.add_argument('goal', nargs='*', help='what to find, in words')
    if name == 'go':
        parser.add_argument('place', nargs='+',
                            help='name of the place, or its id; `places list` tells both')
    if name not in MISSION_COMMANDS:
        parser.add_argument('--timeout', type=duration, default=0.0, metavar='S',
                            help='cancel the mission after this time, in s (default: never)')
        parser.add_argument('--yes', action='store_true',
                            help='end the mission that is under way without asking')
    if name == 'ask':
        for request in MISSION_COMMANDS:
            parser.add_argument(
                f'--{request}', action='append_const', dest='requests', const=request, default=[],
                help=f'{COMMANDS[request]}; the same as `{request}`')
    parser.add_argument('--namespace', default='', help='namespace of the robot')
    parser.add_argument('--json', action='store_true', dest='as_json',
                        help='write the belief at the end as one JSON document '
                             '(schema/belief.schema.json), where there is one; the lines go to '
                             'standard error')
    return parser


def _parsed(name: str, args: list[str] | None) -> tuple[Parser, argparse.Namespace]:
    """The parser of a command and the options of its command line, the namespace checked."""
    parser = make_parser(name)
    chosen = parser.parse_args(words_of(args, name))
    chosen.namespace = namespace_in(parser, chosen.namespace)
    return parser, chosen


def _way(args: list[str] | None, chosen: argparse.Namespace, place: str) -> int:
    return _mission(args, chosen, words_of_way(place), lambda desk: desk.operator.go(place), place)


def _mission(args: list[str] | None, chosen: argparse.Namespace, goal: str,
             asked: Callable[[CommandDesk], Request], place: str = '') -> int:
    """Follow a mission to its end; the exit code is 0 only if it has reached its goal."""
    return at_desk(
        lambda desk: follow(desk, goal, lambda: asked(desk), chosen.timeout, yes=chosen.yes,
                            place=place),
        args, chosen.namespace, as_json=chosen.as_json)


def _carry_out(request: str, args: list[str] | None, chosen: argparse.Namespace) -> int:
    """Carry out one of `MISSION_COMMANDS`; 0 of cancel and pause means that the robot stands."""
    return at_desk(lambda desk: _answer(desk, request), args, chosen.namespace,
                   as_json=chosen.as_json)


def _answer(desk: CommandDesk, request: str) -> int:
    desk.find()
    if desk.stopped:
        return 1
    return _status(desk) if request == 'status' else _request(desk, request)


def _status(desk: CommandDesk) -> int:
    desk.until(lambda: bool(desk.stopped) or desk.belief is not None, _SETTLE_LONG_S)
    belief = desk.belief
    if belief is None or not belief.goal_text:
        raise NoAnswer('no goal was said yet')
    word = belief.outcome or belief.phase
    desk.say(f'{word.value}: {belief.goal_text}; {belief.reason or belief.next_action}')
    return 0


def _request(desk: CommandDesk, name: str) -> int:
    # A restarted belief knows no mission, but the robot may still drive for an earlier one.
    idle = desk.belief is not None and (
        not desk.belief.goal_text or desk.belief.outcome is not None)
    desk.newest = None
    answer = desk.operator.request(name)
    if not desk.until(answer.done, CANCELLED_S):
        raise NoAnswer(f'the belief node did not answer; {MAKE_SURE}')
    if not answer.result().success:
        raise NoAnswer(answer.result().message)
    if not desk.until(lambda: desk.belief is not None and _DONE[name](desk.belief),
                      CANCELLED_S):
        raise NoAnswer(f'the {name} was accepted, but does not show after {CANCELLED_S:.0f} s; '
                       f'{MAKE_SURE}')
    belief = desk.belief
    assert belief is not None
    word = belief.outcome or belief.phase
    nothing = 'nothing was under way; ' if idle and name == 'cancel' else ''
    desk.say(f'{nothing}{word.value}: {belief.reason}')
    return 0 if belief.stands or name == 'resume' else 1
