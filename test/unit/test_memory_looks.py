"""A look's observation and its hypothesis, in whatever order they come."""

from builders import observation

from semantic_nav.contracts.documents import Document
from semantic_nav.memory.looks import LookPairing


def seen(number: int, cause_id: str) -> Document:
    return Document(f'observation-{number}', cause_id, 'goal', 0, 'map', observation('step'))


def test_two_observations_of_one_unheard_hypothesis_are_both_taken() -> None:
    looks = LookPairing()
    first, second = seen(1, 'hypothesis-1'), seen(2, 'hypothesis-1')
    assert looks.on_observation(first) == []
    assert looks.on_observation(second) == [first]
    ready = [one for number in (3, 4) for one in looks.on_observation(
        seen(number, f'hypothesis-{number}'))]
    assert ready == [second]
