"""The belief's table: what every piece of evidence does in every status."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.belief.table import TABLE, Evidence, after
from semantic_nav.contracts.vocabulary import Status

S, L, V, U, D = (Status.SEARCHING, Status.LIKELY_IN_MEMORY, Status.VISIBLE, Status.UNREACHABLE,
                 Status.DONE)
#: What the design says, written down a second time; everything else changes nothing.
EXPECTED = {
    (S, Evidence.PLACE_LIKELY): L,
    (S, Evidence.TARGET_SEEN): V,
    (L, Evidence.TARGET_SEEN): V,
    (L, Evidence.PLACES_DISPROVED): S,
    (V, Evidence.TARGET_LOST): S,
    (V, Evidence.TARGET_REJECTED): S,
    (V, Evidence.GOAL_REWORDED): S,
    (V, Evidence.NO_WAY): U,
    (V, Evidence.CONFIRMED): D,
    (U, Evidence.TARGET_LOST): S,
    (U, Evidence.TARGET_REJECTED): S,
    (U, Evidence.GOAL_REWORDED): S,
    (U, Evidence.CONFIRMED): D,
}
ALL = list(product(Status, Evidence))
RETRIEVAL = (Evidence.PLACE_LIKELY, Evidence.PLACES_DISPROVED)


@pytest.mark.parametrize(('status', 'evidence'), ALL, ids=lambda one: one.value)
def test_row(status: Status, evidence: Evidence) -> None:
    new, reason = after(status, evidence)
    assert new is EXPECTED.get((status, evidence), status)
    assert bool(reason) == ((status, evidence) in EXPECTED)


def test_nothing_stands_in_the_table_that_is_not_expected() -> None:
    assert set(TABLE) == set(EXPECTED)


def test_every_change_is_a_change() -> None:
    assert all(status is not new for (status, _), (new, _) in TABLE.items())


@given(st.sampled_from(Status), st.lists(st.sampled_from(RETRIEVAL), max_size=20))
def test_retrieval_alone_never_demotes(status: Status, found: list[Evidence]) -> None:
    """Only its own guess can it take back."""
    now = status
    for evidence in found:
        now, _ = after(now, evidence)
        if status in (V, U, D):
            assert now is status
        else:
            assert now in (S, L)


def test_done_is_not_left() -> None:
    assert all(after(D, evidence)[0] is D for evidence in Evidence)


def test_done_is_reached_by_confirmation_of_something_seen_alone() -> None:
    assert {(status, evidence) for status, evidence in ALL
            if status is not D and after(status, evidence)[0] is D} == {
        (V, Evidence.CONFIRMED), (U, Evidence.CONFIRMED)}
