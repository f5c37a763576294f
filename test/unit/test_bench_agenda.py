"""Simulated time passes from one thing to do to the next."""

import pytest

from semantic_nav.bench.agenda import Agenda
from semantic_nav.contracts.clock import NS_PER_S


def never() -> bool:
    return False


def test_things_are_done_in_the_order_of_their_moments() -> None:
    agenda, done = Agenda(), []
    for delay_s in (2.0, 0.5, 1.0):
        agenda.after(delay_s, lambda delay_s=delay_s: done.append((delay_s, agenda.elapsed_s)))
    assert agenda.run(lambda: len(done) == 3, 10.0)
    assert done == [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0)]


def test_of_one_moment_the_first_asked_for_comes_first() -> None:
    agenda, done = Agenda(), []
    for name in 'cab':
        agenda.after(1.0, lambda name=name: done.append(name))
    agenda.run(never, 1.0)
    assert done == ['c', 'a', 'b']


def test_what_is_asked_for_meanwhile_has_its_turn() -> None:
    agenda, done = Agenda(), []

    def first() -> None:
        done.append('first')
        agenda.after(0.0, lambda: done.append('at once'))
        agenda.after(0.5, lambda: done.append('before the last'))

    agenda.after(1.0, first)
    agenda.after(1.0, lambda: done.append('second'))
    agenda.after(2.0, lambda: done.append('last'))
    agenda.run(never, 3.0)
    assert done == ['first', 'second', 'at once', 'before the last', 'last']


def test_something_is_done_every_now_and_then() -> None:
    agenda, moments_s = Agenda(), []
    agenda.every(0.25, lambda: moments_s.append(agenda.elapsed_s))
    assert moments_s == [], 'not before one period'
    agenda.run(never, 1.0)
    assert moments_s == [0.25, 0.5, 0.75, 1.0]


def test_it_ends_as_soon_as_something_holds() -> None:
    agenda, count = Agenda(), []
    agenda.every(1.0, lambda: count.append(None))
    assert agenda.run(lambda: len(count) == 3, 10.0)
    assert agenda.elapsed_s == 3.0
    assert agenda.run(lambda: True, 10.0) and agenda.elapsed_s == 3.0


@pytest.mark.parametrize('later_s', [None, 5.1])
def test_the_limit_ends_it_at_that_moment(later_s: float | None) -> None:
    agenda, done = Agenda(), []
    agenda.after(5.0, lambda: done.append('within'))
    if later_s is not None:
        agenda.after(later_s, lambda: done.append('beyond'))
    assert not agenda.run(never, 5.0)
    assert (done, agenda.elapsed_s) == (['within'], 5.0)
    agenda.run(never, 5.0)
    assert len(done) == (1 if later_s is None else 2)


def test_all_clocks_go_on_together() -> None:
    agenda = Agenda()
    before = agenda.now
    agenda.run(never, 1.5)
    after = agenda.now
    passed = [after.clock_ns - before.clock_ns, after.steady_ns - before.steady_ns,
              after.calendar_ns - before.calendar_ns]
    assert passed == [1.5 * NS_PER_S] * 3
    assert agenda.now == after, 'nothing else makes time pass'
