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
from semantic_nav.verify.floor.odometry import Odometry

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


def held(rig: VerifierRig) -> str:
    """Return why the robot is held; empty where it is not."""
    rig.hear_maps()
    rig.act(rig.see_mug()[0])
    if rig.decision is None:
        rig.path()
    return '' if rig.code is Code.OK else rig.decision.reason


def begin_anew(rig: VerifierRig, at: Pose2D, seconds: float = 20.0) -> Pose2D:
    """Let the base count from another place, as from 0; returns where the robot really is."""
    really = rig.pose
    rig.clock.advance(0.2)
    rig.pose = (rig.map_T_odom @ Transform.from_pose(at)).pose()
    rig.hear(rig.resolved())
    rest(rig, seconds)
    return really


def rest(rig: VerifierRig, seconds: float) -> None:
    for _ in range(round(seconds / 0.2)):
        rig.clock.advance(0.2)
        rig.hear(CostmapReceived(rig.room.costmap(rig.clock.now.clock_ns)))
        rig.hear(rig.resolved())


def set_pose(rig: VerifierRig, really: Pose2D) -> None:
    """Let the localisation hold the robot to be there."""
    odom_T_base = rig.map_T_odom.inverse() @ Transform.from_pose(rig.pose)
    rig.map_T_odom = Transform.from_pose(really) @ odom_T_base.inverse()
    rig.pose = really
    rest(rig, 0.2)


@pytest.mark.parametrize(('anew', 'words'), [
    (Pose2D(0.0, 0.0, 0.0), 'the odometry began anew: it leapt by 3.6 m'),
    (Pose2D(0.5, 0.5, 0.0), 'the odometry leapt by 2.9 m')])
def test_base_that_counts_anew_is_held_until_the_pose_is_set(anew: Pose2D, words: str) -> None:
    rig = VerifierRig()
    track = rig.see_mug()[1].track
    really = begin_anew(rig, anew)
    for _ in range(3):
        reason = held(rig)
        assert words in reason and 'set the pose anew (2D Pose Estimate in RViz)' in reason
        rest(rig, 20.0)
    assert 'two nodes' not in reason
    set_pose(rig, moved_pose(Transform.from_pose(really), Pose2D(0.1, -0.1, 0.05)))
    rest(rig, 1.0)
    assert held(rig) == ''
    after = rig.core._findings.track
    assert track is not None and after is not None
    assert after.id == track.id
    assert math.dist(after.position, track.position) < 0.3


def test_pose_that_is_set_somewhat_beside_lets_it_go_on() -> None:
    rig = VerifierRig()
    really = begin_anew(rig, Pose2D(0.0, 0.0, 0.0))
    set_pose(rig, moved_pose(Transform.from_pose(really), Pose2D(-0.8, 0.5, 0.3)))
    rest(rig, 16.0)
    assert held(rig) == ''


def test_localisation_that_slides_to_where_the_robot_is_lets_it_go_on() -> None:
    rig = VerifierRig()
    really = begin_anew(rig, Pose2D(0.5, 0.5, 0.0), 6.0)
    was = rig.pose
    for step in range(1, 41):
        share = step / 40
        set_pose(rig, Pose2D(was.x + share * (really.x - was.x),
                             was.y + share * (really.y - was.y), 0.0))
        assert step > 30 or rig.core._surroundings.robot.odometry.is_off
    assert held(rig) == ''


@pytest.mark.parametrize('correction_m', [0.1, 0.6, 1.0])
def test_lesser_correction_does_not_believe_the_leap(correction_m: float) -> None:
    rig = VerifierRig()
    begin_anew(rig, Pose2D(0.0, 0.0, 0.0))
    set_pose(rig, Pose2D(rig.pose.x + correction_m, rig.pose.y, 0.0))
    rest(rig, 30.0)
    assert 'the localisation has not followed' in held(rig)


def test_base_that_was_silent_before_it_counts_anew_is_held() -> None:
    """In so long a time it could have driven there, but not so exactly."""
    odometry = told((0.0, HERE), (30.0, Pose2D(0.0, 0.0, 0.0)), (90.0, Pose2D(0.0, 0.0, 0.0)))
    assert odometry.is_off and 'began anew' in odometry.fault
    assert not told((0.0, HERE), (30.0, Pose2D(0.02, 0.01, 0.0))).fault


def test_drive_is_cut_where_the_base_counts_anew() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    begin_anew(rig, Pose2D(0.0, 0.0, 0.0), 0.0)
    assert rig.cancelled == [rig.sent_id]


def test_two_that_publish_are_believed_again_where_they_end_at_home() -> None:
    for apart_m in (0.3, 0.8, 1.2, 3.0):
        for step_s in (0.1, 0.2, 0.3):
            for pattern in ('ABAABBABABAABBA', 'ABABA', 'ABA'):
                assert not alternating(Pose2D(2.0 + apart_m, 3.0, 0.0), step_s, pattern).is_off


@pytest.mark.parametrize(('apart', 'named'), [
    (Pose2D(3.0, 0.0, 0.0), True), (Pose2D(0.3, 0.0, 0.2), True), (Pose2D(0.1, 0.0, 0.0), False)])
def test_two_localisations_are_named(apart: Pose2D, *, named: bool) -> None:
    poses = [Pose2D(0.0, 0.0, 0.0), apart] * 10
    odometry = told(*((0.2 * step, HERE) for step in range(20)), correction=poses)
    assert odometry.wavers is named
    assert ('the localisation leaps to and fro by' in odometry.fault) is named
    calm = told(*((0.2 * step, HERE) for step in range(60)), correction=poses + poses[-1:] * 40)
    assert not calm.fault


@pytest.mark.parametrize('told_of', ['odometry', 'nothing'])
def test_robot_stands_by_its_odometry_where_it_has_one(told_of: str) -> None:
    """One whose odom -> base_link is the identity for ever moves in the map alone."""
    rig = VerifierRig()
    here = rig.pose if told_of == 'odometry' else Pose2D(0.0, 0.0, 0.0)
    rig.approach_mug()
    rig.finish()
    for number in range(30):
        rig.clock.advance(0.1)
        rig.map_T_odom = Transform.from_pose(Pose2D(0.05 * (number % 3), 0.04 * (number % 2), 0.0))
        rig.pose = (rig.map_T_odom @ Transform.from_pose(here)).pose()
        rig.hear(rig.resolved())
        if rig.result is not None:
            break
    assert (rig.result is not None) is (told_of == 'odometry')
