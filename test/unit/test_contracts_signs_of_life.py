"""Silence is counted in the listener's own beats, and the first that was there is in charge."""

import pytest

from semantic_nav.contracts.signs_of_life import LOST_AFTER, Sign, SignsHeard

FIRST, SECOND = Sign(1, 'a'), Sign(2, 'b')


def silent(heard: SignsHeard, beats: int) -> list[bool]:
    return [heard.beat() for _ in range(beats)]


def test_sign_is_read_as_it_was_sent() -> None:
    for sign in (FIRST, Sign(1_764_275_563_000_000_000, '20261127T203243-ab12', aside=True)):
        assert Sign.of(sign.text) == sign


@pytest.mark.parametrize('text', ['', ' ', '1', '1 ', 'x a', '-1 a', '٣ a', '9' * 5000 + ' a'])
def test_what_is_no_sign_is_none(text: str) -> None:
    assert Sign.of(text) is None


def test_silence_of_the_one_in_charge_is_told_once() -> None:
    heard = SignsHeard()
    assert silent(heard, 9) == [False] * 9, 'nobody was there'
    heard.take(FIRST)
    silent(heard, LOST_AFTER - 1)
    heard.take(FIRST)
    assert silent(heard, LOST_AFTER + 1) == [False] * (LOST_AFTER - 1) + [True, False]
    assert heard.in_charge is None
    heard.take(FIRST)
    assert heard.in_charge == FIRST, 'it is back'


def test_the_first_is_in_charge_and_others_may_end() -> None:
    heard = SignsHeard()
    heard.take(SECOND)
    heard.take(FIRST)
    assert heard.in_charge == FIRST and heard.others('a') == [SECOND]
    for _ in range(LOST_AFTER):
        heard.take(FIRST)
        assert not heard.beat(), 'the second is none of those that decide'
    assert heard.others('a') == [] and heard.hears('a') and not heard.hears('b')


def test_one_that_stands_by_is_not_in_charge() -> None:
    heard = SignsHeard()
    heard.take(Sign(1, 'a', aside=True))
    assert heard.in_charge is None and heard.others('b') == [Sign(1, 'a', aside=True)]
    heard.take(SECOND)
    assert heard.in_charge == SECOND
    heard.take(Sign(2, 'b', aside=True))
    assert heard.in_charge is None, 'it has stood aside'


def test_middleware_may_know_sooner_that_nobody_is_there() -> None:
    heard = SignsHeard()
    assert not heard.lose_all()
    heard.take(FIRST)
    assert heard.lose_all() and heard.in_charge is None and not heard.lose_all()
