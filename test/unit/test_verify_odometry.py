"""Leaps of the odometry: no robot goes so fast."""

import math
from collections.abc import Sequence

import pytest
from builders import canonical
from verifier_rig import VerifierRig

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D, Transform, moved_pose
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.effects import SendNav
from semantic_nav.verify.events import CostmapReceived, PoseResolved
from semantic_nav.verify.odometry import Odometry

HERE = Pose2D(2.0, 3.0, 0.0)
Stamped = tuple[float, Pose2D]


def told(*stamped: Stamped, correction: Sequence[Pose2D] = ()) -> Odometry:
    """Return what is known after some poses in the odometry, each with its stamp in s."""
    odometry = Odometry()
    for number, (stamp_s, pose) in enumerate(stamped):
        of_map = Transform.from_pose(
            correction[number] if correction else Pose2D(1.0, -2.0, 0.7))
        odometry = odometry.after(PoseResolved(
            round((100.0 + stamp_s) * NS_PER_S), of_map @ Transform.from_pose(pose), of_map))
    return odometry


def alternating(other: Pose2D, step_s: float = 0.2, pattern: str = 'ABAABBABABAABB') -> Odometry:
    return told(*((step_s * number, HERE if which == 'A' else other)
                  for number, which in enumerate(pattern)))


@pytest.mark.parametrize('other', [
    Pose2D(4.0, 5.0, 0.0), Pose2D(2.4, 3.0, 0.0), Pose2D(2.0, 2.5, 1.0), Pose2D(2.0, 3.0, 0.6),
    Pose2D(2.0, 3.0, math.pi)])
def test_two_that_publish_places_apart_make_leaps(other: Pose2D) -> None:
    odometry = alternating(other)
    assert odometry.leaps
    assert 'the odometry leapt by' in odometry.words


def test_places_of_two_metres_apart_are_told_at_once() -> None:
    assert told((0.0, HERE), (0.1, Pose2D(4.0, 5.0, 0.0))).words == (
        'the odometry leapt by 2.8 m and 0.0 rad in 0.1 s')


@pytest.mark.parametrize('poses', [
    [(0.2 * step, Pose2D(0.5 * step, 0.0, 0.0)) for step in range(20)],
    [(0.2 * step, Pose2D(0.0, 0.0, 1.2 * step)) for step in range(20)],
    [(0.2 * step, Pose2D(0.3 if step >= 5 else 0.0, 0.0, 0.3 if step >= 8 else 0.0))
     for step in range(20)],
    [(0.2 * step, Pose2D(0.1 * (step % 2), 0.0, 0.1 * (step % 2))) for step in range(40)],
    [(0.5 * step, Pose2D(0.5 * abs(step % 4 - 2), 0.0, 0.0)) for step in range(40)],
    [(0.0, HERE), (1.5, Pose2D(3.5, 3.0, 0.0)), (1.5, Pose2D(3.5, 3.0, 0.0))],
    [(0.0, HERE), (60.0, Pose2D(30.0, 3.0, 2.0))],
    [(0.0, HERE), (-50.0, Pose2D(0.0, 0.0, 0.0)), (-49.8, Pose2D(0.1, 0.0, 0.0))]],
    ids=['fast', 'spinning', 'slips', 'trembling', 'to and fro', 'late ticks', 'carried while off',
         'simulator reset'])
def test_what_robots_do_is_no_leap(poses: list[Stamped]) -> None:
    assert told(*poses).leapt_ns is None


def test_correction_of_the_localisation_is_no_leap() -> None:
    assert told(*((0.2 * step, HERE) for step in range(6)), correction=[
        Pose2D(0.0, 0.0, 0.0), Pose2D(5.0, 0.0, 2.0)] * 3).leapt_ns is None


def test_leap_before_a_simulator_was_reset_is_forgotten() -> None:
    assert not told((0.0, HERE), (0.1, Pose2D(9.0, 3.0, 0.0)), (-90.0, HERE)).leaps


def hear_two(rig: VerifierRig, other: Pose2D, seconds: float) -> list[object]:
    """Let two nodes publish odom -> base_link; returns what followed."""
    followed: list[object] = []
    here = rig.pose
    for number in range(round(seconds / 0.1)):
        now = rig.clock.advance(0.1)
        followed += rig.hear(CostmapReceived(rig.room.costmap(now.clock_ns)))
        pose = (other, here)[number % 2]
        followed += rig.hear(PoseResolved(now.clock_ns, Transform.from_pose(pose),
                                          rig.map_T_odom))
    return followed


def apart(rig: VerifierRig) -> Pose2D:
    return moved_pose(Transform.from_pose(rig.pose), Pose2D(0.3, -1.5, 1.0))


def test_act_is_refused_while_two_publish_and_heals_by_itself() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    hear_two(rig, apart(rig), 2.0)
    rig.act(hypothesis_id)
    assert rig.code is Code.POSE_UNAVAILABLE
    assert 'do two nodes publish it?' in rig.decision.reason
    for _ in range(30):
        rig.drive(rig.pose, 0.2)
    rig.act(rig.see_mug()[0])
    rig.path()
    assert rig.code is Code.OK


def test_drive_is_cut_and_others_hear_that_the_pose_is_not_healthy() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    assert isinstance(rig.sent, SendNav)
    hear_two(rig, apart(rig), 0.1)
    assert rig.cancelled == [rig.sent_id]
    rig.finish('canceled')
    hear_two(rig, apart(rig), 6.0)
    ends = [body.result for body in (getattr(one, 'body', None) for one in rig.documents)
            if getattr(body, 'result', None) is not None]
    assert [(end.outcome, end.code) for end in ends] == [
        (ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)]
    assert 'leapt by' in ends[0].reason
    told_poses = [one.body for one in rig.documents
                  if type(one.body).__name__ == 'RobotPose']
    assert not told_poses[-1].healthy


def test_look_from_before_a_leap_is_not_grounded_after_it() -> None:
    rig = VerifierRig()
    proposal = canonical('approach', seen='visible', target_box=rig.box())
    stamp_ns = rig.clock.now.clock_ns
    look_id = rig.look()
    hear_two(rig, apart(rig), 0.2)
    for _ in range(30):
        rig.drive(rig.pose, 0.2)
    rig.answer(proposal, look_id, stamp_ns=stamp_ns)
    observed = rig.observed()
    assert observed.track is None and observed.pose is None
    assert 'after this picture was taken' in observed.ungrounded_reason
