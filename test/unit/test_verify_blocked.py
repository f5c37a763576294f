"""A blocked way: exploring looks at it and waits, and does not say that nothing is left."""

from builders import Block, Room, canonical
from verifier_rig import TABLE, VerifierRig

from semantic_nav.contracts.documents import Decision
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Source
from semantic_nav.verify.effects import ClearCostmaps, SendNav

EXPLORE = canonical('explore')
WALL = [Block((3.0, 3.1), (0.0, 1.0)), Block((3.0, 3.1), (2.0, 3.0))]
OPEN = Room(6.0, 3.0, WALL)
SHUT = Room(6.0, 3.0, [*WALL, Block((3.0, 3.1), (1.0, 2.0))])
#: Facing away from the door, so that what lies behind it is not seen before it closes.
BEGIN = Pose2D(1.5, 1.5, 3.0)


def rig_with_door() -> VerifierRig:
    """Return a verifier that has explored once while the door was open; now it is shut."""
    rig = VerifierRig(OPEN, BEGIN)
    go_on(rig)
    rig.room = SHUT
    return rig


def go_on(rig: VerifierRig, **fields: object) -> Decision:
    """Look, explore, and carry out what was accepted; returns the decision."""
    rig.hear_maps()
    rig.try_(EXPLORE, depth=rig.depth(()), **fields)
    while rig.code is None:
        rig.path()
    decision = rig.decision
    assert decision is not None
    if decision.code is Code.OK:
        sent = rig.sent
        rig.drive(sent.goal if isinstance(sent, SendNav) else Pose2D(
            rig.pose.x, rig.pose.y, wrap_angle(rig.pose.yaw + sent.angle_rad)))
        rig.finish()
        rig.stand()
    return decision


def until_refused(rig: VerifierRig) -> list[Decision]:
    """Explore until it is refused; returns all decisions."""
    decisions = [go_on(rig)]
    while decisions[-1].code is Code.OK:
        assert len(decisions) < 60
        decisions.append(go_on(rig))
    return decisions


def test_room_behind_a_door_that_shut_is_not_looked_at() -> None:
    decisions = until_refused(rig_with_door())
    refused = decisions[-1]
    assert refused.code is Code.BLOCKED
    assert refused.goal is not None and refused.goal.x > 3.0
    assert '1 part of ' in refused.reason and 'blocked at (3.' in refused.reason


def test_blocked_way_clears_the_global_costmap_alone() -> None:
    """The local one may be all that knows the table beside the robot."""
    rig = rig_with_door()
    until_refused(rig)
    cleared = [one for one in rig.effects if isinstance(one, ClearCostmaps)]
    assert cleared and set(cleared) == {ClearCostmaps(local=False)}


def test_the_blocked_way_is_looked_at_from_nearby_before_each_wait() -> None:
    rig = rig_with_door()
    until_refused(rig)
    places = set()
    for _ in range(2):
        decision = go_on(rig)
        assert decision.code is Code.OK and 'blocks the way at (3.' in decision.reason
        assert rig.result is not None and rig.result.outcome is ActOutcome.LEG_DONE
        assert abs(rig.pose.bearing_to(3.05, 1.5)) < 0.5
        places.add(round(rig.pose.x, 1))
        assert go_on(rig).code is Code.BLOCKED
    assert len(places) == 2, 'each time from another place'


def test_door_that_opens_again_leads_on_and_then_nothing_is_left() -> None:
    rig = rig_with_door()
    until_refused(rig)
    rig.room = OPEN
    decisions = until_refused(rig)
    assert len(decisions) > 3 and decisions[-1].code is Code.NOTHING_LEFT
    assert any(one.goal is not None and one.goal.x > 3.0 for one in decisions)


def test_pose_that_jumped_does_not_end_the_search() -> None:
    """The robot believes to be in a closet, of which it has seen all."""
    closet = [Block((4.9, 5.0), (0.0, 3.0))]
    rig = VerifierRig(Room(6.0, 3.0, closet), BEGIN)
    go_on(rig)
    there = rig.pose
    rig.map_T_odom = Transform.from_pose(Pose2D(5.5 - there.x, 0.0, 0.0))
    rig.hear_pose(Pose2D(5.5, there.y, there.yaw))
    rig.stand(rig.config.jump_doubt_s + 0.2)
    assert until_refused(rig)[-1].code is Code.BLOCKED
    rig.map_T_odom = Transform.identity()
    rig.hear_pose(there)
    rig.stand(rig.config.jump_settle_s + 0.2)
    decisions = until_refused(rig)
    assert len(decisions) > 2 and decisions[-1].code is Code.NOTHING_LEFT


def test_view_that_no_drive_reached_lately_is_not_looked_at() -> None:
    rig = VerifierRig(Room(6.0, 3.0), BEGIN)
    failed = 0
    while True:
        rig.hear_maps()
        rig.try_(EXPLORE, depth=rig.depth(()))
        while rig.code is None:
            rig.path()
        if rig.code is not Code.OK:
            break
        rig.finish('aborted', 208)
        rig.stand()
        failed += 1
    assert failed > 2 and rig.code is Code.BLOCKED
    rig.clock.advance(rig.config.failure_memory_s)
    rig.stand()
    assert go_on(rig).code is Code.OK


def test_looks_without_depth_do_not_count() -> None:
    """A camera that sends no depth sees nothing, wherever the robot stands."""
    rig = VerifierRig(Room(2.4, 1.6), Pose2D(0.8, 0.8, 0.0))
    decisions: list[Decision] = []
    while not decisions or decisions[-1].code is Code.OK:
        assert len(decisions) < 60
        rig.hear_maps()
        rig.try_(EXPLORE, missing='no depth picture')
        while rig.code is None:
            rig.path()
        assert rig.decision is not None
        decisions.append(rig.decision)
        if rig.code is Code.OK:
            sent = rig.sent
            rig.drive(sent.goal if isinstance(sent, SendNav) else Pose2D(
                rig.pose.x, rig.pose.y, wrap_angle(rig.pose.yaw + sent.angle_rad)))
            rig.finish()
            rig.stand()
    assert decisions[-1].code is Code.BLOCKED


def test_silent_model_is_not_said_to_be_blocked() -> None:
    rig = VerifierRig(Room(4.0, 3.0), BEGIN)
    while (decision := go_on(rig, source=Source.FALLBACK)).code is Code.OK:
        pass
    assert decision.code is Code.NOTHING_LEFT


#: Between the robot and the mug on its table there is a wall with a door.
PARTED = [TABLE, Block((3.0, 3.1), (0.0, 2.4)), Block((3.0, 3.1), (3.6, 6.0))]
PARTED_SHUT = [*PARTED, Block((3.0, 3.1), (2.4, 3.6))]


def rig_that_saw_the_mug() -> tuple[VerifierRig, str]:
    """Return a verifier that saw the mug through a door that is shut now, and the track's id."""
    rig = VerifierRig(Room(blocks=PARTED), Pose2D(1.5, 3.0, 0.0))
    go_on(rig)
    rig.hear_pose(Pose2D(1.2, 3.0, 0.0))
    rig.stand()
    for x in (1.2, 1.8):
        rig.hear_pose(Pose2D(x, 3.0, 0.0))
        rig.stand()
        _, observation = rig.see_mug()
    assert observation.track is not None
    rig.room = Room(blocks=PARTED_SHUT)
    return rig, observation.track.id


def approach(rig: VerifierRig, track_id: str) -> Decision:
    """Go for the track, and carry out what was accepted."""
    rig.hear_maps()
    rig.act(track_id=track_id)
    while rig.code is None:
        rig.path()
    decision = rig.decision
    assert decision is not None
    if decision.code is Code.OK:
        assert isinstance(rig.sent, SendNav)
        rig.drive(rig.sent.goal)
        rig.finish()
        rig.stand()
        rig.see(EXPLORE, depth=rig.depth(()))
    return decision


def test_shut_door_before_the_target_is_looked_at_and_waited_for() -> None:
    rig, track = rig_that_saw_the_mug()
    first = approach(rig, track)
    assert first.code is Code.OK and 'blocks the way at (3.' in first.reason
    assert first.goal is not None and first.goal.x < 3.0
    again = approach(rig, track)
    assert again.code is Code.BLOCKED and 'is blocked at (3.' in again.reason
    assert approach(rig, track).code is Code.OK, 'after a wait it is looked at again'


def test_target_behind_a_door_that_opened_is_approached() -> None:
    rig, track = rig_that_saw_the_mug()
    approach(rig, track)
    rig.room = Room(blocks=PARTED)
    decision = approach(rig, track)
    assert decision.code is Code.OK and decision.goal is not None and decision.goal.x > 3.1
