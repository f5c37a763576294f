"""Pixels that a driver fills with a number where nothing was measured show nothing."""

import numpy as np
import pytest
from builders import CAMERA, Block, Room, base_T_CAMERA, canonical, frozen, tilted
from verifier_rig import VerifierRig

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.unmeasured import fault_of_blind, measured

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
