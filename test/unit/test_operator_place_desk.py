"""What the operator asks of the memory, while that may not answer yet."""

import pytest

from semantic_nav.contracts.documents import STILL_LOADING, ToolQuery, ToolReply
from semantic_nav.contracts.vocabulary import QueryTool
from semantic_nav.operator.places import PlaceDesk
from semantic_nav.operator.standing import Command
from semantic_nav.operator.wish import Wish


class Memory:
    """Takes questions, and says what was told to who asked."""

    def __init__(self) -> None:
        self.asked: list[ToolQuery] = []
        self.told: list[tuple[bool, str]] = []
        self.desk = PlaceDesk(self)  # type: ignore[arg-type]
        self.desk.ask(Wish(Command.SEARCH, 'the red mug', lambda taken, words, _: self.told.append(
            (taken, words))), 0.0)

    def ask(self, query: ToolQuery) -> str:
        self.asked.append(query)
        return f'request-{len(self.asked)}'

    def answer(self, error: str = '') -> None:
        self.desk.take(f'request-{len(self.asked)}', ToolReply(QueryTool.RECALL_PLACES, error))


@pytest.fixture
def memory() -> Memory:
    return Memory()


def test_a_memory_that_is_still_loading_is_asked_again(memory: Memory) -> None:
    memory.answer(STILL_LOADING)
    assert memory.told == []
    memory.desk.look_after(0.2)
    assert memory.asked[0] == memory.asked[1]
    memory.answer()
    memory.desk.look_after(99.0)
    assert memory.told == [(True, 'nothing is remembered')] and len(memory.asked) == 2


def test_one_that_goes_on_loading_is_told_in_the_end(memory: Memory) -> None:
    memory.answer(STILL_LOADING)
    memory.desk.look_after(99.0)
    assert memory.told == [(False, STILL_LOADING)] and len(memory.asked) == 1


def test_one_that_says_nothing_is_given_up(memory: Memory) -> None:
    memory.desk.look_after(1.0)
    assert memory.told == []
    memory.desk.look_after(99.0)
    assert memory.told == [(False, 'the memory did not answer')]
