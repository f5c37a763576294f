"""The circuit breaker, under a clock that the test moves."""

from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.vlm.look.breaker import Breaker, BreakerState, Circuit


def at(seconds: float) -> Now:
    return Now(0, nanoseconds(1000 + seconds), 0)


def opened(limit: int = 3) -> Breaker:
    """Return a breaker that opened at 0 s, for 10 s; at most for 35 s."""
    breaker = Breaker(limit, 10.0, 35.0)
    for _ in range(limit):
        assert breaker.lets_through(at(0))
        breaker.failed('timeout', at(0))
    return breaker


def test_it_is_closed_at_first_and_opens_after_the_last_failure_in_a_row() -> None:
    breaker = Breaker(3, 10.0, 35.0)
    assert breaker.state(at(0)) == BreakerState(Circuit.CLOSED, 0, '', 0.0)
    for failures in (1, 2):
        breaker.failed('timeout', at(0))
        assert breaker.state(at(0)) == BreakerState(Circuit.CLOSED, failures, 'timeout', 0.0)
    breaker.failed('connection_failed', at(1))
    assert breaker.state(at(2)) == BreakerState(Circuit.OPEN, 3, 'connection_failed', 9.0)
    assert not breaker.lets_through(at(2))


def test_a_reply_in_between_begins_the_count_anew() -> None:
    breaker = Breaker(2, 10.0, 35.0)
    for _ in range(5):
        breaker.failed('timeout', at(0))
        breaker.replied()
    assert breaker.state(at(0)) == BreakerState(Circuit.CLOSED, 0, '', 0.0)


def test_after_the_pause_one_call_is_a_trial() -> None:
    breaker = opened()
    assert not breaker.lets_through(at(9.9))
    assert breaker.lets_through(at(10))
    assert breaker.state(at(10)).circuit is Circuit.HALF_OPEN
    breaker.replied()
    assert breaker.state(at(10)) == BreakerState(Circuit.CLOSED, 0, '', 0.0)


def test_the_pause_grows_with_each_trial_that_fails_and_is_short_again_after_a_reply() -> None:
    breaker, now_s = opened(), 0.0
    for pause_s in (10, 20, 35, 35):
        assert breaker.state(at(now_s)).retry_in_s == pause_s
        now_s += pause_s
        assert breaker.lets_through(at(now_s))
        breaker.failed('timeout', at(now_s))
    breaker.replied()
    for _ in range(3):
        breaker.failed('timeout', at(now_s))
    assert breaker.state(at(now_s)).retry_in_s == 10


def test_a_trial_that_was_broken_off_leaves_the_next_call_a_trial() -> None:
    breaker = opened()
    assert breaker.lets_through(at(10)) and breaker.lets_through(at(11))
    breaker.failed('timeout', at(12))
    assert not breaker.lets_through(at(12))


def test_a_server_that_is_back_is_tried_at_once() -> None:
    breaker = opened()
    breaker.probed(False, at(1))
    assert not breaker.lets_through(at(2))
    breaker.probed(True, at(3))
    assert breaker.state(at(3)).circuit is Circuit.HALF_OPEN
    breaker.failed('timeout', at(4))
    assert breaker.state(at(4)).retry_in_s == 20


def test_a_server_that_passes_its_probes_and_hangs_is_left_alone() -> None:
    breaker = opened()
    for second in range(1, 9):
        breaker.probed(True, at(second))
        assert not breaker.lets_through(at(second))


def test_a_probe_neither_opens_a_closed_circuit_nor_ends_a_trial() -> None:
    breaker = Breaker(1, 10.0, 35.0)
    for ok in (True, False, True, False):
        breaker.probed(ok, at(0))
        assert breaker.state(at(0)).circuit is Circuit.CLOSED
    breaker.failed('timeout', at(0))
    breaker.probed(True, at(11))
    assert breaker.state(at(12)).circuit is Circuit.HALF_OPEN


@given(st.integers(1, 4), st.lists(st.tuples(
    st.sampled_from(['ask, fail', 'ask, reply', 'down', 'up']), st.floats(0, 50))))
def test_whatever_happens_the_model_is_asked_again_within_the_longest_pause(
        limit: int, story: list[tuple[str, float]]) -> None:
    breaker, now_s, failures = Breaker(limit, 10.0, 35.0), 0.0, 0
    for what, passed_s in story:
        now_s += passed_s
        if what in ('down', 'up'):
            breaker.probed(what == 'up', at(now_s))
        elif breaker.lets_through(at(now_s)):
            if what == 'ask, reply':
                breaker.replied()
                failures = 0
            else:
                breaker.failed('timeout', at(now_s))
                failures += 1
        assert (breaker.state(at(now_s)).circuit is Circuit.CLOSED) == (failures < limit)
        assert breaker.lets_through(at(now_s + 35.0))
