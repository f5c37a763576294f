"""A target seen once, from afar: it is looked at again before the robot goes to it."""

import math

import pytest
from builders import canonical
from verifier_rig import TABLE, Block, Room, VerifierRig

from semantic_nav.contracts.documents import Observation
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.effects import SendSpin

USUAL_M = VerifierConfig().glimpse_m
FAR = Pose2D(0.6, 3.0, 0.1)


def glimpsed(*beside: Block, glimpse_m: float = USUAL_M, footprint: str = '') -> VerifierRig:
    """Return a verifier that has seen the mug once, and is to go to it."""
    rig = VerifierRig(Room(blocks=[TABLE, *beside]), FAR, glimpse_m=glimpse_m, footprint=footprint)
    rig.act(rig.see_mug()[0])
    return rig


def turned(rig: VerifierRig) -> None:
    """Let the robot turn as it was told to."""
    assert isinstance(rig.sent, SendSpin)
    rig.drive(Pose2D(rig.pose.x, rig.pose.y, rig.pose.yaw + rig.sent.angle_rad))
    rig.accept()
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.LEG_DONE


def miss(rig: VerifierRig) -> Observation:
    """Look without seeing it."""
    observation: Observation = rig.see(canonical('explore'))[1]
    return observation


def test_target_that_was_seen_once_from_afar_comes_to_the_other_half_of_the_picture() -> None:
    rig = glimpsed()
    before_rad = FAR.bearing_to(4.25, 3.0)
    turned(rig)
    after_rad = rig.pose.bearing_to(4.25, 3.0)
    assert before_rad * after_rad < 0 and abs(after_rad) == pytest.approx(0.3, abs=0.02)


def test_target_that_shows_again_is_gone_to() -> None:
    rig = glimpsed()
    turned(rig)
    rig.act(rig.see_mug()[0])
    assert not isinstance(rig.effects[-1], SendSpin)
    assert rig.asked.goal.distance_to(4.25, 3.0) < 2.5


def test_target_that_does_not_show_again_was_none() -> None:
    rig = glimpsed()
    turned(rig)
    assert miss(rig).track is None


def test_target_that_was_seen_twice_is_not_given_up_for_one_miss() -> None:
    rig = glimpsed()
    turned(rig)
    rig.see_mug()
    assert miss(rig).track is not None


def test_target_that_is_near_is_gone_to_at_once() -> None:
    rig = glimpsed(glimpse_m=math.dist((FAR.x, FAR.y), (4.25, 3.0)) + 0.1)
    assert rig.asked.goal.distance_to(4.25, 3.0) < 2.5


@pytest.mark.parametrize('beside', [(), (Block((1.3, 1.9), (2.5, 2.7), (0.0, 0.3)),)],
                         ids=['room', 'none'])
def test_robot_turns_only_where_it_has_room(beside: tuple[Block, ...]) -> None:
    rig = glimpsed(*beside, footprint='[[1.2, 0.2], [1.2, -0.2], [-0.2, -0.2], [-0.2, 0.2]]')
    assert any(isinstance(one, SendSpin) for one in rig.effects) is not bool(beside)
