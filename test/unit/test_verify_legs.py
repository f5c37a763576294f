"""Legs towards a target that is not sure: each gains something, and none is driven twice."""

from dataclasses import replace

import pytest
from builders import Block, Room
from verifier_rig import TABLE, VerifierRig

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import UNKNOWN
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.effects import SendNav, SendSpin
from semantic_nav.verify.events import CostmapReceived, MapReceived, ZonesReceived
from semantic_nav.verify.zones import Zone, ZoneKind, Zones

TARGET = (4.2, 3.0)
#: Just farther off than a leg is to end.
JUST_FAR = Pose2D(TARGET[0] - 2.05, 3.0, 0.0)
LOOKS = 6


def unsure_of_everything(pose: Pose2D, room: Room | None = None) -> VerifierRig:
    return VerifierRig(room or Room(blocks=[TABLE]), pose, ground_sure_m=0.3)


def go(rig: VerifierRig, *, moving: bool) -> tuple[Pose2D | None, ActOutcome | None]:
    """Look and act; returns the goal and the outcome that Nav2 makes of it, by its own words.

    Args:
        rig: with the robot.
        moving: whether the robot gets anywhere.
    """
    rig.hear_maps()
    rig.hear_pose()
    hypothesis_id, observation = rig.see_mug()
    assert observation.track is not None and not observation.track.sure
    rig.act(hypothesis_id)
    if not rig.moving:
        if rig.code is not None:
            return None, None
        rig.path()
    goal = rig.announced[rig.sent_id]
    while rig.result is None:
        sent = rig.sent
        if moving:
            rig.drive(sent.goal if isinstance(sent, SendNav) else Pose2D(
                rig.pose.x, rig.pose.y, rig.pose.yaw + sent.angle_rad))
        rig.accept()
        rig.finish()
        rig.stand()
    return goal, rig.result.outcome


def test_a_leg_brings_the_robot_nearer_by_more_than_nav2_may_stay_away() -> None:
    rig = unsure_of_everything(JUST_FAR)
    goal, outcome = go(rig, moving=True)
    assert goal is not None and outcome is ActOutcome.LEG_DONE
    assert goal.distance_to(*TARGET) <= 2.05 - 0.5 + 0.01


@pytest.mark.parametrize('distance_m', [2.05, 2.3, 2.6, 3.5])
def test_nav2_that_succeeds_without_moving_does_no_leg(distance_m: float) -> None:
    rig = unsure_of_everything(Pose2D(TARGET[0] - distance_m, 3.0, 0.0))
    outcomes = [go(rig, moving=False)[1] for _ in range(LOOKS)]
    assert ActOutcome.LEG_DONE not in outcomes


def test_a_target_that_stays_unsure_is_looked_at_from_another_place_each_time() -> None:
    rig = unsure_of_everything(Pose2D(0.6, 3.0, 0.0))
    legs = []
    for _ in range(LOOKS):
        goal, outcome = go(rig, moving=True)
        if outcome is not ActOutcome.LEG_DONE:
            break
        assert goal is not None
        assert all(goal.distance_to(leg.x, leg.y) >= 0.4 for leg in legs)
        legs.append(goal)
    assert outcome is ActOutcome.ARRIVED and 1 <= len(legs) <= 4


def test_a_leg_is_not_driven_twice_however_the_target_seems_to_move() -> None:
    """The robot is put back where it was, which makes the target far again."""
    rig = unsure_of_everything(JUST_FAR)
    goals = []
    for _ in range(LOOKS):
        goal, outcome = go(rig, moving=True)
        if outcome is not ActOutcome.LEG_DONE:
            break
        assert goal is not None
        goals.append(goal)
        rig.drive(JUST_FAR)
    assert goals and all(one.distance_to(other.x, other.y) >= 0.4
                         for i, one in enumerate(goals) for other in goals[:i])


def test_a_turn_that_turned_nothing_is_not_made_again() -> None:
    rig = unsure_of_everything(Pose2D(3.2, 3.0, 0.45))
    _, outcome = go(rig, moving=False)
    assert isinstance(rig.sent, SendSpin) and outcome is ActOutcome.LEG_DONE
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert not rig.moving
    assert rig.asked.goal.distance_to(*TARGET) <= 0.95


def test_a_target_with_no_leg_left_is_gone_to_as_near_as_may_be() -> None:
    # All round it but for a ring farther off than a leg may end there is no clear place.
    wide = Block((2.6, 6.0), (1.4, 4.6), (0.0, 0.75))
    rig = unsure_of_everything(Pose2D(TARGET[0] - 2.3, 3.0, 0.0), Room(blocks=[wide]))
    outcomes = [go(rig, moving=True)[1] for _ in range(LOOKS)]
    assert outcomes[-1] is None and rig.code is Code.UNREACHABLE
    assert outcomes.count(ActOutcome.LEG_DONE) <= 2


def _darken(rig: VerifierRig, x: float, y: float) -> None:
    """Let a strip of floor across the way be unknown, round which another way leads."""
    for grid, event in ((rig.map, MapReceived), (rig.costmap, CostmapReceived)):
        assert grid is not None
        row, column = grid.cell_of(x, y)
        cells = grid.cells.copy()
        cells[row - 20:row + 20, column:column + 2] = UNKNOWN
        rig.hear(event(replace(grid, cells=cells)))


def test_planner_is_asked_for_no_way_to_before_unknown_floor_that_ends_on_closed_floor() -> None:
    """A robot on closed floor is led over it to its edge, and may stop nowhere on the way."""
    rig = VerifierRig(pose=Pose2D(1.2, 3.0, 0.0), robot_radius=0.2)
    rig.begin()
    rig.hear(ZonesReceived(Zones((Zone(
        ('lobby',), ZoneKind.KEEP_OUT, ((0.5, 1.0), (2.0, 1.0), (2.0, 5.0), (0.5, 5.0))),))))
    rig.act(rig.see_mug()[0])
    _darken(rig, 2.6, 3.0)
    while rig.decision is None:
        assert rig.asked.goal.x > 2.3
        rig.path()
    assert rig.code is Code.PATH_INVALID and 'unknown' in rig.decision.reason


def test_unknown_floor_on_every_path_is_looked_at_from_before_it() -> None:
    rig = VerifierRig(pose=Pose2D(1.2, 3.0, 0.0), robot_radius=0.2)
    rig.begin()
    rig.act(rig.see_mug()[0])
    _darken(rig, 2.6, 3.0)
    asked = [rig.asked.goal]
    while rig.asked.goal.x > 2.6:
        rig.path()
        assert rig.decision is None, rig.decision
        asked.append(rig.asked.goal)
    goal = asked[-1]
    assert 1.6 < goal.x < 2.0 and goal.bearing_to(4.25, 3.0) == pytest.approx(0.0, abs=0.05)
    rig.path()
    assert rig.decision is not None and rig.decision.code is Code.OK
    assert 'to a view of unknown floor on the way at (2.6, ' in rig.decision.reason
    rig.drive(goal)
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.LEG_DONE
    # From there it was looked at: then the refusal holds.
    rig.act(rig.see_mug()[0])
    _darken(rig, 2.6, 3.0)
    for _ in range(rig.config.path_tries):
        if rig.decision is None:
            rig.path()
    assert rig.decision is not None and rig.decision.code is Code.PATH_INVALID
