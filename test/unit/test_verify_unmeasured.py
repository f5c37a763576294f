"""Pixels that a driver fills with a number where nothing was measured show nothing."""

from dataclasses import replace

import numpy as np
import pytest
from builders import CAMERA, Block, Room, base_T_CAMERA, canonical, frozen, tilted
from verifier_rig import VerifierRig

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.unmeasured import doubt_of_near, fault_of_blind, measured

HERE = Pose2D(2.0, 3.0, 0.0)


def look(*blocks: Block, down_rad: float = 0.0) -> LookFrozen:
    base_T_camera = tilted(down_rad)
    depth = Room().depth(Transform.from_pose(HERE) @ base_T_camera, CAMERA, blocks)
    return frozen('look', depth, HERE, base_T_camera)


@pytest.mark.parametrize('down_rad', [-0.2, 0.0, 0.3])
@pytest.mark.parametrize('number', [65535, 20000, 10000])
@pytest.mark.parametrize('share', [0.3, 1.0])
def test_number_that_is_filled_in_is_nothing(number: int, share: float, down_rad: float) -> None:
    right = look(down_rad=down_rad)
    holes = np.random.default_rng(0).random(right.depth_mm.shape) < share
    filled = frozen('look', np.where(holes, np.uint16(number), right.depth_mm), HERE,
                    tilted(down_rad))
    assert (measured(filled).depth_mm == np.where(holes, 0, right.depth_mm)).all()


@pytest.mark.parametrize('right', [
    look(), look(down_rad=0.4), look(Block((2.6, 2.7), (0.0, 6.0), (0.0, 2.0))),
    look(Block((2.5, 4.0), (0.5, 5.5), (0.0, 0.7))),
    frozen('look', np.full((120, 160), 2000, np.uint16), HERE, base_T_CAMERA)],
    ids=['wall far off', 'floor', 'wall at the nose', 'table', 'wall that fills the picture'])
def test_what_was_measured_stays(right: LookFrozen) -> None:
    assert measured(right) is right and not fault_of_blind(right)


@pytest.mark.parametrize('number', [0, 65535, 10000])
def test_looks_that_measured_nothing_count_nothing_and_say_so(number: int) -> None:
    rig = VerifierRig()
    for _ in range(3):
        _, observation = rig.see(canonical('explore'), depth=np.full_like(rig.depth(), number))
        assert observation.coverage == 0.0
        assert observation.ungrounded_reason == 'nothing was measured in this look'
    _, observation = rig.see(canonical('explore'))
    assert observation.coverage > 0.0 and not observation.ungrounded_reason


def test_few_pixels_that_are_noise_are_a_blind_camera() -> None:
    rng, depth = np.random.default_rng(0), look().depth_mm
    for share, blind in ((0.01, True), (0.1, False)):
        few = np.where(rng.random(depth.shape) < share, depth, np.uint16(0))
        said = fault_of_blind(frozen('look', few, HERE))
        assert bool(said) is blind
        if blind:
            assert f'{np.count_nonzero(few)} of 19200 pixels' in said and 'lens' in said


@pytest.mark.parametrize(('share', 'doubted'), [(0.1, False), (0.4, True), (1.0, True)])
def test_depth_that_is_nearer_than_is_believed_is_nothing_and_told(
        share: float, doubted: bool) -> None:
    """Six centimetres of a time-of-flight camera (depthai-core 994)."""
    right = look()
    near = np.random.default_rng(0).random(right.depth_mm.shape) < share
    once = measured(replace(right, depth_mm=np.where(near, np.uint16(60), right.depth_mm)), 0.25)
    for one in (once, measured(once, 0.25)):
        assert (one.depth_mm == np.where(near, 0, right.depth_mm)).all()
        words = doubt_of_near(one, 0.25)
        assert (f'nearer than 0.25 m for {near.mean():.0%} of the picture' in words) is doubted
        assert len(words) < 300
    assert bool(fault_of_blind(once)) is (share == 1.0)


def test_looks_with_nothing_but_near_depth_count_nothing_and_say_so() -> None:
    rig = VerifierRig()
    for _ in range(3):
        sent, observation = rig.see(
            canonical('approach', seen='visible', target_box=(450.0, 450.0, 550.0, 550.0)),
            depth=np.full_like(rig.depth(), 60))
        assert observation.coverage == 0.0 and observation.track is None
        assert 'nothing was measured in this look; the depth is nearer than 0.25 m for 100%' in (
            observation.ungrounded_reason)
    rig.act(sent)
    assert rig.decision is not None and 'the depth is nearer than' in rig.decision.reason
