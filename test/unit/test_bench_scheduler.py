"""Simulated time passes from one thing to do to the next."""

import pytest

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav_sim.bench.scheduler import Scheduler


def never() -> bool:
    return False


def test_things_are_done_in_the_order_of_their_moments() -> None:
    scheduler, done = Scheduler(), []
    for delay_s in (2.0, 0.5, 1.0):
        scheduler.after(
            delay_s, lambda delay_s=delay_s: done.append((delay_s, scheduler.elapsed_s)))
    assert scheduler.run(lambda: len(done) == 3, 10.0)
    assert done == [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0)]


def test_of_one_moment_the_first_asked_for_comes_first() -> None:
    scheduler, done = Scheduler(), []
    for name in 'cab':
        scheduler.after(1.0, lambda name=name: done.append(name))
    scheduler.run(never, 1.0)
    assert done == ['c', 'a', 'b']


def test_what_is_asked_for_meanwhile_has_its_turn() -> None:
    scheduler, done = Scheduler(), []

    def first() -> None:
        done.append('first')
        scheduler.after(0.0, lambda: done.append('at once'))
        scheduler.after(0.5, lambda: done.append('before the last'))

    scheduler.after(1.0, first)
    scheduler.after(1.0, lambda: done.append('second'))
    scheduler.after(2.0, lambda: done.append('last'))
    scheduler.run(never, 3.0)
    assert done == ['first', 'second', 'at once', 'before the last', 'last']


def test_something_is_done_every_now_and_then() -> None:
    scheduler, moments_s = Scheduler(), []
    scheduler.every(0.25, lambda: moments_s.append(scheduler.elapsed_s))
    assert moments_s == [], 'not before one period'
    scheduler.run(never, 1.0)
    assert moments_s == [0.25, 0.5, 0.75, 1.0]


def test_it_ends_as_soon_as_something_holds() -> None:
    scheduler, count = Scheduler(), []
    scheduler.every(1.0, lambda: count.append(None))
    assert scheduler.run(lambda: len(count) == 3, 10.0)
    assert scheduler.elapsed_s == 3.0
    assert scheduler.run(lambda: True, 10.0) and scheduler.elapsed_s == 3.0


@pytest.mark.parametrize('later_s', [None, 5.1])
def test_the_limit_ends_it_at_that_moment(later_s: float | None) -> None:
    scheduler, done = Scheduler(), []
    scheduler.after(5.0, lambda: done.append('within'))
    if later_s is not None:
        scheduler.after(later_s, lambda: done.append('beyond'))
    assert not scheduler.run(never, 5.0)
    assert (done, scheduler.elapsed_s) == (['within'], 5.0)
    scheduler.run(never, 5.0)
    assert len(done) == (1 if later_s is None else 2)


def test_all_clocks_go_on_together() -> None:
    scheduler = Scheduler()
    before = scheduler.now
    scheduler.run(never, 1.5)
    after = scheduler.now
    passed = [after.clock_ns - before.clock_ns, after.steady_ns - before.steady_ns,
              after.calendar_ns - before.calendar_ns]
    assert passed == [1.5 * NS_PER_S] * 3
    assert scheduler.now == after, 'nothing else makes time pass'


def test_the_ros_clock_may_jump_while_the_steady_one_goes_on() -> None:
    scheduler = Scheduler()
    before = scheduler.now
    scheduler.clock_ahead_ns = -5 * NS_PER_S
    scheduler.run(lambda: False, 1.0)
    after = scheduler.now
    assert after.steady_ns - before.steady_ns == NS_PER_S
    assert after.clock_ns - before.clock_ns == -4 * NS_PER_S


def test_what_is_no_longer_wanted_is_not_repeated() -> None:
    scheduler, count = Scheduler(), []
    scheduler.every(1.0, lambda: count.append(None), lambda: len(count) < 2)
    scheduler.run(lambda: False, 10.0)
    assert len(count) == 2


def test_every_action_is_followed() -> None:
    scheduler, done = Scheduler(), []
    scheduler.follow = lambda: done.append('followed')
    scheduler.after(1.0, lambda: done.append('one'))
    scheduler.after(2.0, lambda: done.append('two'))
    scheduler.run(lambda: False, 3.0)
    assert done == ['one', 'followed', 'two', 'followed']
