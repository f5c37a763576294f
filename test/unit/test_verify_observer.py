"""One observation for each look: what was really seen, and what follows for track and floor."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import CAMERA, GOAL_ID, Block, Room, base_T_CAMERA, canonical, document, frozen, meta
from verifier_rig import MUG, START, VerifierRig

from semantic_nav.contracts.core import DocumentReceived
from semantic_nav.contracts.documents import Document, Hypothesis, Look, Observation, ToolQuery
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import Scene, SceneObject
from semantic_nav.contracts.vocabulary import Code, QueryTool, Source
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import LookFrozen, LookNotFrozen

EXPLORE = canonical('explore')
EMPTY = np.zeros((CAMERA.height_px, CAMERA.width_px), np.uint16)


def seen_as(rig: VerifierRig, **fields) -> Observation:
    return rig.see(canonical('approach', seen='visible', target_box=rig.box(), **fields))[1]


# Exactly one

def test_picture_is_frozen_at_once() -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False)
    (effect,) = rig.out
    assert effect == FreezeLook(look_id, rig.clock.now.clock_ns, 'camera', 1.5, 'camera',
                                CAMERA.width_px, CAMERA.height_px)


@pytest.mark.parametrize('order', ['frozen first', 'hypothesis first'])
def test_frozen_look_and_its_hypothesis_become_one_observation(order: str) -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=order == 'frozen first')
    assert rig.bodies(Observation) == []
    sent = rig.answer(EXPLORE, look_id)
    if order == 'hypothesis first':
        assert rig.out == []
        rig.hear(rig.freeze(look_id))
    (published,) = rig.out
    assert isinstance(published, Document)
    observation = rig.observed()
    assert published.cause_id == sent.id, 'the cause is the hypothesis'
    assert published.goal_id == GOAL_ID
    assert (observation.look_id, observation.step_id) == (look_id, 'belief-s-1')
    assert observation.source is Source.MODEL
    assert observation.pose.distance_to(START.x, START.y) < 1e-6


@pytest.mark.parametrize('order', ['missing first', 'hypothesis first'])
def test_look_that_could_not_be_frozen_becomes_a_blind_observation(order: str) -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False)
    steps = [lambda: rig.hear(LookNotFrozen(look_id, 'no depth picture came')),
             lambda: rig.answer(canonical('approach', target_box=rig.box()), look_id)]
    for step in steps if order == 'missing first' else reversed(steps):
        assert rig.bodies(Observation) == []
        step()
    observation = rig.observed()
    assert observation.pose is None and observation.cone is None and observation.objects == ()
    assert observation.track is None and observation.target_bearing_rad is None
    assert observation.ungrounded_reason == 'no depth picture came'


def test_look_that_is_missing_for_no_reason_ends_all_the_same() -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False)
    rig.hear(LookNotFrozen(look_id, ''))
    rig.answer(EXPLORE, look_id)
    assert rig.observed().ungrounded_reason


def test_hypothesis_of_an_unknown_look_becomes_a_blind_observation() -> None:
    rig = VerifierRig()
    rig.answer(EXPLORE, 'look-nobody-knows')
    observation = rig.observed()
    assert observation.look_id == 'look-nobody-knows' and observation.pose is None
    assert observation.ungrounded_reason


def test_hypothesis_of_no_look_at_all_is_dropped() -> None:
    rig = VerifierRig()
    rig.answer(EXPLORE, '')
    assert rig.out == []


def test_look_before_the_pose_is_known_becomes_a_blind_observation() -> None:
    rig = VerifierRig(ready=False)
    rig.begin()
    look_id = rig.look()
    rig.answer(EXPLORE, look_id)
    observation = rig.observed()
    assert observation.pose is None and 'no transform yet' in observation.ungrounded_reason


@pytest.mark.parametrize('order', ['frozen first', 'hypothesis first'])
@pytest.mark.parametrize(('jumped_s', 'words'), [
    (2.0, '2.0 s old'), (-2.0, '2.0 s ahead of the clock')])
def test_look_with_an_old_pose_becomes_a_blind_observation(
        order: str, jumped_s: float, words: str) -> None:
    """Odometry may live on where the localisation died: its correction is old then."""
    rig = VerifierRig()
    claim = canonical('approach', seen='visible', target_box=rig.box())
    look_id = rig.look(freeze=False)
    rig.clock.jump(jumped_s)
    steps = [lambda: rig.hear(rig.freeze(look_id)), lambda: rig.answer(claim, look_id)]
    for step in steps if order == 'frozen first' else reversed(steps):
        step()
    observation = rig.observed()
    assert observation.pose is None and observation.track is None and observation.objects == ()
    assert observation.coverage == 0.0
    assert observation.ungrounded_reason == f'the pose is {words}'
    rig.clock.jump(-jumped_s)
    assert seen_as(rig).track is not None


@pytest.mark.parametrize('again', ['the same document', 'another hypothesis'])
def test_second_hypothesis_of_a_look_is_dropped(again: str) -> None:
    rig = VerifierRig()
    hypothesis_id, observation = rig.see_mug()
    body = Hypothesis('belief-s-1', Source.MODEL, EXPLORE, meta())
    second = document(body, id_=hypothesis_id if 'same' in again else 'peer-other',
                      cause=observation.look_id)
    rig.hear(DocumentReceived(second))
    assert rig.out == []
    rig.act(hypothesis_id)
    assert rig.decision is None and rig.asked, 'the first one still counts'


def test_depth_that_comes_twice_changes_nothing() -> None:
    rig = VerifierRig()
    look_id = rig.look()
    assert rig.hear(rig.freeze(look_id)) == []
    rig.answer(EXPLORE, look_id)
    assert rig.observed()
    assert rig.hear(rig.freeze(look_id)) == []
    assert rig.hear(LookNotFrozen(look_id, 'late')) == []


def test_untaken_look_is_nothing_to_freeze() -> None:
    rig = VerifierRig()
    rig.say(Look(False, 'no camera'))
    assert rig.out == []


def test_eight_looks_are_held_and_the_oldest_gives_way() -> None:
    rig = VerifierRig()
    looks = [rig.look() for _ in range(9)]
    rig.answer(EXPLORE, looks[0])
    assert rig.observed().pose is None
    for look_id in looks[1:]:
        rig.answer(EXPLORE, look_id)
        assert rig.observed().pose is not None


def test_looks_of_an_earlier_goal_are_dropped() -> None:
    rig = VerifierRig()
    rig.begin('goal-s-2')
    look_id = rig.look(freeze=False, goal='goal-s-1')
    assert rig.out == []
    rig.answer(EXPLORE, look_id, goal='goal-s-1')
    assert rig.out == [] and rig.dropped == 2


def test_look_that_overtakes_the_first_step_of_its_goal_counts() -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False, goal='goal-s-2')
    sent = rig.answer(EXPLORE, look_id, goal='goal-s-2')
    assert rig.out == [] and rig.dropped == 0
    rig.begin('goal-s-2')
    assert [one.look_id for one in rig.out if isinstance(one, FreezeLook)] == [look_id]
    rig.hear(rig.freeze(look_id))
    assert rig.observed().look_id == look_id and rig.documents[-1].cause_id == sent.id


def test_looks_of_the_goal_before_are_dropped() -> None:
    rig = VerifierRig()
    look_id = rig.look(freeze=False)
    rig.begin('goal-s-2')
    assert rig.hear(rig.freeze(look_id)) == []
    rig.answer(EXPLORE, look_id)
    assert rig.out == []


# Where

def test_coordinates_are_in_the_frame_of_the_map_that_is_configured() -> None:
    rig = VerifierRig(map_frame='world')
    rig.approach_mug()
    rig.say(ToolQuery(QueryTool.CHECK_REACHABLE, {'x': 2.0, 'y': 4.5}, 5.0))
    assert {one.schema for one in rig.documents} == {'observation', 'verdict', 'pose', 'reply'}
    assert {one.frame_id for one in rig.documents} == {'world'}


def test_mug_is_grounded() -> None:
    rig = VerifierRig()
    observation = seen_as(rig)
    (target,) = observation.objects
    assert target.is_target and not target.provisional
    np.testing.assert_allclose(target.position, (4.2, 3.0, 0.81), atol=0.06)
    assert observation.target_bearing_rad == pytest.approx(0.0, abs=0.03)
    assert observation.track is not None and observation.track.position == target.position
    assert observation.track.hits == 1
    assert observation.ungrounded_reason == ''


def test_objects_of_the_scene_are_grounded_too() -> None:
    rig = VerifierRig()
    scene = Scene('kitchen', (SceneObject('table', (300.0, 600.0, 700.0, 700.0)),
                              SceneObject('smell'), SceneObject('mug', rig.box())))
    observation = seen_as(rig, scene=scene)
    assert [(one.name, one.is_target) for one in observation.objects] == [
        ('target', True), ('table', False), ('mug', False)]
    assert observation.scene_place == 'kitchen'


def test_sixteen_objects_at_most() -> None:
    rig = VerifierRig()
    scene = Scene('', tuple(SceneObject(f'thing {n}', rig.box()) for n in range(12)))
    assert len(seen_as(rig, scene=scene).objects) == 13


def test_place_follows_the_correction_of_the_localisation() -> None:
    """The picture is frozen in the odometry's frame; SLAM moves the map before the reply."""
    rig = VerifierRig()
    look_id = rig.look()
    box = rig.box()
    rig.map_T_odom = Transform.from_pose(Pose2D(0.3, -0.2, 0.0))
    rig.clock.advance(20.0)
    rig.hear_maps()
    rig.hear_pose(Pose2D(2.3, 2.8, 0.0))
    rig.answer(canonical('approach', seen='visible', target_box=box), look_id)
    observation = rig.observed()
    np.testing.assert_allclose(observation.objects[0].position, (4.5, 2.8, 0.81), atol=0.06)
    assert observation.pose.distance_to(2.3, 2.8) < 1e-6


def test_observation_is_of_the_moment_of_its_picture() -> None:
    rig = VerifierRig()
    look_id, taken_ns = rig.look(), rig.clock.now.clock_ns
    rig.stand(7.0)
    rig.answer(EXPLORE, look_id, stamp_ns=taken_ns)
    (sent,) = [one for one in rig.out if isinstance(one, Document)]
    assert isinstance(sent.body, Observation) and sent.stamp_ns == taken_ns


def test_robot_that_drove_on_does_not_change_where_the_picture_was_taken() -> None:
    rig = VerifierRig()
    look_id = rig.look()
    box = rig.box()
    rig.drive(Pose2D(6.0, 1.0, 2.0), 10.0)
    rig.answer(canonical('approach', seen='visible', target_box=box), look_id)
    observation = rig.observed()
    np.testing.assert_allclose(observation.objects[0].position, (4.2, 3.0, 0.81), atol=0.06)
    assert observation.pose.distance_to(START.x, START.y) < 1e-6


def test_claimed_target_without_depth_has_a_bearing_and_a_reason() -> None:
    rig = VerifierRig()
    observation = rig.see(canonical('approach', seen='visible', target_box=rig.box()),
                          depth=EMPTY)[1]
    assert observation.objects == () and observation.track is None
    assert 'depth picture shows nothing' in observation.ungrounded_reason
    assert observation.target_bearing_rad == pytest.approx(0.0, abs=0.03)
    assert observation.pose is not None


def test_cone_is_what_the_camera_saw() -> None:
    rig = VerifierRig(pose=Pose2D(2.0, 3.0, 0.5))
    cone = rig.see(EXPLORE)[1].cone
    assert cone.yaw == pytest.approx(0.5, abs=1e-6)
    assert cone.half_angle_rad == pytest.approx(math.atan2(80, 120), abs=0.06)
    assert math.hypot(cone.x - 2.0, cone.y - 3.0) == pytest.approx(0.1, abs=1e-6)
    assert 0 < cone.range_m <= rig.config.look_range_m


# The track

def test_second_sighting_joins_the_track() -> None:
    rig = VerifierRig()
    first = seen_as(rig).track
    rig.drive(Pose2D(2.4, 3.3, -0.1))
    second = seen_as(rig).track
    assert second.id == first.id and second.hits == 2
    assert math.dist(second.position, (4.2, 3.0, 0.81)) < 0.1


def test_only_sightings_from_apart_are_several_views() -> None:
    rig = VerifierRig()
    assert seen_as(rig).track.views == 1
    again = seen_as(rig).track
    assert (again.hits, again.views) == (2, 1)
    rig.drive(Pose2D(2.2, 3.2, -0.3))
    assert seen_as(rig).track.views == 1, 'from nearly the same place, though turned'
    rig.drive(Pose2D(2.4, 3.9, -0.4))
    assert seen_as(rig).track.views == 2


def seen_half_hidden(rig: VerifierRig) -> Observation:
    """See the target in its box, of which something nearer hides the greater part."""
    x1, y1, x2, y2 = rig.box()
    depth = rig.depth()
    height, width = depth.shape
    middle = round((x1 + 0.6 * (x2 - x1)) / 1000.0 * width)
    depth[:, :middle] = np.minimum(depth[:, :middle], 1000)
    return rig.see(canonical('approach', seen='visible', target_box=(x1, y1, x2, y2)),
                   depth=depth)[1]


def test_unclear_sighting_is_no_view() -> None:
    """What stands before the target may look the same from several places."""
    rig = VerifierRig()
    observed = seen_half_hidden(rig)
    assert observed.objects[0].unclear and observed.objects[0].provisional
    assert observed.track.views == 0 and not observed.track.sure
    rig.drive(Pose2D(2.4, 3.3, -0.1))
    assert seen_half_hidden(rig).track.views == 0
    clear = seen_as(rig)
    assert not clear.objects[0].unclear
    assert clear.track.views == 1 and clear.track.position == clear.objects[0].position


def sized(rig: VerifierRig, half_width: float, half_height: float) -> Observation:
    """See the target in a box of a given size, in per mille, round the mug's middle."""
    x1, y1, x2, y2 = rig.box()
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    return rig.see(canonical('approach', seen='visible', target_box=(
        x - half_width, y - half_height, x + half_width, y + half_height)))[1]


def test_sighting_of_another_size_does_not_agree() -> None:
    """A box that is as large in the picture from near as from afar shows nothing real."""
    rig = VerifierRig()
    first = sized(rig, 30.0, 30.0).track
    rig.drive(Pose2D(3.5, 3.0, 0.0))
    second = sized(rig, 30.0, 30.0)
    assert math.dist(second.objects[0].position, first.position) < rig.config.track_agree_m
    assert second.track.id == first.id
    assert (second.track.hits, second.track.views) == (1, 1)
    assert sized(rig, 30.0, 30.0).track.hits == 2


def test_sighting_beside_the_track_does_not_agree() -> None:
    rig = VerifierRig(track_agree_m=0.01)
    first = sized(rig, 30.0, 30.0).track
    x1, y1, x2, y2 = rig.box()
    beside = rig.see(canonical('approach', seen='visible', target_box=(
        x1 + 90.0, y1 + 60.0, x2 + 90.0, y2 + 60.0)))[1].track
    assert beside.id == first.id and beside.hits == 1


def test_sighting_elsewhere_begins_another_track() -> None:
    rig = VerifierRig()
    first = seen_as(rig).track
    rig.see(canonical('approach', seen='visible', target_box=(900.0, 300.0, 980.0, 400.0)))
    second = rig.observed().track
    assert second.id != first.id and second.hits == 1


def test_sure_sighting_replaces_an_unsure_one() -> None:
    """From afar depth errs by decimetres, from near it does not."""
    rig = VerifierRig(ground_sure_m=1.5)
    first = seen_as(rig).track
    rig.drive(Pose2D(3.2, 3.0, 0.0))
    second = seen_as(rig)
    assert not second.objects[0].provisional
    assert second.track.id == first.id
    assert second.track.position == second.objects[0].position


def test_target_that_is_gone_is_lost_after_looks_at_its_place_from_two_places() -> None:
    rig = VerifierRig()
    seen_as(rig)
    assert rig.miss(1).track is not None
    assert rig.miss(1, first=1).track is None


def test_looks_from_one_place_that_miss_a_target_count_once() -> None:
    rig = VerifierRig()
    seen_as(rig)
    for _ in range(3):
        assert rig.miss(1).track is not None
    # Nor does a step aside make another view.
    rig.drive(Pose2D(rig.pose.x, rig.pose.y + 0.3, -0.1))
    assert rig.see(EXPLORE, depth=rig.depth(()))[1].track is not None
    assert rig.miss(1, first=1).track is None


def test_place_from_which_a_target_was_missed_moves_with_the_map() -> None:
    rig = VerifierRig(jump_settle_s=0.0, jump_doubt_s=0.0)
    seen_as(rig)
    assert rig.miss(1).track is not None
    without = rig.depth(extra=())
    # Turned round by the localisation, the robot stands where it stood.
    rig.map_T_odom = Transform.from_pose(Pose2D(6.0, 5.0, 2.0))
    rig.drive((rig.map_T_odom @ Transform.from_pose(rig.pose)).pose())
    assert rig.see(EXPLORE, depth=without)[1].track is not None


def test_number_of_places_is_a_parameter_and_a_sighting_begins_anew() -> None:
    rig = VerifierRig(track_lost_after=3)
    for _ in range(3):
        rig.drive(START)
        seen_as(rig)
        assert rig.miss(2).track is not None
    assert rig.miss(1, first=2).track is None


def test_jump_of_the_localisation_moves_the_target_with_the_robot() -> None:
    rig = VerifierRig(jump_settle_s=0.0, jump_doubt_s=0.0)
    before = seen_as(rig)
    depth, box = rig.depth(), rig.box()
    jump = Transform.from_pose(Pose2D(0.6, 0.5, 0.3))
    rig.map_T_odom = jump
    rig.drive((jump @ Transform.from_pose(rig.pose)).pose())
    expected = jump.apply(np.array(before.track.position))
    _, after = rig.see(canonical('approach', seen='visible', target_box=box), depth=depth)
    np.testing.assert_allclose(after.held.position, expected, atol=1e-9)
    assert (after.track.id, after.track.hits) == (before.track.id, 2)
    # The localisation finds back.
    rig.map_T_odom = Transform.identity()
    rig.drive(START)
    assert seen_as(rig).track.hits == 3


def test_correction_that_is_no_jump_leaves_the_target_where_it_is_in_the_map() -> None:
    rig = VerifierRig()
    before = seen_as(rig)
    rig.map_T_odom = Transform.from_pose(Pose2D(0.1, 0.1, 0.0))
    rig.drive(Pose2D(START.x + 0.1, START.y + 0.1, 0.0))
    assert rig.see(EXPLORE)[1].held == before.track


def test_each_view_of_a_target_bears_as_many_misses() -> None:
    rig = VerifierRig()
    seen_as(rig)
    rig.drive(Pose2D(2.0, 4.0, -0.4))
    assert seen_as(rig).track.views == 2
    assert rig.miss(3).track is not None
    assert rig.miss(1, first=3).track is None


def test_claim_to_see_the_target_without_a_box_is_no_miss() -> None:
    rig = VerifierRig()
    seen_as(rig)
    for _ in range(3):
        assert rig.see(canonical('stop', seen='visible'))[1].track is not None


def test_look_from_much_farther_than_the_target_was_seen_is_no_miss() -> None:
    rig = VerifierRig(pose=Pose2D(2.9, 3.0, 0.0))
    seen_as(rig)
    rig.drive(Pose2D(1.0, 3.0, 0.0))
    for _ in range(3):
        assert rig.see(EXPLORE, depth=rig.depth(extra=()))[1].track is not None


def test_looks_elsewhere_do_not_lose_the_target() -> None:
    rig = VerifierRig()
    seen_as(rig)
    for yaw in (1.5, 3.0, -1.5, 0.9):
        rig.drive(Pose2D(2.0, 3.0, yaw))
        assert rig.see(EXPLORE)[1].track is not None


def test_place_that_something_hides_is_no_evidence() -> None:
    rig = VerifierRig()
    seen_as(rig)
    person = Block((2.8, 3.1), (2.7, 3.3), (0.0, 1.8))
    hidden = rig.depth(extra=(person,))
    for _ in range(4):
        assert rig.see(EXPLORE, depth=hidden)[1].track is not None


def test_look_from_behind_the_wall_at_the_back_of_a_target_is_no_evidence() -> None:
    """The wall is so near to the target that its depth might be the target's."""
    rig = VerifierRig(Room(blocks=[Block((4.3, 4.35), (0.0, 5.0))]))
    seen_as(rig)
    for pose in (Pose2D(6.0, 3.0, math.pi), Pose2D(5.8, 2.0, 2.58), Pose2D(5.8, 4.0, -2.58)):
        rig.drive(pose)
        assert rig.see(EXPLORE, depth=rig.depth(extra=()))[1].track is not None


def test_claim_without_depth_is_no_evidence_that_it_is_gone() -> None:
    rig = VerifierRig()
    seen_as(rig)
    for _ in range(4):
        rig.see(canonical('approach', seen='visible', target_box=rig.box()), depth=EMPTY)
        assert rig.observed().track is not None


def test_new_goal_forgets_the_track() -> None:
    rig = VerifierRig()
    old = seen_as(rig).track
    rig.begin('goal-s-2')
    look_id = rig.look(goal='goal-s-2')
    rig.answer(EXPLORE, look_id, goal='goal-s-2')
    assert rig.observed().track is None
    look_id = rig.look(goal='goal-s-2')
    rig.answer(canonical('approach', seen='visible', target_box=rig.box()), look_id,
               goal='goal-s-2')
    assert rig.observed().track.id != old.id


# The fallback sees nothing

def test_fallback_neither_begins_nor_joins_nor_loses_a_track() -> None:
    rig = VerifierRig()
    claim = canonical('approach', seen='visible', target_box=rig.box())
    assert rig.see(claim, source=Source.FALLBACK)[1].track is None
    held = seen_as(rig).track
    without = rig.depth(extra=())
    for _ in range(4):
        assert rig.see(EXPLORE, source=Source.FALLBACK, depth=without)[1].track == held
    assert rig.see(claim, source=Source.FALLBACK)[1].track == held


def test_fallback_does_not_look_at_the_floor() -> None:
    rig = VerifierRig()
    before = rig.see(EXPLORE, source=Source.FALLBACK)[1]
    assert before.coverage == 0.0 and before.source is Source.FALLBACK
    assert before.cone is not None
    after = rig.see(EXPLORE)[1]
    assert after.coverage > 0.02
    assert after.unlooked_reachable_m2 < before.unlooked_reachable_m2
    again = rig.see(EXPLORE, source=Source.FALLBACK)[1]
    assert again.coverage == after.coverage


def test_coverage_grows_with_looks_and_ends_at_all_of_it() -> None:
    rig = VerifierRig(Room(4.0, 4.0), Pose2D(2.0, 2.0, 0.0))
    shares = []
    for spot in ((2.0, 2.0), (0.6, 0.6), (3.4, 0.6), (3.4, 3.4), (0.6, 3.4)):
        for turn in range(8):
            rig.drive(Pose2D(*spot, turn * math.pi / 4))
            shares.append(rig.see(EXPLORE, depth=rig.depth(()))[1])
    coverage = [one.coverage for one in shares]
    assert coverage == sorted(coverage)
    assert coverage[0] < 0.4 and coverage[-1] > 0.95
    left = [one.unlooked_reachable_m2 for one in shares]
    assert left == sorted(left, reverse=True) and left[-1] < 0.8


def test_blind_look_covers_nothing() -> None:
    rig = VerifierRig()
    assert rig.see(EXPLORE, missing='no depth')[1].coverage == 0.0
    assert rig.see(EXPLORE, depth=EMPTY)[1].coverage == 0.0


def test_new_goal_has_looked_at_nothing() -> None:
    rig = VerifierRig()
    rig.see(EXPLORE)
    rig.begin('goal-s-2')
    look_id = rig.look(goal='goal-s-2')
    rig.answer(EXPLORE, look_id, source=Source.FALLBACK, goal='goal-s-2')
    assert rig.observed().coverage == 0.0


# Hostile measurements

@pytest.mark.parametrize('shape', [(1, 1), (2, 160), (120, 3), (5, 5)])
@pytest.mark.parametrize('millimetres', [0, 2000, 65535])
def test_any_depth_picture_leads_to_one_observation(shape: tuple[int, int],
                                                    millimetres: int) -> None:
    rig = VerifierRig()
    rig.see_mug()
    depth = np.full(shape, millimetres, np.uint16)
    camera = type(CAMERA)(shape[1], shape[0], 120.0, 120.0, shape[1] / 2, shape[0] / 2)
    for proposal in (EXPLORE, canonical('approach', target_box=(0.0, 0.0, 1000.0, 1000.0)),
                     canonical('approach', target_box=(1000.0, 1000.0, 1000.0, 1000.0))):
        look_id = rig.look(freeze=False)
        held = frozen(look_id, depth, rig.pose)
        rig.hear(LookFrozen(look_id, depth, camera, held.odom_T_camera, held.odom_T_base))
        rig.answer(proposal, look_id)
        assert rig.observed()


def test_camera_that_looks_straight_up_or_down() -> None:
    for half in (math.sqrt(0.5), -math.sqrt(0.5)):
        rig = VerifierRig()
        turn = Transform((0.0, 0.0, 0.0), (half, 0.0, 0.0, math.sqrt(0.5)))
        look_id = rig.look(freeze=False)
        rig.hear(frozen(look_id, np.full((120, 160), 1000, np.uint16), rig.pose,
                        base_T_CAMERA @ turn))
        rig.answer(canonical('approach', target_box=rig.box(MUG)), look_id)
        assert rig.observed()


@pytest.mark.parametrize('spoil', [
    {'fx': 0.0}, {'fx': 0.0, 'fy': 0.0, 'cx': 0.0, 'cy': 0.0}, {'fx': math.nan},
    {'cx': math.inf}])
def test_camera_that_was_never_calibrated_grounds_nothing(spoil: dict[str, float]) -> None:
    """An uncalibrated camera has a matrix of zeros."""
    rig = VerifierRig()
    held = rig.freeze('look')
    for proposal in (EXPLORE, canonical('approach', target_box=rig.box())):
        look_id = rig.look(freeze=False)
        rig.hear(replace(held, look_id=look_id, intrinsics=replace(held.intrinsics, **spoil)))
        sent = rig.answer(proposal, look_id)
        assert rig.observed().objects == () and rig.observed().track is None
    rig.act(sent.id)
    assert rig.decision.code is Code.NOT_GROUNDED


def test_depth_picture_of_no_size_grounds_nothing() -> None:
    rig = VerifierRig()
    held = rig.freeze('look')
    for shape in ((0, 0), (0, 160), (120, 0)):
        look_id = rig.look(freeze=False)
        rig.hear(replace(held, look_id=look_id, depth_mm=np.zeros(shape, np.uint16)))
        rig.answer(canonical('approach', target_box=rig.box()), look_id)
        assert rig.observed().objects == ()
