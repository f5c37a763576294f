"""What an act comes to: where it leads, or which code refuses it and why."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from builders import GOAL_ID, Block, Room, candidate, candidates, canonical, look_request, tilted
from verifier_rig import MUG, START, TABLE, VerifierRig, table_room

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Decision, Step, Verdict
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import NavigationGoal, Scene, SceneObject
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Source, StepKind
from semantic_nav.verify.effects import AskPath, SendNav, SendSpin
from semantic_nav.verify.events import CostmapReceived, MapReceived

EXPLORE = canonical('explore')
EMPTY = np.zeros((120, 160), np.uint16)


def refused(rig: VerifierRig, code: Code, words: str = '') -> Decision:
    """Check that the last event refused an act, and drove nowhere."""
    (verdict,) = rig.bodies(Verdict)
    decision = verdict.decision
    assert decision is not None and verdict.result is None
    assert decision.code is code, decision
    assert words in decision.reason and decision.reason
    assert decision.nav_goal_id is None
    assert not any(isinstance(one, (AskPath, SendNav, SendSpin)) for one in rig.out)
    return decision


# Approach

def test_approach_asks_for_a_path_to_a_stand_off_first() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    step = rig.act(hypothesis_id)
    (ask,) = rig.out
    assert isinstance(ask, AskPath) and ask.timeout_s == 10.0
    assert 0.55 <= ask.goal.distance_to(4.2, 3.0) <= 0.95
    assert abs(ask.goal.bearing_to(4.2, 3.0)) < 0.1
    rig.path()
    decision, send = rig.decision, rig.sent
    assert decision is not None and decision.code is Code.OK
    assert isinstance(send, SendNav) and send.goal == ask.goal == decision.goal
    assert send.nav_goal_id == decision.nav_goal_id and len(send.nav_goal_id) == 32
    verdict = rig.documents[-1]
    assert verdict.cause_id == step.id and verdict.goal_id == GOAL_ID
    assert (verdict.body.action, verdict.body.hypothesis_id) == ('approach', hypothesis_id)
    assert [type(one).__name__ for one in rig.out] == ['Document', 'SendNav'], 'announced first'


def test_box_without_depth_is_not_grounded() -> None:
    rig = VerifierRig()
    rig.try_(canonical('approach', seen='visible', target_box=rig.box()), depth=EMPTY)
    refused(rig, Code.NOT_GROUNDED, 'depth picture')


def test_look_without_depth_is_not_grounded() -> None:
    rig = VerifierRig()
    rig.try_(canonical('approach', seen='visible', target_box=rig.box()), missing='no TF')
    refused(rig, Code.NOT_GROUNDED, 'no TF')


def test_far_target_is_approached_by_a_leg() -> None:
    rig = VerifierRig(Room(blocks=[TABLE]), Pose2D(0.6, 3.0, 0.0), ground_sure_m=2.0)
    hypothesis_id, observation = rig.see_mug()
    assert observation.objects[0].provisional
    rig.act(hypothesis_id)
    assert rig.asked.goal.distance_to(4.2, 3.0) <= 2.0 + 0.05
    rig.path()
    rig.drive(rig.asked.goal)
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome.value == 'leg_done'


def test_near_unsure_target_at_the_edge_of_the_picture_is_faced_first() -> None:
    rig = VerifierRig(pose=Pose2D(3.2, 3.0, 0.55))
    hypothesis_id, observation = rig.see_mug()
    assert observation.objects[0].provisional
    rig.act(hypothesis_id)
    spin = rig.sent
    assert isinstance(spin, SendSpin) and spin.angle_rad == pytest.approx(-0.55, abs=0.1)
    rig.finish()
    rig.hear_pose(Pose2D(3.2, 3.0, 0.0))
    rig.stand()
    assert rig.result is not None and rig.result.outcome.value == 'leg_done'


def test_target_without_a_clear_place_round_it_is_unreachable_from_as_near_as_can_be() -> None:
    rig = VerifierRig(Room(blocks=[Block((4.0, 7.9), (0.1, 5.9), (0.0, 0.75))]))
    mug = Block((5.6, 5.7), (2.95, 3.05), (0.75, 0.87))

    def approach() -> None:
        rig.try_(canonical('approach', seen='visible', target_box=rig.box(mug)),
                 depth=rig.depth((mug,)))
    approach()
    assert 1.8 < rig.asked.goal.distance_to(5.6, 3.0) <= 2.5
    rig.path()
    rig.drive(rig.asked.goal)
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome.value == 'leg_done'
    approach()
    decision = refused(rig, Code.UNREACHABLE, 'no clear pose')
    assert decision.goal is not None and decision.goal.distance_to(5.6, 3.0) < 0.2


def test_target_beyond_what_the_robot_sees_over_is_approached_as_far_as_may_be() -> None:
    board = Block((2.6, 2.8), (0.1, 5.9), (0.0, 0.3))
    rig = VerifierRig(Room(blocks=[TABLE, board]), Pose2D(0.6, 3.0, 0.0))
    hypothesis_id, observation = rig.see_mug()
    assert not observation.objects[0].provisional
    rig.act(hypothesis_id)
    assert 1.8 < rig.asked.goal.distance_to(4.2, 3.0) <= 2.6
    assert abs(rig.asked.goal.y - 3.0) < 1.0, 'on the line of sight'


def test_next_leg_goes_to_the_track() -> None:
    rig = VerifierRig()
    _, observation = rig.see_mug()
    rig.act(track_id=observation.track.id)
    assert rig.asked.goal.distance_to(4.2, 3.0) <= 0.95
    rig.path()
    assert rig.documents[-1].body.hypothesis_id is None
    assert rig.code is Code.OK


def test_track_that_is_lost_is_not_grounded() -> None:
    rig = VerifierRig()
    _, observation = rig.see_mug()
    rig.act(track_id='track-other')
    refused(rig, Code.NOT_GROUNDED, 'track-other')
    assert rig.miss().track is None
    rig.act(track_id=observation.track.id)
    refused(rig, Code.NOT_GROUNDED, 'not tracked')


def at_the_stand_off() -> tuple[VerifierRig, Pose2D]:
    """Return a robot that has driven to the mug, and the pose that it was sent to."""
    rig = VerifierRig()
    rig.approach_mug()
    first = rig.sent.goal
    rig.drive(first)
    rig.finish()
    rig.stand()
    return rig, first


def test_target_that_is_seen_is_looked_at_from_another_stand_off_near_by() -> None:
    rig, first = at_the_stand_off()
    _, observation = rig.see_mug()
    views = observation.track.views
    rig.act(track_id=observation.track.id)
    goal, (x, y, _) = rig.asked.goal, observation.track.position
    assert 0.4 <= goal.distance_to(first.x, first.y) <= 1.0
    rig.path()
    assert 'for another view' in rig.decision.reason
    # Nav2 stops short of its goal.
    short = 0.25 / goal.distance_to(first.x, first.y)
    at_x, at_y = goal.x + short * (first.x - goal.x), goal.y + short * (first.y - goal.y)
    rig.drive(Pose2D(at_x, at_y, math.atan2(y - at_y, x - at_x)))
    rig.finish()
    rig.stand()
    _, observation = rig.see_mug()
    assert observation.track.views == views + 1


def test_turn_is_no_other_view_where_another_stand_off_is_near() -> None:
    rig, first = at_the_stand_off()
    _, observation = rig.see_mug()
    views = observation.track.views
    rig.drive(Pose2D(first.x, first.y, first.yaw + 0.3))
    rig.stand()
    _, observation = rig.see_mug()
    assert observation.track.views == views


def test_target_that_a_stand_off_does_not_show_is_looked_at_from_another_one_at_once() -> None:
    rig, first = at_the_stand_off()
    _, observation = rig.see(EXPLORE)
    rig.act(track_id=observation.track.id)
    assert rig.asked.goal.distance_to(first.x, first.y) >= 0.4


def test_target_that_is_seen_may_be_looked_at_from_a_stand_off_of_before() -> None:
    """All others are used up, and it was not seen from places enough yet."""
    rig, _ = at_the_stand_off()
    mug, tried = mug_at(1.0), 0
    for _ in range(34):
        _, observation = rig.see(
            canonical('approach', seen='visible', target_box=rig.box(mug)),
            depth=rig.depth((mug,)))
        rig.act(track_id=observation.track.id)
        assert rig.decision is None or rig.decision.code is Code.OK
        if isinstance(rig.out[-1], AskPath):
            tried += 1
            goal = rig.asked.goal
            assert rig.pose.distance_to(goal.x, goal.y) >= 0.35
            rig.path()
            if isinstance(rig.out[-1], AskPath):
                # Straight it leads over the table.
                goal = rig.asked.goal
                rig.path()
            rig.drive(goal)
        else:
            off = rig.pose.bearing_to(*observation.track.position[:2])
            rig.drive(Pose2D(rig.pose.x, rig.pose.y, rig.pose.yaw + off + 0.2))
        rig.finish()
        rig.stand()
    assert tried > 12


def test_stand_offs_of_one_target_say_nothing_of_another() -> None:
    rig, _ = at_the_stand_off()
    _, before = rig.see_mug()
    assert rig.core._driver.attempts.stand_offs
    other = Block((4.2, 4.3), (3.75, 3.85), (0.94, 1.06))
    sight = canonical('approach', seen='visible', target_box=rig.box(other))
    _, observation = rig.see(sight, depth=rig.depth((other,)))
    assert observation.track.id != before.track.id
    assert rig.core._driver.attempts.stand_offs == ()


def test_turn_is_so_far_that_the_heading_is_a_new_one() -> None:
    """Seen on the way here in the heading that the usual turn would lead back to."""
    narrow = [Block((2.5, 8.0), (0.0, 2.6)), Block((2.5, 8.0), (3.4, 6.0))]
    rig = VerifierRig(Room(blocks=[TABLE, *narrow]), Pose2D(3.43, 3.0, -0.22))
    hypothesis_id, observation = rig.see_mug()
    rig.act(hypothesis_id)
    rig.path()
    rig.drive(Pose2D(3.475, 3.0, 0.01))
    rig.finish()
    rig.stand()
    _, observation = rig.see_mug()
    views = observation.track.views
    rig.act(track_id=observation.track.id)
    rig.drive(Pose2D(3.475, 3.0, rig.pose.yaw + rig.sent.angle_rad))
    rig.finish()
    rig.stand()
    _, observation = rig.see_mug()
    assert observation.track.views == views + 1


#: So near to a mug on a table nothing is clear.
TOO_NEAR = {'stand_off_near_m': 0.3, 'stand_off_best_m': 0.35, 'stand_off_far_m': 0.4}


def test_stand_off_is_farther_away_where_no_nearer_one_is_clear() -> None:
    rig = VerifierRig(**TOO_NEAR, stand_off_last_m=0.7)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert 0.4 <= rig.asked.goal.distance_to(4.2, 3.0) <= 0.75
    rig = VerifierRig(pose=Pose2D(3.4, 3.0, 0.0), **TOO_NEAR, stand_off_last_m=0.45)
    rig.base_T_camera = tilted(0.2)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    refused(rig, Code.UNREACHABLE)


def test_beyond_the_usual_ring_the_nearest_pose_goes_first() -> None:
    """Nav2 may stop short of it by its tolerance."""
    rig = VerifierRig(**TOO_NEAR, stand_off_last_m=1.2)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert rig.asked.goal.distance_to(4.2, 3.0) <= 0.75


def test_another_stand_off_may_be_beyond_the_usual_ring_too() -> None:
    rig = VerifierRig(**TOO_NEAR, stand_off_last_m=0.9)
    rig.approach_mug()
    first = rig.sent.goal
    yaw = first.yaw
    for _ in range(2):
        rig.drive(Pose2D(first.x, first.y, yaw))
        rig.finish()
        rig.stand()
        _, observation = rig.see_mug()
        rig.act(track_id=observation.track.id)
        yaw = rig.pose.yaw + getattr(rig.sent, 'angle_rad', 0.0)
    assert rig.asked.goal.distance_to(first.x, first.y) >= 0.4


def test_robot_that_is_near_enough_already_stays_and_faces_the_target() -> None:
    rig = VerifierRig(pose=Pose2D(3.5, 3.0, 0.2), **TOO_NEAR, stand_off_last_m=0.9)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert isinstance(rig.sent, SendSpin)
    assert rig.sent.angle_rad == pytest.approx(-0.2, abs=0.1)


def test_something_low_is_looked_at_from_as_far_as_may_be() -> None:
    """From nearer it would be below the picture: the last look could not confirm it."""
    rig = VerifierRig(Room())
    rig.base_T_camera = tilted(0.3)
    ball = Block((4.6, 4.8), (2.9, 3.1), (0.0, 0.2))
    rig.try_(canonical('approach', seen='visible', target_box=rig.box(ball)),
             depth=rig.depth((ball,)))
    assert 1.0 - 0.1 <= rig.asked.goal.distance_to(4.6, 3.0) <= 1.1 + 0.05


def mug_at(height_m: float) -> Block:
    return Block(MUG.x, MUG.y, (height_m - 0.06, height_m + 0.06))


@pytest.mark.parametrize(('height_m', 'near_m', 'far_m'), [
    (1.1, 0.5, 0.75), (1.37, 0.8, 0.9), (1.47, 1.0, 1.1)])
def test_stand_off_has_the_height_of_the_target_in_the_picture(
        height_m: float, near_m: float, far_m: float) -> None:
    rig = VerifierRig()
    mug = mug_at(height_m)
    rig.try_(canonical('approach', seen='visible', target_box=rig.box(mug)),
             depth=rig.depth((mug,)))
    assert near_m - 0.08 <= rig.asked.goal.distance_to(4.2, 3.0) <= far_m + 0.05


@pytest.mark.parametrize('by', ['box', 'track'])
def test_target_that_no_stand_off_has_in_the_picture_is_refused_before_the_drive(
        by: str) -> None:
    rig = VerifierRig()
    mug = mug_at(1.9)
    hypothesis_id, observation = rig.see(
        canonical('approach', seen='visible', target_box=rig.box(mug)), depth=rig.depth((mug,)))
    assert observation.track is not None and observation.track.sure
    if by == 'box':
        rig.act(hypothesis_id)
    else:
        rig.act(track_id=observation.track.id)
    decision = refused(rig, Code.NOT_CONFIRMED, 'no stand-off')
    # By this belief tells that the track is meant.
    assert decision.goal is not None
    assert decision.goal.distance_to(*observation.track.position[:2]) < 0.01


def test_pose_beside_something_of_unknown_height_is_not_refused_for_it() -> None:
    rig = VerifierRig(Room())
    ball = Block((4.6, 4.8), (2.9, 3.1), (0.0, 0.2))
    rig.try_(canonical(
        'approach', seen='visible', navigation_goal=NavigationGoal('map', 4.4, 3.0, 0.0),
        scene=Scene('', (SceneObject('ball', rig.box(ball)),))), depth=rig.depth((ball,)))
    assert rig.asked.goal.distance_to(4.7, 3.0) <= 1.2


def test_leg_ends_where_something_low_is_in_the_picture() -> None:
    rig = VerifierRig(Room(), ground_sure_m=1.0)
    ball = Block((4.6, 4.8), (2.9, 3.1), (0.0, 0.2))
    rig.base_T_camera = tilted(0.1)
    rig.try_(canonical('approach', seen='visible', target_box=rig.box(ball)),
             depth=rig.depth((ball,)))
    assert 1.4 <= rig.asked.goal.distance_to(4.7, 3.0) <= 2.1


def test_second_leg_leads_elsewhere_where_something_hides_the_target() -> None:
    rig = VerifierRig(ground_sure_m=1.0)
    hypothesis_id, observation = rig.see_mug()
    rig.act(hypothesis_id)
    first = rig.asked.goal
    rig.path()
    rig.drive(first)
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.LEG_DONE
    rig.see(EXPLORE, depth=np.zeros_like(rig.depth()))
    rig.act(track_id=observation.track.id)
    assert rig.asked.goal.distance_to(first.x, first.y) >= 0.4


# A pose that the model names

@pytest.mark.parametrize(('frame', 'x', 'y'), [
    ('map', 4.2, 3.0), ('map', 5.5, 3.4), ('base_link', 2.2, 0.0)])
def test_pose_beside_something_grounded_leads_to_its_stand_off(
        frame: str, x: float, y: float) -> None:
    rig = VerifierRig()
    rig.try_(canonical(
        'approach', seen='visible', navigation_goal=NavigationGoal(frame, x, y, 1.0),
        scene=Scene('', (SceneObject('mug', rig.box()),))))
    assert rig.asked.goal.distance_to(4.2, 3.0) <= 0.95


@pytest.mark.parametrize(('frame', 'x', 'y'), [
    ('map', 6.0, 3.0), ('map', 4.2, 4.7), ('map', 1e4, -1e4), ('base_link', 0.3, 0.0),
    ('base_link', -1e4, 1e4)])
def test_pose_beside_nothing_grounded_is_refused(frame: str, x: float, y: float) -> None:
    rig = VerifierRig()
    rig.try_(canonical(
        'approach', seen='visible', navigation_goal=NavigationGoal(frame, x, y, 1.0),
        scene=Scene('', (SceneObject('mug', rig.box()),))))
    refused(rig, Code.NOT_GROUNDED, '1.5 m')


def test_refused_pose_of_the_model_is_told_in_the_map() -> None:
    rig = VerifierRig(pose=Pose2D(2.0, 3.0, 1.0))
    rig.try_(canonical('approach', navigation_goal=NavigationGoal('base_link', 1.0, 2.0, 0.5)))
    refused(rig, Code.NOT_GROUNDED)
    assert rig.decision is not None and rig.decision.goal is not None
    told = rig.decision.goal
    assert (told.x, told.y, told.yaw) == pytest.approx((
        2.0 + math.cos(1.0) - 2.0 * math.sin(1.0), 3.0 + math.sin(1.0) + 2.0 * math.cos(1.0), 1.5))


def test_pose_of_the_model_beside_the_track_alone_is_refused() -> None:
    """It must be grounded in that very look; only the fallback may go by what was seen before."""
    rig = VerifierRig()
    rig.see_mug()
    goal = canonical('approach', navigation_goal=NavigationGoal('map', 4.2, 3.0, 0.0))
    rig.try_(goal)
    refused(rig, Code.NOT_GROUNDED)
    rig.try_(goal, source=Source.FALLBACK)
    assert rig.decision is None and rig.asked.goal.distance_to(4.2, 3.0) <= 0.95


def test_pose_relative_to_the_robot_needs_its_pose_at_the_look() -> None:
    rig = VerifierRig()
    rig.try_(canonical('approach', navigation_goal=NavigationGoal('base_link', 1.0, 0.0, 0.0)),
             missing='no TF')
    refused(rig, Code.NOT_GROUNDED, 'no TF')


def test_pose_relative_to_the_robot_counts_from_where_the_picture_was_taken() -> None:
    rig = VerifierRig()
    look_id = rig.look()
    proposal = canonical('approach', seen='visible',
                         navigation_goal=NavigationGoal('base_link', 2.2, 0.0, 0.0),
                         scene=Scene('', (SceneObject('mug', rig.box()),)))
    rig.drive(Pose2D(2.0, 1.0, math.pi / 2))
    rig.act(rig.answer(proposal, look_id).id)
    assert rig.asked.goal.distance_to(4.2, 3.0) <= 0.95


# Remembered places

def test_candidate_is_visited_at_its_viewpoint() -> None:
    rig = VerifierRig()
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)))
    rig.try_(canonical('goto_node', node_id='memory-1'))
    assert rig.asked.goal == Pose2D(6.5, 1.5, 2.0)


def found_before(at: tuple[float, float], robot: Pose2D) -> VerifierRig:
    """Return a robot that is sent to a place from which an earlier mission found something."""
    rig = VerifierRig(pose=robot)
    rig.remember(replace(candidate('memory-1', Pose2D(5.0, 1.5, 0.6)), found_at=(*at, 0.8)))
    rig.try_(canonical('goto_node', node_id='memory-1'))
    return rig


def test_what_an_earlier_mission_found_is_likelier_here_after_looks_without_it() -> None:
    def after_a_look(**found: object) -> float:
        rig = VerifierRig()
        rig.remember(replace(candidate('memory-1'), **found))
        _, observation = rig.see(canonical('explore'))
        assert observation.p_here is not None
        return observation.p_here
    assert after_a_look(found_at=(6.0, 2.2, 0.8)) > after_a_look()


def test_what_was_found_under_other_words_is_no_likelier_here() -> None:
    rig = VerifierRig()
    rig.remember(replace(candidate('memory-1'), found_at=(6.0, 2.2, 0.8)))
    _, before = rig.see(canonical('explore'))
    rig.say(Step(StepKind.LOOK, 'find the other mug', look=look_request()))
    _, after = rig.see(canonical('explore'))
    assert before.p_here is not None and after.p_here is not None
    assert after.p_here < 0.8 * before.p_here


def test_what_an_earlier_mission_found_is_looked_at_from_the_nearest_stand_off() -> None:
    goal = found_before((6.0, 2.2), Pose2D(2.0, 1.5, 0.0)).asked.goal
    assert 0.4 < goal.distance_to(6.0, 2.2) <= 0.95
    assert abs(goal.bearing_to(6.0, 2.2)) < 0.1
    assert abs(wrap_angle(goal.yaw - math.atan2(0.7, 1.0))) < 0.75, 'from the side of the place'


def test_what_an_earlier_mission_found_is_gone_to_once() -> None:
    rig = found_before((6.0, 2.2), Pose2D(2.0, 1.5, 0.0))
    rig.path()
    goal = rig.asked.goal
    # It stops short, and may see nothing yet of what it came for.
    rig.drive(Pose2D(goal.x, goal.y, goal.yaw + 1.0))
    rig.finish()
    rig.stand()
    (verdict,) = rig.bodies(Verdict)
    assert verdict.result.outcome is ActOutcome.LEG_DONE
    rig.try_(canonical('goto_node', node_id='memory-1'))
    assert rig.asked.goal == Pose2D(5.0, 1.5, 0.6)


def test_what_no_pose_shows_from_the_side_of_the_place_is_left_to_the_viewpoint() -> None:
    assert found_before((9.5, 1.5), Pose2D(2.0, 1.5, 0.0)).asked.goal == Pose2D(5.0, 1.5, 0.6)


def test_what_was_found_and_a_look_does_not_show_is_left_to_the_viewpoint() -> None:
    rig = found_before((3.2, 1.5), Pose2D(2.3, 1.5, 0.0))
    assert rig.asked.goal == Pose2D(5.0, 1.5, 0.6)


def test_node_that_is_no_candidate_is_unknown() -> None:
    rig = VerifierRig()
    rig.try_(canonical('goto_node', node_id='memory-1'))
    refused(rig, Code.UNKNOWN_NODE, 'memory-1')
    rig.remember(candidate('memory-2'))
    rig.try_(canonical('goto_node', node_id='memory-1'))
    refused(rig, Code.UNKNOWN_NODE)


def test_place_that_was_offered_and_is_no_more_is_skipped() -> None:
    """The look that proposed it was taken from there: the memory has struck it out meanwhile."""
    rig = VerifierRig()
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)), candidate('memory-2'))
    hypothesis_id, _ = rig.see(canonical('goto_node', node_id='memory-1'))
    rig.remember(candidate('memory-2'))
    rig.act(hypothesis_id)
    refused(rig, Code.SKIPPED, 'memory-1')
    rig.try_(canonical('goto_node', node_id='memory-3'))
    refused(rig, Code.UNKNOWN_NODE, 'memory-3')
    rig.begin('goal-s-2')
    look = rig.look(goal='goal-s-2')
    sent = rig.answer(canonical('goto_node', node_id='memory-1'), look, goal='goal-s-2')
    rig.act(sent.id, goal='goal-s-2')
    refused(rig, Code.UNKNOWN_NODE, 'memory-1')


def test_candidates_of_another_goal_do_not_count() -> None:
    rig = VerifierRig()
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)), goal='goal-other')
    rig.try_(canonical('goto_node', node_id='memory-1'))
    refused(rig, Code.UNKNOWN_NODE)


def test_candidates_that_come_before_the_first_step_count() -> None:
    """The memory knows the goal from the belief, which may wait long with its first step."""
    rig = VerifierRig(ready=False)
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)))
    rig.hear_maps()
    rig.hear_pose()
    rig.stand()
    rig.begin()
    rig.try_(canonical('goto_node', node_id='memory-1'))
    assert rig.decision is None and rig.asked.goal == Pose2D(6.5, 1.5, 2.0)
    rig.begin('goal-s-2')
    look = rig.look(goal='goal-s-2')
    sent = rig.answer(canonical('goto_node', node_id='memory-1'), look, goal='goal-s-2')
    rig.act(sent.id, goal='goal-s-2')
    refused(rig, Code.UNKNOWN_NODE)


def test_visited_place_is_skipped() -> None:
    rig = VerifierRig()
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)))
    rig.try_(canonical('goto_node', node_id='memory-1'))
    rig.path()
    rig.drive(rig.asked.goal)
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome.value == 'arrived'
    rig.try_(canonical('goto_node', node_id='memory-1'))
    refused(rig, Code.SKIPPED, 'visited')


def visited(rig: VerifierRig, node_id: str, source: Source) -> None:
    rig.try_(canonical('goto_node', node_id=node_id), source=source)
    rig.path()
    rig.drive(rig.asked.goal)
    rig.finish()
    rig.stand()


def test_node_that_no_model_looked_at_may_be_visited_again_when_it_is_back() -> None:
    rig = VerifierRig()
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)),
                 candidate('memory-2', Pose2D(2.0, 1.5, 2.0)))
    visited(rig, 'memory-1', Source.FALLBACK)
    visited(rig, 'memory-2', Source.FALLBACK)
    for node_id in ('memory-1', 'memory-2'):
        rig.try_(canonical('goto_node', node_id=node_id), source=Source.FALLBACK)
        refused(rig, Code.SKIPPED, 'visited')
    rig.try_(canonical('goto_node', node_id='memory-2'))
    refused(rig, Code.SKIPPED, 'memory-2 was visited')
    visited(rig, 'memory-1', Source.MODEL)
    assert rig.result is not None and rig.result.outcome.value == 'arrived'


@pytest.mark.parametrize('how', ['no path', 'aborted'])
def test_node_that_was_not_reached_is_a_repeated_failure_for_a_while(how: str) -> None:
    rig = VerifierRig()
    rig.remember(candidate('memory-1', Pose2D(6.5, 1.5, 2.0)))
    go = canonical('goto_node', node_id='memory-1')
    rig.try_(go)
    if how == 'no path':
        rig.path(status='aborted', code=208)
        refused(rig, Code.PATH_INVALID, '208')
    else:
        rig.path()
        rig.finish('aborted', 208)
        rig.stand()
        assert rig.result is not None and rig.result.outcome.value == 'aborted'
    rig.try_(go)
    refused(rig, Code.REPEATED_FAILURE, 'memory-1')
    rig.drive(START, 61.0)
    rig.try_(go)
    assert rig.decision is None, 'what blocked the way may be gone'


@pytest.mark.parametrize(('pose', 'code'), [
    (Pose2D(4.4, 3.0, 0.0), Code.COLLISION_DETECTED), (Pose2D(-5.0, 3.0, 0.0), Code.OUT_OF_MAP),
    (Pose2D(1e5, 0.0, 0.0), Code.OUT_OF_MAP), (Pose2D(7.0, 5.0, 0.0), Code.UNKNOWN_SPACE),
    (Pose2D(6.5, 0.6, 0.0), Code.UNREACHABLE)])
def test_viewpoint_that_is_no_place_to_stand_is_refused(pose: Pose2D, code: Code) -> None:
    rig = VerifierRig(Room(blocks=[TABLE, Block((5.5, 7.9), (1.3, 1.4)),
                                   Block((5.5, 5.6), (0.0, 1.4))]))
    for kind, grid in ((MapReceived, rig.room.map(rig.clock.now.clock_ns)),
                       (CostmapReceived, rig.room.costmap(rig.clock.now.clock_ns))):
        grid.cells[85:115, 125:155] = -1
        rig.hear(kind(grid))
    rig.remember(candidate('memory-1', pose))
    rig.try_(canonical('goto_node', node_id='memory-1'))
    refused(rig, code)


def test_node_at_the_end_of_a_long_way_is_too_far() -> None:
    rig = VerifierRig(way_max_m=3.0)
    rig.remember(candidate('memory-1', Pose2D(7.0, 3.0, 0.0)))
    rig.try_(canonical('goto_node', node_id='memory-1'))
    refused(rig, Code.TOO_FAR)


# Turning and exploring

@pytest.mark.parametrize('angle', [0.5, -3.0, math.pi])
def test_rotation_is_a_turn_on_the_spot(angle: float) -> None:
    rig = VerifierRig()
    rig.try_(canonical('rotate', rotate_rad=angle, confidence=0.0))
    assert rig.code is Code.OK
    spin = rig.sent
    assert isinstance(spin, SendSpin) and spin.angle_rad == pytest.approx(angle)
    assert spin.time_allowance_s > abs(angle) / 0.5
    goal = rig.decision.goal
    assert (goal.x, goal.y) == (2.0, 3.0) and wrap_angle(goal.yaw - angle) == pytest.approx(0.0)


def test_exploring_leads_to_a_clear_place_that_shows_more() -> None:
    rig = VerifierRig()
    rig.try_(EXPLORE)
    if rig.code is None:
        rig.path()
    assert rig.code is Code.OK and rig.moving


def test_exploring_prefers_the_side_that_the_model_names() -> None:
    firsts = {}
    for bearing in (1.4, -1.4):
        rig = VerifierRig(Room(10.0, 10.0), Pose2D(5.0, 5.0, 0.0))
        rig.try_(canonical('explore', explore_bearing_rad=bearing))
        goal = rig.asked.goal if rig.code is None else rig.decision.goal
        firsts[bearing] = goal.yaw if rig.code else rig.pose.bearing_to(goal.x, goal.y)
    assert firsts[1.4] > 0 > firsts[-1.4]


def explored(rig: VerifierRig, source: Source = Source.MODEL, **act: Any) -> int:
    """Look and explore until nothing is left; returns the number of acts.

    As the belief does, only gaps are closed where the target is hardly here.
    """
    not_here = BeliefConfig().not_here_below
    for number in range(60):
        rig.hear_maps()
        hypothesis_id, observation = rig.see(EXPLORE, depth=rig.depth(()), source=source)
        hardly_here = observation.p_here is not None and observation.p_here <= not_here
        rig.act(hypothesis_id, only_gaps=hardly_here, **act)
        if rig.code is None:
            rig.path()
        if rig.code is not Code.OK:
            return number
        sent = rig.sent
        if isinstance(sent, SendNav):
            rig.drive(sent.goal)
        else:
            rig.drive(Pose2D(rig.pose.x, rig.pose.y, wrap_angle(rig.pose.yaw + sent.angle_rad)))
        rig.finish()
        rig.stand()
    return 60


def test_exploring_ends_when_nothing_is_left() -> None:
    rig = VerifierRig(Room(5.0, 4.0), Pose2D(1.0, 1.0, 0.0))
    acts = explored(rig)
    assert 2 <= acts < 40
    decision = refused(rig, Code.NOTHING_LEFT, 'reachable floor was looked at')
    share = int(decision.reason.partition('%')[0])
    assert share >= 60
    # The last sweep of the search that asks for less takes views with half of that.
    least_m2 = rig.config.min_gain_m2 / 2
    assert decision.reason.endswith(f'and no other view shows {least_m2:g} m² of unseen floor')


def test_what_was_seen_from_one_place_is_looked_at_again_where_that_is_asked() -> None:
    rig = VerifierRig(Room(6.0, 6.0), Pose2D(1.0, 1.0, 0.0), policy='sweep')
    explored(rig)
    once = refused(rig, Code.NOTHING_LEFT, ' from two places')
    assert 1 <= explored(rig, second_looks=True) < 40
    twice = refused(rig, Code.NOTHING_LEFT, ' from two places')
    first, second = (int(one.reason.partition('looked at, ')[2].partition('%')[0])
                     for one in (once, twice))
    assert first < second
    assert explored(rig) == 0


def test_views_that_no_model_looked_from_are_explored_again_when_it_is_back() -> None:
    rig = VerifierRig(Room(5.0, 4.0), Pose2D(1.0, 1.0, 0.0))
    alone = explored(rig, Source.FALLBACK)
    assert 2 <= alone < 60, 'no view is gone to again and again'
    refused(rig, Code.NOTHING_LEFT, '0% of the reachable floor was looked at')
    rig.see(EXPLORE, depth=rig.depth(()))
    assert explored(rig, Source.FALLBACK) == 0, 'of all the floor there are pictures'
    again = explored(rig)
    assert 2 <= again < 40
    decision = refused(rig, Code.NOTHING_LEFT, 'reachable floor was looked at')
    assert int(decision.reason.partition('%')[0]) >= 60


def test_next_goal_explores_anew() -> None:
    rig = VerifierRig(Room(5.0, 4.0), Pose2D(1.0, 1.0, 0.0))
    explored(rig)
    rig.begin('goal-s-2')
    look = rig.look(goal='goal-s-2')
    sent = rig.answer(EXPLORE, look, goal='goal-s-2')
    rig.act(sent.id, goal='goal-s-2')
    assert rig.code in (None, Code.OK)


@pytest.mark.parametrize('action', ['stop', 'ask_clarification'])
def test_what_is_nothing_to_drive_is_skipped(action: str) -> None:
    rig = VerifierRig()
    rig.try_(canonical(action, clarification_question='Which?'))
    refused(rig, Code.SKIPPED, action)


# Before anything else

@pytest.mark.parametrize('action', ['approach', 'goto_node'])
def test_low_confidence_is_refused(action: str) -> None:
    rig = VerifierRig()
    rig.remember(candidate('n', Pose2D(6.5, 1.5, 2.0)))
    fields = {'approach': {'target_box': rig.box()}, 'goto_node': {'node_id': 'n'}}[action]
    rig.try_(canonical(action, confidence=0.29, **fields))
    refused(rig, Code.LOW_CONFIDENCE, '0.29')
    rig.try_(canonical(action, confidence=0.3, **fields))
    assert rig.decision is None


@pytest.mark.parametrize('proposal', [EXPLORE, canonical('rotate', rotate_rad=1.0)])
def test_looking_elsewhere_needs_no_confidence(proposal) -> None:
    rig = VerifierRig()
    rig.try_(canonical(proposal.action.value, confidence=0.0, rotate_rad=proposal.rotate_rad))
    assert rig.code in (None, Code.OK)


def test_old_picture_is_stale() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.drive(START, 30.5)
    rig.act(hypothesis_id, stale_after_s=30.0)
    refused(rig, Code.STALE, '30 s are allowed')
    rig.act(hypothesis_id, stale_after_s=31.0)
    assert rig.decision is None


@pytest.mark.parametrize('ahead_s', [5.0, 1e6])
def test_picture_from_the_future_is_stale(ahead_s: float) -> None:
    """The clock was set back, or somebody wants a picture to stay fresh."""
    rig = VerifierRig()
    look_id = rig.look()
    stamp = rig.clock.now.clock_ns + round(ahead_s) * NS_PER_S
    sent = rig.answer(canonical('rotate', rotate_rad=1.0), look_id, stamp_ns=stamp)
    rig.act(sent.id)
    refused(rig, Code.STALE)


def test_clock_that_was_set_back_leaves_nothing_to_drive_on() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.clock.jump(-500.0)
    rig.hear_maps()
    rig.hear_pose()
    rig.act(hypothesis_id)
    refused(rig, Code.STALE)


def test_hypothesis_nobody_knows_is_of_no_goal() -> None:
    rig = VerifierRig()
    rig.act('hypothesis-x')
    refused(rig, Code.WRONG_GOAL, 'hypothesis-x')


def test_hypothesis_of_the_goal_before_is_of_no_goal() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id, goal='goal-s-2')
    refused(rig, Code.WRONG_GOAL)


PROPOSALS = {
    'approach': canonical('approach', target_box=(450.0, 400.0, 550.0, 600.0)),
    'named pose': canonical('approach', navigation_goal=NavigationGoal('map', 4.0, 3.0, 0.0)),
    'goto_node': canonical('goto_node', node_id='n'),
    'explore': EXPLORE, 'rotate': canonical('rotate', rotate_rad=1.0)}


@pytest.mark.parametrize('name', PROPOSALS)
@pytest.mark.parametrize(('missing', 'code'), [
    ('pose', Code.POSE_UNAVAILABLE), ('map', Code.MAP_UNAVAILABLE),
    ('costmap', Code.MAP_UNAVAILABLE), ('old pose', Code.POSE_UNAVAILABLE),
    ('old costmap', Code.MAP_UNAVAILABLE)])
def test_nothing_moves_where_something_is_missing(name: str, missing: str, code: Code) -> None:
    rig = VerifierRig(ready=False)
    room = table_room()
    if missing != 'costmap':
        rig.hear(CostmapReceived(room.costmap(rig.clock.now.clock_ns)))
    if missing != 'pose':
        rig.hear_pose()
    if missing == 'old costmap':
        rig.clock.advance(6.0)
        rig.hear_pose()
    if missing != 'map':
        rig.hear(MapReceived(room.map(rig.clock.now.clock_ns)))
    if missing == 'old pose':
        rig.clock.advance(1.5)
    rig.begin()
    rig.remember(candidate('n', Pose2D(6.5, 1.5, 2.0)))
    rig.try_(PROPOSALS[name])
    refused(rig, code)


@pytest.mark.parametrize('name', PROPOSALS)
@pytest.mark.parametrize(('ahead', 'code'), [
    ('pose', Code.POSE_UNAVAILABLE), ('map', Code.MAP_UNAVAILABLE),
    ('costmap', Code.MAP_UNAVAILABLE)])
def test_nothing_moves_on_what_is_stamped_in_the_future(
        name: str, ahead: str, code: Code) -> None:
    """It would stay fresh however long nothing newer comes."""
    rig = VerifierRig(map_is_live=True)
    rig.remember(candidate('n', Pose2D(6.5, 1.5, 2.0)))
    hypothesis_id, _ = rig.see(PROPOSALS[name])
    stamp_ns = rig.clock.now.clock_ns + 2 * NS_PER_S
    rig.hear({'pose': replace(rig.resolved(), stamp_ns=stamp_ns),
              'map': MapReceived(rig.room.map(stamp_ns)),
              'costmap': CostmapReceived(rig.room.costmap(stamp_ns))}[ahead])
    rig.act(hypothesis_id)
    refused(rig, code)


def test_unexpected_error_in_a_check_is_a_refusal() -> None:
    """A viewpoint so far away that no cell number can be made of it."""
    rig = VerifierRig()
    rig.remember(candidate('n', Pose2D(1.7e308, 0.0, 0.0)))
    rig.try_(canonical('goto_node', node_id='n'))
    refused(rig, Code.PATH_INVALID, 'checks failed')


def broken() -> CostmapReceived:
    """Return a costmap that no shell would let pass."""
    return CostmapReceived(OccupancyGrid(np.full((120, 160), '?'), 0.05, 0.0, 0.0, 'map',
                                         5_000 * NS_PER_S))


def test_broken_costmap_is_a_refusal_whatever_is_asked() -> None:
    for name, proposal in PROPOSALS.items():
        rig = VerifierRig()
        rig.remember(candidate('n', Pose2D(6.5, 1.5, 2.0)))
        hypothesis_id, _ = rig.see(proposal)
        rig.hear(broken())
        rig.act(hypothesis_id)
        assert not rig.moving
        # Beside that pose nothing was seen, which is known without any costmap.
        expected = Code.NOT_GROUNDED if name == 'named pose' else Code.PATH_INVALID
        assert rig.code is expected, name


def test_place_that_only_the_map_knows_to_be_blocked_is_refused() -> None:
    """The costmap may have been cleared, or see less than the map."""
    rig = VerifierRig(Room(blocks=[Block((5.0, 7.0), (1.0, 4.0), (0.0, 0.75))]))
    rig.hear(CostmapReceived(Room().costmap(rig.clock.now.clock_ns)))
    rig.remember(candidate('n', Pose2D(6.0, 2.5, 0.0)))
    rig.try_(canonical('goto_node', node_id='n'))
    refused(rig, Code.COLLISION_DETECTED, 'cost 0')


def test_candidates_name_what_was_asked() -> None:
    rig = VerifierRig()
    rig.say(candidates(candidate('a', Pose2D(6.5, 1.5, 0.0)),
                       candidate('b', Pose2D(6.5, 4.5, 1.0))))
    rig.try_(canonical('goto_node', node_id='b'))
    assert rig.asked.goal == Pose2D(6.5, 4.5, 1.0)
