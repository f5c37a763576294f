"""A camera sits where a robot can carry it, or its looks are refused with the cure."""

import pytest
from builders import CAMERA, base_T_CAMERA, canonical, mounted
from verifier_rig import VerifierRig

from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.events import CameraMounted, FootprintHeard
from semantic_nav.verify.grounding.mount import doubt_of_place, fault_of_place
from semantic_nav.verify.grounding.plausible import fault_of_mount

FORKLIFT = '[[2.0, 0.6], [2.0, -0.6], [-0.8, -0.6], [-0.8, 0.6]]'
CORNERS = ((2.0, 0.6), (2.0, -0.6), (-0.8, -0.6), (-0.8, 0.6))


def at(x: float, y: float, z: float) -> Transform:
    return Transform((x, y, z), base_T_CAMERA.rotation)


@pytest.mark.parametrize(('x', 'y', 'z', 'base_up_m', 'reach_m'), [
    (0.1, 0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 2.0, 0.0, 0.0), (0.1, 0.0, 0.05, 0.0, 0.0),
    (1.5, 0.0, 1.0, 0.0, 0.3), (-1.0, 1.1, 0.6, 0.0, 0.0), (2.5, 0.0, 4.0, 0.0, 2.1),
    # base_link is over base_footprint, and the camera not higher.
    (0.3, 0.0, 0.0, 0.2, 0.0), (0.3, 0.0, -0.1, 0.3, 0.0),
    # An odometry in three dimensions has drifted down.
    (0.1, 0.0, 1.0, -1.4, 0.0)])
def test_camera_that_a_robot_may_carry_is_nothing(
        x: float, y: float, z: float, base_up_m: float, reach_m: float) -> None:
    assert not fault_of_place(at(x, y, z), reach_m, base_up_m)
    assert not doubt_of_place(at(x, y, z), base_up_m)
    assert not fault_of_mount(CameraMounted('left', CAMERA, at(x, y, z)), reach_m)


@pytest.mark.parametrize(('x', 'y', 'z', 'reach_m', 'words'), [
    (2.0, 0.0, 1.0, 0.0, '2 m aside of the base, at (2.00, 0.00)'),
    (0.0, -3.6, 1.0, 2.1, '3.1 m is the most'), (100.0, 0.0, 1200.0, 0.0, 'in m'),
    (0.1, 0.0, 12.0, 0.0, '12 m above the base'), (0.0, 0.0, 0.0, 0.0, 'on the floor'),
    (0.1, 0.0, 0.0, 0.0, 'height over base_link'), (0.1, 0.0, -1.0, 0.0, 'under the floor')])
def test_camera_that_no_robot_carries_leaves_a_look_without_depth(
        x: float, y: float, z: float, reach_m: float, words: str) -> None:
    rig = VerifierRig(robot_radius=reach_m)
    rig.base_T_camera = at(x, y, z)
    rig.answer(canonical('explore'), rig.look(rig.depth()))
    reason = rig.observed().ungrounded_reason
    assert words in reason and 'static transform or URDF' in reason and len(reason) < 300


@pytest.mark.parametrize(('z', 'base_up_m', 'words'), [
    (-0.05, 0.0, 'TF that of base_link over base_footprint'), (0.0, 0.2, 'very middle')])
def test_camera_that_hardly_sits_there_is_doubted(z: float, base_up_m: float, words: str) -> None:
    assert not fault_of_place(at(0.0, 0.0, z), 0.0, base_up_m)
    assert words in doubt_of_place(at(0.0, 0.0, z), base_up_m)


@pytest.mark.parametrize('told', [False, True])
def test_long_robot_carries_a_camera_farther_out(told: bool) -> None:
    rig = VerifierRig(footprint='' if told else FORKLIFT)
    if told:
        rig.hear(FootprintHeard(CORNERS))
    rig.base_T_camera = mounted(0.0, 2.4)
    rig.answer(canonical('explore'), rig.look(rig.depth()))
    assert 'aside' not in rig.observed().ungrounded_reason
    dropped = rig.dropped
    rig.hear(CameraMounted('left', CAMERA, mounted(1.0, 2.4)))
    rig.hear(CameraMounted('right', CAMERA, mounted(-1.0, 3.4)))
    assert rig.dropped == dropped + 1
