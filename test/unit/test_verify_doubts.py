"""What is seen at the place of a target that belief has rejected."""

from builders import GOAL_ID, Room, act_request, canonical, look_request
from verifier_rig import MUG, START, TABLE, Block, VerifierRig

from semantic_nav.contracts.documents import Observation, RejectedTarget, Step, Track
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import NavigationGoal
from semantic_nav.contracts.vocabulary import Code, StepKind
from semantic_nav.explore.sight import APART_M

#: Poses that show the mug, far enough from the start and from each other.
ELSEWHERE = (Pose2D(2.0, 3.7, -0.2), Pose2D(2.0, 2.4, 0.2), Pose2D(2.6, 3.0, 0.0))
OTHER = Block((4.2, 4.3), (4.5, 4.6), (0.0, 0.9))


def reject(rig: VerifierRig, *tracks: Track) -> None:
    """Let belief say in its next step which targets it has rejected."""
    rig.say(Step(StepKind.LOOK, 'find the mug', look=look_request(), rejected=tuple(
        RejectedTarget(one.id, one.position) for one in tracks)), goal=GOAL_ID)


def go_to(rig: VerifierRig, track: Track, *rejected: Track) -> None:
    """Let belief act on a track, and say which targets it has rejected."""
    rig.say(Step(StepKind.ACT, 'find the mug', act=act_request(track_id=track.id), rejected=tuple(
        RejectedTarget(one.id, one.position) for one in rejected)), goal=GOAL_ID)


def seen_and_rejected(rig: VerifierRig) -> Track:
    """Let the robot see the mug, overlook it and reject it."""
    _, observation = rig.see_mug()
    assert observation.track is not None
    rig.see(canonical('explore'))
    reject(rig, observation.track)
    return observation.track


def from_elsewhere(rig: VerifierRig, pose: Pose2D) -> tuple[str, Observation]:
    rig.drive(pose)
    rig.stand()
    return rig.see_mug()


def test_rejected_track_is_none_any_more() -> None:
    rig = VerifierRig()
    track = seen_and_rejected(rig)
    _, observation = rig.see(canonical('explore'))
    assert observation.track is None
    go_to(rig, track, track)
    assert rig.decision is not None and rig.decision.code is Code.NOT_GROUNDED


def test_rejected_track_that_belief_goes_to_again_is_the_track() -> None:
    rig = VerifierRig()
    track = seen_and_rejected(rig)
    rig.see(canonical('explore'))
    go_to(rig, track)
    assert rig.asked
    _, observation = rig.see_mug()
    assert observation.track is not None and observation.track.id == track.id


def test_track_that_is_rejected_once_more_is_doubted_as_before() -> None:
    rig = VerifierRig()
    track = seen_and_rejected(rig)
    go_to(rig, track)
    reject(rig, track)
    _, observation = rig.see_mug()
    assert observation.track is None


def test_same_sight_makes_no_track_and_no_approach() -> None:
    rig = VerifierRig()
    seen_and_rejected(rig)
    for _ in range(4):
        hypothesis_id, observation = rig.see_mug()
        assert observation.track is None
        assert [one.is_target for one in observation.objects] == [True]
        rig.act(hypothesis_id)
        assert rig.decision is not None and rig.decision.code is Code.SKIPPED
        assert '(4.2' in rig.decision.reason


def test_pose_of_the_model_beside_a_rejected_target_is_no_way_round() -> None:
    rig = VerifierRig()
    seen_and_rejected(rig)
    rig.try_(canonical(
        'approach', seen='visible', target_box=None, navigation_goal=NavigationGoal(
            'map', 4.0, 3.0, 0.0)))
    assert rig.decision is not None and rig.decision.code is Code.NOT_GROUNDED
    rig.try_(canonical(
        'approach', seen='visible', target_box=rig.box(), navigation_goal=NavigationGoal(
            'map', 4.0, 3.0, 0.0)))
    assert rig.decision is not None and rig.decision.code is Code.SKIPPED


def test_target_counts_again_once_it_was_seen_from_two_other_places() -> None:
    rig = VerifierRig()
    first = seen_and_rejected(rig)
    assert first.views == 1
    _, observation = from_elsewhere(rig, ELSEWHERE[0])
    assert observation.track is None
    hypothesis_id, observation = from_elsewhere(rig, ELSEWHERE[1])
    assert observation.track is not None and observation.track.id != first.id
    rig.act(hypothesis_id)
    assert rig.asked


def test_target_that_is_seen_from_one_other_place_is_looked_at_from_a_second() -> None:
    rig = VerifierRig()
    first = seen_and_rejected(rig)
    hypothesis_id, observation = from_elsewhere(rig, ELSEWHERE[0])
    assert observation.track is None
    rig.act(hypothesis_id)
    goal = rig.asked.goal
    for seen_from in (START, ELSEWHERE[0]):
        assert goal.distance_to(seen_from.x, seen_from.y) > APART_M
    assert goal.distance_to(*first.position[:2]) < 3.0
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert rig.decision is not None and rig.decision.code is Code.SKIPPED, 'nothing new'


def test_search_looks_next_at_what_was_rejected_and_is_seen_from_elsewhere() -> None:
    rig = VerifierRig()
    x, y, _ = seen_and_rejected(rig).position
    assert (x, y) not in rig.core._situation(rig.clock.now).findings.unsettled
    from_elsewhere(rig, ELSEWHERE[0])
    findings = rig.core._situation(rig.clock.now).findings
    assert findings.track is None and (x, y) in findings.unsettled


def test_target_that_was_rejected_twice_needs_two_places_more() -> None:
    rig = VerifierRig()
    first = seen_and_rejected(rig)
    from_elsewhere(rig, ELSEWHERE[0])
    _, observation = from_elsewhere(rig, ELSEWHERE[1])
    assert observation.track is not None
    rig.see(canonical('explore'))
    reject(rig, first, observation.track)
    for pose, found in zip((ELSEWHERE[0], ELSEWHERE[2], START, Pose2D(2.6, 3.6, -0.3)),
                           (False, False, False, True), strict=True):
        _, observation = from_elsewhere(rig, pose)
        assert (observation.track is not None) is found


def test_places_of_before_do_not_count() -> None:
    rig = VerifierRig()
    seen_and_rejected(rig)
    for pose in (START, Pose2D(2.0, 3.1, 0.0), ELSEWHERE[0], START, ELSEWHERE[0]):
        _, observation = from_elsewhere(rig, pose)
        assert observation.track is None


def test_sure_sight_from_half_the_distance_counts() -> None:
    """The last looks overlooked it, and the next one from the same stand-off shows it."""
    rig = VerifierRig()
    first = seen_and_rejected(rig)
    for x, found in ((2.9, False), (3.3, True)):
        _, observation = from_elsewhere(rig, Pose2D(x, 3.0, 0.0))
        assert (observation.track is not None) is found
    assert observation.track is not None and observation.track.id != first.id


def test_target_that_was_lost_before_it_was_rejected_is_known_as_well() -> None:
    rig = VerifierRig()
    _, observation = rig.see_mug()
    assert rig.miss().track is None and observation.track is not None
    reject(rig, observation.track)
    rig.drive(START)
    _, again = rig.see_mug()
    assert again.track is None
    _, near = from_elsewhere(rig, Pose2D(3.3, 3.0, 0.0))
    assert near.track is not None


def seen_and_given_up(rig: VerifierRig, *poses: Pose2D) -> Track:
    """Let the robot see the mug, also from elsewhere, and reject it though nothing missed it."""
    _, observation = rig.see_mug()
    for pose in poses:
        _, observation = from_elsewhere(rig, pose)
    assert observation.track is not None
    reject(rig, observation.track)
    return observation.track


def test_sight_of_before_counts_where_no_look_has_missed_it() -> None:
    rig = VerifierRig()
    first = seen_and_given_up(rig)
    _, observation = rig.see_mug()
    assert observation.track is None
    _, observation = from_elsewhere(rig, ELSEWHERE[0])
    assert observation.track is not None and observation.track.id != first.id


def test_sight_of_before_that_no_look_has_missed_is_looked_at_from_another_place() -> None:
    rig = VerifierRig()
    first = seen_and_given_up(rig)
    hypothesis_id, observation = rig.see_mug()
    assert observation.track is None
    rig.act(hypothesis_id)
    goal = rig.asked.goal
    assert goal.distance_to(START.x, START.y) > APART_M
    assert goal.distance_to(*first.position[:2]) < 3.0


def test_two_views_that_nothing_missed_are_doubted_no_more_but_once() -> None:
    rig = VerifierRig()
    first = seen_and_given_up(rig, ELSEWHERE[0])
    _, observation = from_elsewhere(rig, ELSEWHERE[0])
    assert observation.track is None, 'nothing new'
    _, observation = from_elsewhere(rig, ELSEWHERE[1])
    again = observation.track
    assert again is not None and again.id != first.id
    reject(rig, first, again)
    _, observation = from_elsewhere(rig, ELSEWHERE[2])
    assert observation.track is None


def test_unsure_sights_do_not_count() -> None:
    rig = VerifierRig(ground_sure_m=1.0)
    seen_and_rejected(rig)
    for pose in ELSEWHERE:
        _, observation = from_elsewhere(rig, pose)
        assert observation.track is None


def test_target_that_came_back_stays_until_it_is_rejected_again() -> None:
    rig = VerifierRig()
    first = seen_and_rejected(rig)
    from_elsewhere(rig, ELSEWHERE[0])
    _, observation = from_elsewhere(rig, ELSEWHERE[1])
    back = observation.track
    assert back is not None
    # Belief names what it has rejected in every step.
    reject(rig, first)
    _, observation = rig.see_mug()
    assert observation.track is not None and observation.track.id == back.id
    reject(rig, first, back)
    _, observation = rig.see_mug()
    assert observation.track is None


def test_track_elsewhere_is_kept_whatever_is_seen_at_the_place_of_a_rejected_one() -> None:
    rig = VerifierRig(Room(blocks=[TABLE, OTHER]))
    seen_and_rejected(rig)
    rig.drive(Pose2D(2.0, 4.0, 0.0))
    rig.stand()
    _, observation = rig.see(canonical(
        'approach', seen='visible', target_box=rig.box(OTHER)), depth=rig.depth((MUG, OTHER)))
    other = observation.track
    assert other is not None
    _, observation = rig.see_mug(rationale='there')
    assert observation.track is not None and observation.track.id == other.id


def test_verifier_that_was_started_anew_learns_what_was_rejected() -> None:
    before = VerifierRig()
    track = seen_and_rejected(before)
    rig = VerifierRig()
    reject(rig, track)
    hypothesis_id, observation = rig.see_mug()
    rig.act(hypothesis_id)
    assert observation.track is None
    # Nobody knows from where it was seen before: that was one of two places.
    assert rig.asked.goal.distance_to(START.x, START.y) > APART_M
    hypothesis_id, observation = rig.see_mug()
    rig.act(hypothesis_id)
    assert observation.track is None
    assert rig.decision is not None and rig.decision.code is Code.SKIPPED


def test_next_goal_begins_without_doubts() -> None:
    rig = VerifierRig()
    seen_and_rejected(rig)
    rig.begin('goal-s-2')
    look_id = rig.look(goal='goal-s-2')
    rig.answer(canonical('approach', seen='visible', target_box=rig.box()), look_id,
               goal='goal-s-2')
    assert rig.observed().track is not None


def test_jump_of_the_localisation_moves_what_was_rejected_with_the_robot() -> None:
    rig = VerifierRig(jump_settle_s=0.0, jump_doubt_s=0.0)
    seen_and_rejected(rig)
    depth, box = rig.depth(), rig.box()
    jump = Transform.from_pose(Pose2D(0.6, 0.5, 0.3))
    rig.map_T_odom = jump
    rig.drive((jump @ Transform.from_pose(rig.pose)).pose())
    _, observation = rig.see(canonical('approach', seen='visible', target_box=box), depth=depth)
    assert observation.track is None
