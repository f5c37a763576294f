"""A mission followed at the desk, from its goal to its end; Ctrl-C cancels it."""

import math
import select
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import TextIO

from tqdm import tqdm

from semantic_nav.cli.desk import CommandDesk, reply_of_memory
from semantic_nav.client.mission_client import (
    HOME,
    LAST_WORDS_S,
    BeliefSearch,
    MissionClient,
    MissionStage,
    NoAnswer,
    Request,
)
from semantic_nav.client.narrator import Narrator, harmless
from semantic_nav.contracts.documents import Belief, Document, ToolQuery
from semantic_nav.contracts.vocabulary import Outcome, Phase, QueryTool

#: Exit codes by outcome; 1 is an error, 2 a wrong command line.
EXIT_CODES = {Outcome.ARRIVED: 0, Outcome.NOT_HERE: 3, Outcome.GAVE_UP: 4, Outcome.CANCELLED: 5,
              Outcome.REFUSED: 6, Outcome.TOURED: 0}
#: Time in which the memory must answer, in s.
_ANSWER_S = 10.0
#: Answers that let another mission end.
_YES = ('y', 'yes')
#: Phases without a status line: nothing goes on, or the operator types.
_SILENT = (Phase.ASKING, Phase.FINISHED)


class _Typed:
    """Reads typed lines without blocking."""

    def __init__(self) -> None:
        """Read the standard input."""
        self._goes_on = sys.stdin is not None and sys.stdin.readable()

    @property
    def by_a_person(self) -> bool:
        """Tell whether a person can be asked."""
        return self._goes_on and sys.stdin.isatty()

    @property
    def over(self) -> bool:
        """Tell whether the input has ended."""
        return not self._goes_on

    def line(self) -> str | None:
        """The line that was typed; None for none."""
        if not self._goes_on or not select.select([sys.stdin], [], [], 0)[0]:
            return None
        line = sys.stdin.readline()
        self._goes_on = bool(line)
        return line.strip() if line else None


class _StatusLine:
    """Prints lines, and keeps a status line below them on a terminal."""

    def __init__(self, lines: TextIO) -> None:
        """Write to a file or a terminal."""
        self._lines = lines
        self._below = tqdm(total=0, bar_format='{desc}', leave=False, file=lines,
                           dynamic_ncols=True) if lines.isatty() else None

    def say(self, line: str) -> None:
        """Print a line above the status line."""
        if self._below is None:
            print(line, flush=True, file=self._lines)
        else:
            tqdm.write(line, file=self._lines)

    def show(self, belief: Belief | None) -> None:
        """Show the mission's state in the status line, if it is known."""
        if self._below is not None:
            silent = belief is None or belief.phase in _SILENT
            self._below.set_description_str('' if silent else harmless(_words_of(belief)))

    def close(self) -> None:
        """Remove the status line."""
        if self._below is not None:
            self._below.close()


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
    search, typed = desk.find(), _Typed()
    if place and not desk.stopped:
        _check_place(desk, place)
    if desk.stopped or not _may_begin(desk, typed, yes=yes):
        return 1
    with closing(_StatusLine(desk.lines)) as status:
        return _followed(desk, status, goal, asked, timeout_s, search, typed)


def _check_place(desk: CommandDesk, place: str) -> None:
    """Make sure that a place is remembered, by its name or its id.

    Raises:
        NoAnswer: it is not, or the memory does not answer.
    """
    reply = reply_of_memory(
        desk, ToolQuery(QueryTool.DESCRIBE_PLACE, {'node_id': place}, _ANSWER_S))
    if reply is not None and reply.error:
        cure = '`places name here home` gives the place where the robot is that name' if (
            place == HOME) else '`places list` tells all'
        raise NoAnswer(f'the robot was sent nowhere: {reply.error}'
                       + ('' if reply.error.endswith('?') else f'; {cure}'))


def _may_begin(desk: CommandDesk, typed: _Typed, *, yes: bool) -> bool:
    """Tell whether a mission may begin; the operator is asked if it would end a running one.

    Raises:
        NoAnswer: it would end one, and nobody can be asked.
    """
    if yes or not _runs(desk):
        return True
    assert desk.belief is not None
    ends = f'this ends “{desk.belief.goal_text}”, which is under way'
    if not typed.by_a_person:
        raise NoAnswer(f'{ends}: nothing was said to the robot; --yes ends that mission')
    desk.say(f'{ends}. Go on? [y/N]')
    answer: str | None = None

    def answered() -> bool:
        nonlocal answer
        answer = typed.line()
        return answer is not None or typed.over or bool(desk.stopped)

    desk.until(answered, math.inf)
    return not desk.stopped and (answer or '').lower() in _YES


def _runs(desk: CommandDesk) -> bool:
    """Tell whether a mission is under way."""
    return desk.belief is not None and bool(desk.belief.goal_text) and desk.belief.outcome is None


def _followed(desk: CommandDesk, status: _StatusLine, goal: str, asked: Callable[[], Request],
              timeout_s: float, search: BeliefSearch, typed: _Typed) -> int:
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
                 typed: _Typed) -> None:
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


def _words_of(belief: Belief) -> str:
    """The mission's action and its used budgets, in one line."""
    used = belief.budgets
    here = '' if belief.p_here is None else f' | likely here: {belief.p_here:.0%}'
    return (f'{belief.phase.value}: {belief.next_action} | {used.time_s:.0f} of '
            f'{used.time_limit_s:.0f} s, {used.distance_m:.1f} of {used.distance_limit_m:.0f} m, '
            f'{used.model_calls} of {used.model_calls_limit} calls of the model{here}')
