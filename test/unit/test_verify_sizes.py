"""Picture, depth and calibration of a look are compared, and with those of the look before."""

import pytest
from builders import CAMERA, canonical
from verifier_rig import VerifierRig

from semantic_nav.contracts.camera import Size, is_same_view
from semantic_nav.verify.grounding.sizes import LookSizes, SteadySizes

VGA, HD, WIDE, HALF = (640, 480), (1280, 720), (848, 480), (320, 240)


@pytest.mark.parametrize(('one', 'other', 'same'), [
    (VGA, VGA, True), (VGA, HALF, True), (HD, (640, 360), True), (HD, (427, 240), True),
    (HD, (853, 480), True), (VGA, (213, 159), True), (WIDE, (424, 240), True), (HD, WIDE, False),
    (VGA, WIDE, False), (VGA, (480, 640), False), (VGA, (640, 400), False), (HD, VGA, False),
    (HD, (250, 250), False), ((1280, 1024), VGA, False), (VGA, (0, 0), False)])
def test_one_view_has_one_scale_for_both_axes(one: Size, other: Size, same: bool) -> None:
    assert is_same_view(one, other) is is_same_view(other, one) is same


def test_all_three_sizes_are_in_the_refusal() -> None:
    fault = LookSizes(VGA, WIDE, HD).fault
    assert '640 x 480' in fault and '848 x 480' in fault and '1280 x 720' in fault
    assert 'camera_info' in fault and 'register' in fault and len(fault) < 300
    assert not LookSizes(VGA, HALF, VGA).fault and not LookSizes((0, 0), VGA, HALF).fault


def test_depth_that_alone_changes_is_not_taken_at_once() -> None:
    """As where the topic of registered depth bears some that is not (realsense-ros 3391)."""
    usual, other = LookSizes(HD, HD, HD), LookSizes(HD, (640, 360), HD)
    sizes = SteadySizes()
    assert not sizes.fault('look-1', usual) and not sizes.change(usual)
    for look_id in ('look-2', 'look-2'):
        fault = sizes.fault(look_id, other)
        assert '640 x 360' in fault and '1280 x 720' in fault and len(fault) < 300
    assert not sizes.fault('look-3', usual) and not sizes.change(usual)
    assert sizes.fault('look-4', other) and not sizes.fault('look-5', other)
    assert '640 x 360' in sizes.change(other) and not sizes.fault('look-6', other)


def test_sizes_that_change_together_are_named() -> None:
    sizes = SteadySizes()
    sizes.change(LookSizes(VGA, VGA, VGA))
    new = LookSizes(HD, HD, HD)
    assert not sizes.fault('look-2', new)
    assert '640 x 480' in sizes.change(new) and not sizes.change(new)


def test_picture_of_another_view_than_its_depth_grounds_nothing() -> None:
    rig = VerifierRig()
    rig.begin()
    look = rig.look(rig.depth(), size=(250, 250))
    rig.answer(canonical('approach', seen='visible', target_box=rig.box()), look)
    observed = rig.observed()
    assert not observed.objects and '250 x 250' in observed.ungrounded_reason
    assert f'{CAMERA.width_px} x {CAMERA.height_px}' in observed.ungrounded_reason
