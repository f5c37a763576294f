"""Checks before a mission begins: its place must be known, and it may end another mission."""

import math

from semantic_nav.cli.desk import CommandDesk, reply_of_memory
from semantic_nav.cli.typed import Typed
from semantic_nav.client.mission_client import HOME, NoAnswer
from semantic_nav.contracts.documents import ToolQuery
from semantic_nav.contracts.vocabulary import QueryTool

_ANSWER_S = 10.0
_YES = ('y', 'yes')


def check_place(desk: CommandDesk, place: str) -> None:
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


def may_begin(desk: CommandDesk, typed: Typed, *, yes: bool) -> bool:
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
