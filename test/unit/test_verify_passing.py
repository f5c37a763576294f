"""Looks after which the robot drives on while the model answers."""

from dataclasses import replace

import pytest
from builders import canonical
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.documents import Document, Look, Observation
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.checks.attempts import Arrival, Attempts
from semantic_nav.verify.effects import AskPath, SendSpin
from semantic_nav.verify.events import BeliefLost, LookNotFrozen

EXPLORE = canonical('explore')
VIEW, NEXT = Pose2D(1.0, 2.0, 0.0), Pose2D(3.0, 2.0, 0.0)


def passing(rig: VerifierRig) -> str:
    """Take a picture for whose answer nobody waits; returns the id of the look."""
    return rig.say(Look(True, '', 64, 48, inform=True, camera='camera'), frame='camera').id


def with_an_act() -> tuple[VerifierRig, str, Document]:
    """Return a robot that is to act while a look is passed: the look, and the act."""
    rig = VerifierRig()
    explored, _ = rig.see(EXPLORE)
    look = passing(rig)
    return rig, look, rig.act(explored)


def sets_out(rig: VerifierRig) -> bool:
    """Tell whether the last event began an act."""
    return any(isinstance(one, AskPath | SendSpin) for one in rig.out)


def test_act_waits_for_the_depth_of_the_look_before_it() -> None:
    rig, look, _ = with_an_act()
    assert not sets_out(rig)
    rig.hear(rig.freeze(look))
    assert sets_out(rig)


def test_act_goes_on_where_the_depth_does_not_come() -> None:
    rig, look, _ = with_an_act()
    rig.hear(LookNotFrozen(look, 'no depth'))
    assert sets_out(rig)


def test_stop_forgets_the_act_that_waits() -> None:
    rig, look, _ = with_an_act()
    rig.stop()
    rig.hear(rig.freeze(look))
    assert not sets_out(rig)


def test_act_waits_no_longer_than_depth_may_come() -> None:
    rig, _, _ = with_an_act()
    rig.clock.advance(rig.config.freeze_wait_s + 0.6)
    rig.hear_pose()
    assert sets_out(rig)


def test_act_that_waits_is_forgotten_when_the_belief_is_lost() -> None:
    rig, look, _ = with_an_act()
    rig.hear(BeliefLost())
    rig.hear(rig.freeze(look))
    assert not sets_out(rig)


def test_act_that_comes_twice_waits_as_one() -> None:
    rig, look, act = with_an_act()
    rig.say(act.body, id_=act.id)
    rig.hear(rig.freeze(look))
    assert sets_out(rig)


def next_after(*, twice: bool, answered: bool) -> Pose2D | float:
    """Return the next view after one look or two, the second perhaps unanswered.

    Or the turn to it, where it is from here.
    """
    rig = VerifierRig()
    explored, _ = rig.see(EXPLORE)
    rig.hear_pose(replace(START, yaw=START.yaw - 1.0))
    if twice and answered:
        explored, _ = rig.see(EXPLORE)
    elif twice:
        rig.hear(rig.freeze(passing(rig)))
    rig.act(explored)
    asked = [one for one in rig.out if isinstance(one, AskPath | SendSpin)][-1]
    return asked.goal if isinstance(asked, AskPath) else asked.angle_rad


def test_floor_in_a_picture_that_is_being_looked_at_needs_no_other_view() -> None:
    assert next_after(twice=True, answered=False) == next_after(twice=True, answered=True) != (
        next_after(twice=False, answered=True))


def looking(rig: VerifierRig, *yaws: float) -> list[str]:
    """Let the robot take a picture in each of some directions; returns the looks."""
    looks = []
    for yaw in yaws:
        rig.hear_pose(replace(START, yaw=yaw))
        looks.append(passing(rig))
        rig.hear(rig.freeze(looks[-1]))
    return looks


def unseen_m2(rig: VerifierRig) -> float:
    """Return how much of the reachable floor needs a view yet."""
    situation = rig.core._situation(rig.clock.now)
    assert situation.findings.seen is not None
    return situation.findings.seen.in_range.unlooked_m2(
        situation.surroundings.reachable_floor())


def test_floor_in_all_pictures_that_are_to_be_looked_at_needs_no_other_view() -> None:
    rig, left = VerifierRig(), []
    rig.see(EXPLORE)
    left.append(unseen_m2(rig))
    for yaw in (START.yaw + 1.5, START.yaw - 1.5):
        looking(rig, yaw)
        left.append(unseen_m2(rig))
    assert left[0] > left[1] > left[2]


def test_floor_in_a_picture_is_looked_at_once_its_answer_is_there() -> None:
    rig = VerifierRig()
    rig.see(EXPLORE)
    first, second = looking(rig, START.yaw + 1.5, START.yaw - 1.5)
    both = unseen_m2(rig)
    rig.answer(EXPLORE, first)
    assert unseen_m2(rig) == pytest.approx(both)
    rig.answer(EXPLORE, second)
    assert unseen_m2(rig) == pytest.approx(both)


@pytest.mark.parametrize('waits', [False, True])
def test_picture_that_got_no_answer_shows_nothing_after_a_later_one(waits: bool) -> None:
    rig = VerifierRig()
    for _ in range(2):
        rig.see(EXPLORE)
    before = unseen_m2(rig)
    first, second = looking(rig, START.yaw + 1.5, START.yaw)
    assert unseen_m2(rig) < before
    if waits:
        rig.hear_pose(START)
        rig.see(EXPLORE)
    else:
        rig.answer(EXPLORE, second)
    assert unseen_m2(rig) == pytest.approx(before), first


def test_floor_of_an_answer_that_never_came_is_looked_at_again() -> None:
    rig = VerifierRig()
    rig.see(EXPLORE)
    _, before = rig.see(EXPLORE)
    rig.hear_pose(replace(START, yaw=START.yaw + 1.5))
    rig.hear(rig.freeze(passing(rig)))
    rig.hear_pose(START)
    _, after = rig.see(EXPLORE)
    assert after.coverage == pytest.approx(before.coverage), 'no model has looked there'


def test_answer_on_the_way_adds_to_what_was_looked_at() -> None:
    rig = VerifierRig()
    _, before = rig.see(EXPLORE)
    rig.hear_pose(replace(START, yaw=START.yaw + 1.5))
    look = passing(rig)
    rig.hear(rig.freeze(look))
    rig.hear_pose(NEXT)
    rig.answer(EXPLORE, look)
    after = rig.observed()
    assert isinstance(after, Observation) and after.coverage > before.coverage
    assert after.pose is not None and not after.pose.moved_from(
        replace(START, yaw=START.yaw + 1.5), 1e-6, 1e-6)


# Which view was looked from

def test_answer_counts_for_the_view_where_its_picture_was_taken() -> None:
    attempts = Attempts(arrivals=(Arrival(viewpoint=VIEW), Arrival(viewpoint=NEXT)))
    after = attempts.looked(replace(VIEW, x=VIEW.x + 0.2))
    assert after.viewpoints == (VIEW,) and after.awaiting == (NEXT,)


def test_answer_to_a_picture_from_elsewhere_counts_for_no_view() -> None:
    attempts = Attempts(arrivals=(Arrival(viewpoint=VIEW), Arrival(node_id='a')))
    after = attempts.looked(Pose2D(9.0, 9.0, 0.0))
    assert after.viewpoints == () and after.arrivals == attempts.arrivals


def test_answer_that_was_waited_for_counts_for_the_last_arrival() -> None:
    attempts = Attempts(arrivals=(Arrival(viewpoint=VIEW), Arrival(viewpoint=NEXT)))
    after = attempts.looked()
    assert after.viewpoints == (NEXT,) and after.awaiting == ()
