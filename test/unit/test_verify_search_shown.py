"""Where the target may still be, and the next views, are shown to who wants it."""

from dataclasses import replace

import pytest
from builders import canonical
from verifier_rig import VerifierRig

from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.verify.effects import SendSpin, ShowSearch
from semantic_nav.verify.events import HoldHeard
from semantic_nav.verify.planning import shown as shown_module


def shown(rig: VerifierRig) -> list[ShowSearch]:
    return [one for one in rig.out if isinstance(one, ShowSearch)]


def test_an_act_that_explores_shows_where_it_may_be_and_the_views_it_chose_from() -> None:
    rig = VerifierRig(show_search=True)
    rig.act(rig.see(canonical('explore'))[0])
    (one,) = shown(rig)
    # From where it stands it looks aside first.
    assert one.views == (replace(rig.pose, yaw=wrap_angle(rig.pose.yaw + rig.sent.angle_rad)),)
    assert max(square.share for square in one.squares) == 1.0


@pytest.mark.parametrize('wanted', [True, False])
def test_nothing_is_shown_without_a_wish_or_a_search(wanted: bool) -> None:
    rig = VerifierRig(show_search=wanted)
    rig.act(rig.see_mug()[0])
    assert not shown(rig)
    rig = VerifierRig(show_search=wanted)
    hypothesis_id, _ = rig.see(canonical('explore'))
    if wanted:
        rig.hear(HoldHeard(True))
    rig.act(hypothesis_id)
    assert not shown(rig)


def test_what_cannot_be_shown_keeps_nobody_from_driving(
        monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr(shown_module, 'likely_squares', fails)
    rig = VerifierRig(show_search=True)
    rig.act(rig.see(canonical('explore'))[0])
    assert not shown(rig) and isinstance(rig.sent, SendSpin)
