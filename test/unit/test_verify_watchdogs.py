"""What must be known to begin a drive must be known all the way."""

import math

import pytest
from builders import canonical
from verifier_rig import VerifierRig

from semantic_nav.contracts.core import Output
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.effects import CancelNav, RefineLocalisation, SendBackUp
from semantic_nav.verify.events import (
    ChargeHeard,
    CostmapMissing,
    CostmapReceived,
    HoldAwaited,
    HoldHeard,
    PoseMissing,
    SensorBlind,
    SensorHeard,
    UncertaintyHeard,
)
from semantic_nav.verify.floor.surroundings import DEPTH, SCAN


def driving(**config: object) -> VerifierRig:
    rig = VerifierRig(**config)
    rig.approach_mug()
    return rig


def told(rig: VerifierRig) -> None:
    """Let Nav2 end the cancelled goal, and the robot stand as far as anybody knows."""
    rig.finish('canceled')
    for _ in range(30):
        if rig.result is not None:
            return
        rig.tick()


def test_drive_is_cancelled_when_the_pose_gets_old() -> None:
    rig = driving(pose_max_age_s=1.0)
    goal_id = rig.sent_id
    rig.tick(0.9)
    assert rig.cancelled == []
    rig.hear(PoseMissing('TF is silent'))
    rig.tick(0.2)
    assert rig.cancelled == [goal_id]
    told(rig)
    assert rig.result is not None
    assert (rig.result.outcome, rig.result.code) == (
        ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)
    assert rig.result.reason == 'stopped on the way: the pose is 1.1 s old: TF is silent'


def test_costmaps_that_go_on_without_tf_prove_nothing() -> None:
    """Nav2 publishes its costmap on, with fresh stamps, though its content is frozen."""
    rig = driving(pose_max_age_s=1.0)
    goal_id, followed = rig.sent_id, []
    for _ in range(8):
        rig.clock.advance(0.5)
        followed += rig.hear(CostmapReceived(rig.room.costmap(rig.clock.now.clock_ns)))
        followed += rig.hear(PoseMissing('map -> odom is silent'))
        followed += rig.tick(0.0)
    assert [one.nav_goal_id for one in followed if isinstance(one, CancelNav)][0] == goal_id
    told(rig)
    assert rig.result is not None and rig.result.code is Code.POSE_UNAVAILABLE
    rig.hear(CostmapReceived(rig.room.costmap(rig.clock.now.clock_ns)))
    decision = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert decision is not None and decision.code is Code.POSE_UNAVAILABLE
    assert 'map -> odom is silent' in decision.reason
    _, observed = rig.see_mug()
    assert observed.pose is None and 'map -> odom is silent' in observed.ungrounded_reason


def test_drive_is_cancelled_when_the_costmap_gets_old() -> None:
    rig = driving(costmap_max_age_s=5.0)
    goal_id = rig.sent_id
    rig.stand(4.0)
    assert not [one for one in rig.out if isinstance(one, CancelNav)]
    rig.hear(CostmapMissing('it has no cells'))
    followed = rig.stand(1.4)
    assert CancelNav(goal_id) in followed
    rig.finish('canceled')
    rig.stand(1.0)
    (result,) = [one.body.result for one in rig.documents[-3:]
                 if getattr(one.body, 'result', None) is not None]
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.MAP_UNAVAILABLE)
    assert 'costmap' in result.reason and 'it has no cells' in result.reason


@pytest.mark.parametrize('live', [False, True])
def test_drive_is_cancelled_when_a_live_map_gets_old(live: bool) -> None:
    rig = driving(map_is_live=live, map_max_age_s=3.0)
    for _ in range(4):
        rig.drive(rig.pose, 1.0)
    cancelled = [one for one in rig.effects if isinstance(one, CancelNav)]
    assert bool(cancelled) is live


def test_goal_that_ends_although_nobody_hears_it_is_told_with_the_code() -> None:
    rig = driving(cancel_max_s=2.0)
    rig.tick(1.1)
    assert rig.cancelled
    rig.tick(2.1)
    for _ in range(30):
        if rig.result is not None:
            break
        rig.tick()
    assert rig.result is not None and rig.result.code is Code.POSE_UNAVAILABLE
    assert 'did not end the goal' in rig.result.reason


def test_drive_that_somebody_cancels_has_no_code() -> None:
    rig = driving()
    rig.stop()
    rig.finish('canceled')
    rig.stand()
    (result,) = [one.body.result for one in rig.documents
                 if getattr(one.body, 'result', None) is not None]
    assert (result.outcome, result.code) == (ActOutcome.CANCELLED, None)


def test_nothing_is_held_against_the_goal_of_a_drive_that_was_cut_short() -> None:
    rig = driving()
    goal = rig.sent.goal
    rig.tick(1.1)
    told(rig)
    rig.drive(rig.pose)
    rig.stand()
    rig.approach_mug()
    assert rig.sent.goal == goal


def test_way_back_is_cut_short_too() -> None:
    rig = driving(stuck_s=2.0)
    rig.drive(Pose2D(2.6, 3.0, 0.0))
    rig.finish('aborted', 105)
    for _ in range(30):
        rig.drive(rig.pose, 0.25)
        if isinstance(rig.sent, SendBackUp):
            break
    assert isinstance(rig.sent, SendBackUp)
    rig.tick(1.1)
    assert rig.cancelled == [rig.sent_id]


# Sensors, by what is heard of them

def hear_all(rig: VerifierRig, seconds: float, *sensors: str) -> list[Output]:
    """Let time pass in which pose, costmap and these sensors are heard; returns what followed."""
    followed: list[Output] = []
    for _ in range(round(seconds / 0.5)):
        rig.clock.advance(0.5)
        rig.hear_maps()
        for sensor in sensors:
            followed += rig.hear(SensorHeard(sensor, rig.clock.now.clock_ns))
        followed += rig.hear_pose()
    return followed


@pytest.mark.parametrize('sensor', [DEPTH, SCAN])
def test_drive_is_cancelled_when_a_sensor_falls_silent(sensor: str) -> None:
    rig = driving(depth_max_age_s=2.0, scan_max_age_s=2.0)
    goal_id = rig.sent_id
    assert not rig.cancelled
    both = hear_all(rig, 10.0, DEPTH, SCAN)
    assert CancelNav(goal_id) not in both
    other = DEPTH if sensor is SCAN else SCAN
    assert CancelNav(goal_id) not in hear_all(rig, 2.0, other)
    assert CancelNav(goal_id) in hear_all(rig, 0.5, other)
    told(rig)
    assert rig.result is not None
    assert (rig.result.outcome, rig.result.code) == (
        ActOutcome.UNAVAILABLE, Code.SENSOR_UNAVAILABLE)
    assert rig.result.reason == f'stopped on the way: the newest {sensor} is 2.5 s old'
    hear_all(rig, 1.0, other)
    assert rig.try_(canonical('explore')).code is Code.SENSOR_UNAVAILABLE
    hear_all(rig, 1.0, sensor, other)
    rig.approach_mug()


def blind_for(rig: VerifierRig, seconds: float, within_m: float) -> list[Output]:
    """Let time pass in which the scanner lives, and measures nothing; returns what followed."""
    followed: list[Output] = []
    for _ in range(round(seconds / 0.5)):
        followed += hear_all(rig, 0.5, DEPTH)
        followed += rig.hear(SensorBlind(SCAN, rig.clock.now.clock_ns, 'see its motor', within_m))
    return followed


@pytest.mark.parametrize('within_m', [0.0, 12.0])
def test_scanner_that_measures_nothing_between_walls_counts_as_silent(within_m: float) -> None:
    """turtlebot4 issue 150: a scanner that stands still goes on to publish."""
    rig = driving(scan_max_age_s=2.0)
    hear_all(rig, 1.0, SCAN, DEPTH)
    goal_id = rig.sent_id
    assert CancelNav(goal_id) not in blind_for(rig, 2.0, within_m), 'a moment is no harm'
    assert CancelNav(goal_id) in blind_for(rig, 1.0, within_m)
    told(rig)
    assert rig.result is not None and rig.result.code is Code.SENSOR_UNAVAILABLE
    assert rig.result.reason == (
        'stopped on the way: the laser scan shows nothing: see its motor')
    hear_all(rig, 1.0, SCAN, DEPTH)
    rig.approach_mug()


def test_scanner_that_never_measured_anything_starts_no_drive() -> None:
    rig = VerifierRig(scan_max_age_s=2.0)
    rig.begin()
    blind_for(rig, 1.0, 0.0)
    refused = rig.try_(canonical('explore'))
    assert refused.code is Code.SENSOR_UNAVAILABLE and 'see its motor' in refused.reason


def test_scanner_that_meets_nothing_in_the_middle_of_a_hall_ends_no_drive() -> None:
    rig = driving(scan_max_age_s=2.0)
    hear_all(rig, 1.0, SCAN, DEPTH)
    assert CancelNav(rig.sent_id) not in blind_for(rig, 10.0, 0.5)


@pytest.mark.parametrize('config', [{}, {'scan_max_age_s': 0.0}])
def test_sensor_that_was_never_heard_or_is_not_watched_ends_no_drive(
        config: dict[str, float]) -> None:
    rig = driving(**config)
    if config:
        rig.hear(SensorHeard(SCAN, rig.clock.now.clock_ns))
    assert CancelNav(rig.sent_id) not in hear_all(rig, 10.0)


def test_sensor_to_which_nobody_listened_between_two_goals_has_its_time_anew() -> None:
    rig = VerifierRig(scan_max_age_s=2.0)
    hear_all(rig, 1.0, SCAN)
    hear_all(rig, 60.0)
    rig.begin('goal-s-2')
    seen = canonical('approach', seen='visible', target_box=rig.box())
    rig.act(rig.answer(seen, rig.look(goal='goal-s-2'), goal='goal-s-2').id, goal='goal-s-2')
    assert rig.code is None
    rig.path()
    assert rig.moving
    assert CancelNav(rig.sent_id) in hear_all(rig, 2.5)


# A topic by which somebody lets the robot stand

def test_drive_is_cancelled_at_once_when_the_robot_is_held() -> None:
    rig = driving()
    rig.hear(HoldHeard(True))
    assert rig.cancelled == [rig.sent_id]
    told(rig)
    assert rig.result is not None
    assert (rig.result.outcome, rig.result.code) == (ActOutcome.UNAVAILABLE, Code.HELD)
    rig.drive(rig.pose)
    assert rig.try_(canonical('explore')).code is Code.HELD
    rig.hear(HoldHeard(False))
    rig.approach_mug()


@pytest.mark.parametrize('stage', ['path', 'turn'])
def test_nothing_sets_out_while_the_robot_is_held(stage: str) -> None:
    rig = VerifierRig()
    if stage == 'path':
        rig.act(rig.see_mug()[0])
        rig.hear(HoldHeard(True))
        rig.path()
    else:
        rig.hear(HoldHeard(True))
        rig.act(rig.see(canonical('rotate', rotate_rad=1.0))[0])
    assert not rig.moving and rig.code is Code.HELD


def test_pose_says_at_once_that_the_robot_is_held_and_let_go() -> None:
    rig = VerifierRig()
    rig.stand(1.0)
    rig.hear(HoldHeard(True))
    assert rig.robot_pose is not None and 'pause topic' in rig.robot_pose.held
    rig.hear(HoldHeard(False))
    assert rig.robot_pose is not None and rig.robot_pose.held == ''


def test_robot_that_stands_to_a_stop_is_still_held() -> None:
    rig = driving()
    rig.hear(HoldHeard(True))
    rig.finish('canceled')
    rig.stand()
    rig.stop()
    assert rig.robot_pose is not None
    assert rig.robot_pose.stands and 'pause topic' in rig.robot_pose.held


def test_pause_topic_that_falls_silent_holds_the_robot_where_that_is_wanted() -> None:
    rig = VerifierRig(pause_max_age_s=1.0)
    assert rig.try_(canonical('explore')).reason == 'nothing has come on the pause topic'
    rig.hear(HoldHeard(False))
    rig.approach_mug()
    assert CancelNav(rig.sent_id) not in hear_all(rig, 1.0)
    assert CancelNav(rig.sent_id) in hear_all(rig, 0.5)


def test_robot_is_held_until_the_first_word_of_a_pause_topic() -> None:
    rig = VerifierRig()
    rig.hear(HoldAwaited())
    assert rig.try_(canonical('explore')).reason == 'nothing has come on the pause topic'
    rig.hear(HoldHeard(False))
    rig.approach_mug()


# The battery

def test_robot_is_held_while_its_battery_is_nearly_empty() -> None:
    rig = driving(battery_min=0.2)
    for share in (0.9, 0.2):
        rig.hear(ChargeHeard(share))
    assert rig.cancelled == []
    rig.hear(ChargeHeard(0.19))
    assert rig.cancelled == [rig.sent_id]
    told(rig)
    assert rig.result is not None
    assert (rig.result.outcome, rig.result.code) == (ActOutcome.UNAVAILABLE, Code.HELD)
    rig.hear_pose()
    assert rig.robot_pose is not None
    assert rig.robot_pose.held == 'the battery is at 19% by battery_topic, 20% are needed'
    rig.drive(rig.pose)
    assert rig.try_(canonical('explore')).code is Code.HELD


def test_battery_that_gives_way_under_load_is_not_charged_by_a_rest() -> None:
    rig = VerifierRig(battery_min=0.2)
    for share, code in ((0.19, Code.HELD), (0.21, Code.HELD), (0.18, Code.HELD),
                        (0.22, Code.HELD), (0.23, Code.OK)):
        rig.hear(ChargeHeard(share))
        assert rig.try_(canonical('rotate', rotate_rad=1.0)).code is code, share


# The localisation

@pytest.mark.parametrize('uncertainty', [
    UncertaintyHeard(0.7, 0.1), UncertaintyHeard(0.1, 0.6)])
def test_drive_ends_where_the_localisation_gets_unsure(uncertainty: UncertaintyHeard) -> None:
    rig = driving(position_stddev_max_m=0.6, yaw_stddev_max_rad=0.5)
    rig.hear(UncertaintyHeard(0.6, 0.5))
    assert rig.cancelled == []
    rig.hear(uncertainty)
    assert rig.cancelled == [rig.sent_id]
    rig.finish('canceled')
    rig.stand(2.0)
    assert rig.result is not None and rig.result.code is Code.POSE_UNAVAILABLE
    assert rig.robot_pose is not None and not rig.robot_pose.healthy
    rig.hear(UncertaintyHeard(0.2, 0.1))
    rig.approach_mug()


@pytest.mark.parametrize('healthy', [
    UncertaintyHeard(0.4, 0.25),  # AMCL while driving, mostly
    UncertaintyHeard(1.02, 0.26),  # after an initial pose given with 1 m
    UncertaintyHeard(math.hypot(0.85, 0.73), 0.49)])  # AMCL after 21 m, 0.23 m off in truth
def test_robot_that_amcl_knows_may_drive(healthy: UncertaintyHeard) -> None:
    rig = VerifierRig()
    rig.hear(healthy)
    rig.approach_mug()


def refinements(rig: VerifierRig) -> int:
    return sum(isinstance(one, RefineLocalisation) for one in rig.effects)


def test_localisation_that_alone_refuses_is_asked_for_more_while_the_robot_stands() -> None:
    rig = VerifierRig(costmap_max_age_s=600.0)
    rig.hear(UncertaintyHeard(2.0, 0.1))
    refused = rig.try_(canonical('explore'))
    assert refused.code is Code.POSE_UNAVAILABLE
    assert '2.00 m and 0.10 rad, 1.2 m and 0.8 rad are allowed' in refused.reason
    assert '2D Pose Estimate' in refused.reason
    rig.stand(4.0)
    assert 4 <= refinements(rig) <= 6, 'once a second'
    rig.stand(20.0)
    assert refinements(rig) == 10, 'more of one scan would make it surer than it should be'
    rig.hear(UncertaintyHeard(0.3, 0.1))
    rig.stand(2.0)
    assert refinements(rig) == 10
    rig.approach_mug()
    rig.hear(UncertaintyHeard(2.0, 0.1))
    rig.drive(rig.pose)
    assert refinements(rig) == 10, 'what drives is told anyway'
    rig.finish('canceled')
    rig.stand(2.0)
    assert refinements(rig) > 10


def test_localisation_is_not_asked_where_something_else_refuses_too_or_nobody_drives() -> None:
    rig = VerifierRig(ready=False, costmap_max_age_s=600.0)
    rig.hear_maps()
    rig.hear_pose()
    rig.hear(UncertaintyHeard(2.0, 0.1))
    rig.stand(3.0)
    assert refinements(rig) == 0, 'no goal is open'
    rig.begin()
    rig.hear(HoldHeard(True))
    before = refinements(rig)
    rig.stand(3.0)
    assert refinements(rig) == before
    rig.hear(HoldHeard(False))
    rig.stand(1.0)
    assert refinements(rig) > before


def test_drive_ends_where_the_localisation_jumps_and_another_may_follow_soon() -> None:
    rig = driving(jump_settle_s=1.0, jump_doubt_s=0.0)
    goal_id = rig.sent_id
    rig.clock.advance(0.2)
    rig.map_T_odom = Transform.from_pose(Pose2D(0.0, -0.7, 0.0))
    rig.hear_pose(Pose2D(rig.pose.x, rig.pose.y - 0.7, 0.0))
    assert rig.cancelled == [goal_id]
    told(rig)
    assert rig.result is not None
    assert rig.result.code is Code.POSE_UNAVAILABLE and '0.70 m' in rig.result.reason
    rig.drive(rig.pose)
    rig.stand()
    rig.act(rig.see(canonical('rotate', rotate_rad=0.5))[0])
    assert rig.moving
