"""Which goal is cancelled for a verifier that gives no sign of life."""

from builders import accepted, document, ended

from semantic_nav.contracts.announced_goal import AGAIN_S, AnnouncedGoal
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Verdict


def announced() -> AnnouncedGoal:
    watched = AnnouncedGoal()
    watched.hear(document(accepted(), cause='step-1'))
    return watched


def goal_id() -> str:
    body = accepted()
    assert isinstance(body, Verdict) and body.decision is not None
    assert body.decision.nav_goal_id
    return body.decision.nav_goal_id


def test_goal_is_cancelled_again_and_again_for_some_seconds() -> None:
    watched = announced()
    assert watched.again(0, lost=True) == '', 'it is not lost yet'
    assert watched.lost(0) == goal_id()
    asked = [watched.again(round(number * AGAIN_S * NS_PER_S), lost=True)
             for number in range(1, 100)]
    assert 25 < asked.count(goal_id()) < 40
    assert asked[-1] == '' == watched.again(0, lost=True)


def test_verifier_that_is_back_sees_to_it_itself() -> None:
    watched = announced()
    watched.lost(0)
    assert watched.again(NS_PER_S, lost=False) == ''
    assert watched.again(2 * NS_PER_S, lost=True) == ''


def test_goal_that_has_ended_is_not_cancelled() -> None:
    watched = announced()
    watched.hear(document(ended(), cause='another-step'))
    assert watched.lost(0) == goal_id()
    watched.hear(document(ended(), cause='step-1'))
    assert watched.again(1, lost=True) == '' == watched.lost(2)


def test_next_goal_is_not_cancelled_for_the_verifier_of_the_one_before() -> None:
    watched = announced()
    watched.lost(0)
    watched.hear(document(accepted(), cause='step-2'))
    assert watched.again(1, lost=True) == ''
    assert watched.lost(2) == watched.again(3, lost=True) == goal_id()


def test_goal_that_ended_is_not_cancelled_once_more() -> None:
    watched = announced()
    watched.lost(0)
    watched.hear(document(ended(), cause='step-1'))
    assert watched.again(1, lost=True) == ''
    watched.hear(document(accepted(), cause='step-2'))
    assert watched.again(2, lost=True) == ''


def test_nothing_is_cancelled_before_anything_was_announced() -> None:
    assert AnnouncedGoal().lost(0) == ''
