"""A mission followed at the desk, from its goal to its end; Ctrl-C cancels it."""

import math
import time
from collections.abc import Callable
from contextlib import closing

from semantic_nav.cli.arguments import Parser, duration
from semantic_nav.cli.beginning import check_place, may_begin
from semantic_nav.cli.desk import CommandDesk, add_options
from semantic_nav.cli.status_line import StatusLine
from semantic_nav.cli.typed import Typed
from semantic_nav.client.mission_client import (
    LAST_WORDS_S,
    BeliefSearch,
    MissionClient,
    MissionStage,
    NoAnswer,
    Request,
)
from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.vocabulary import Outcome, Phase

#: Exit codes by outcome; 1 is an error, 2 a wrong command line.
EXIT_CODES = {Outcome.ARRIVED: 0, Outcome.NOT_HERE: 3, Outcome.GAVE_UP: 4, Outcome.CANCELLED: 5,
              Outcome.REFUSED: 6, Outcome.TOURED: 0}


def add_mission_options(parser: Parser) -> None:
    """Add the options of a mission: its time limit, and whether it may end another one."""
    parser.add_argument('--timeout', type=duration, default=0.0, metavar='S',
                        help='cancel the mission after this time, in s (default: never)')
    parser.add_argument('--yes', action='store_true',
                        help='end the mission that is under way without asking')


def mission_parser(name: str, words: str | None) -> Parser:
    """The parser of a command that begins a mission."""
    parser = Parser(prog=name, description=words)
    add_mission_options(parser)
    add_options(parser)
    return parser


def follow(desk: CommandDesk, goal: str, asked: Callable[[], Request], timeout_s: float, *,
           yes: bool, place: str = '') -> int:
    """Send a goal, follow its mission, and return the exit code of its outcome.

    Args:
        desk: the operator's.
        goal: in words.
        asked: sends the request.
        timeout_s: the mission is cancelled after this time; 0 for never.
        yes: the mission that is under way may be ended.
        place: destination of the goal; empty for none.

    Raises:
        NoAnswer: the goal would lead nowhere or end another mission, and was not sent; or the
            outcome of its mission is unknown.
    """
    search, typed = desk.find(), Typed()
    if place and not desk.stopped:
        check_place(desk, place)
    if desk.stopped or not may_begin(desk, typed, yes=yes):
        return 1
    with closing(StatusLine(desk.lines)) as status:
        return _followed(desk, status, goal, asked, timeout_s, search, typed)


def _followed(desk: CommandDesk, status: StatusLine, goal: str, asked: Callable[[], Request],
              timeout_s: float, search: BeliefSearch, typed: Typed) -> int:
    began = time.monotonic()

    def say(line: str) -> None:
        status.say(f'{time.monotonic() - began:7.1f} s  {line}')

    narrator = Narrator(say)
    mission = MissionClient(desk.operator, asked, began, timeout_s or None, search)
    watch = _Watch(desk, narrator, mission, typed)

    def take(document: Document) -> None:
        mission.take(document)
        narrator.take(document)
        status.show(narrator.belief)

    desk.take = take
    desk.until(lambda: watch.past(MissionStage.SEEKING), math.inf)
    if mission.never_asked and not mission.error:
        return 1
    if not mission.error:
        before = desk.belief
        say(f'goal      {goal}')
        desk.until(lambda: watch.past(MissionStage.ASKED), math.inf)
        # A refused goal leaves the mission in hand alone.
        taken_up = mission.record.belief is not None and (
            mission.record.belief.outcome is not Outcome.REFUSED)
        if taken_up and before is not None and before.goal_text and before.outcome is None:
            say(f'instead   of “{before.goal_text}”, which this ends')
        narrator.begin(mission.record.goal_id)
        status.show(narrator.belief)
        desk.until(lambda: watch.past(MissionStage.UNDER_WAY), math.inf)
    if mission.stage is MissionStage.CANCELLING:
        say(f'cancel    {mission.cancelled_for}')
        desk.until(lambda: watch.past(MissionStage.CANCELLING), math.inf)
    if mission.error:
        raise NoAnswer(mission.error)
    desk.until(lambda: False, LAST_WORDS_S)
    narrator.settle()
    belief = mission.record.belief
    assert belief is not None and belief.outcome is not None
    return EXIT_CODES[belief.outcome]


class _Watch:
    """Polls a mission between two spins, and serves its questions."""

    def __init__(self, desk: CommandDesk, narrator: Narrator, mission: MissionClient,
                 typed: Typed) -> None:
        self._desk = desk
        self._narrator = narrator
        self._mission = mission
        self._typed = typed
        self._asked = ''
        self._answered = True

    def past(self, stage: MissionStage) -> bool:
        """Tell whether the mission has left a stage; questions are served on the way."""
        if self._desk.stopped:
            self._mission.cancel(self._desk.stopped)
        if self._mission.poll(time.monotonic()) is not stage:
            return True
        if stage is MissionStage.UNDER_WAY:
            self._look_after_questions()
        return False

    def _look_after_questions(self) -> None:
        belief = self._narrator.belief
        if belief is not None and belief.phase is Phase.ASKING:
            self._ask(belief.question)
            return
        self._asked = ''
        if not self._answered and self._typed.line():
            # The question is over; the next one is another.
            self._answered = True
            self._narrator.say('answer    came too late: nobody asks any more')

    def _ask(self, question: str) -> None:
        """Explain once how to answer, and pass on the line that was typed."""
        if self._asked != question:
            self._asked = question
            self._answered = False
            self._narrator.say('answer    type it here, or publish it on '
                               f'{self._desk.operator.answer_topic}')
        line = self._typed.line()
        if line:
            self._answered = True
            self._desk.operator.answer(line)
