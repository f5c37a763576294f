"""Where the robot could stand before a target, and why not, is shown to who wants it."""

import pytest
from builders import canonical
from verifier_rig import MUG, TABLE, VerifierRig

from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.effects import AskPath, ShowCandidates
from semantic_nav.verify.events import HoldHeard, ZonesReceived
from semantic_nav.verify.zones import Zone, ZoneKind, Zones

ZONE = Zone(('nursery',), ZoneKind.KEEP_OUT, ((4.0, 3.4), (5.0, 3.4), (5.0, 5.0), (4.0, 5.0)))


def shown(rig: VerifierRig) -> list[ShowCandidates]:
    return [one for one in rig.out if isinstance(one, ShowCandidates)]


def test_candidates_bear_the_code_of_the_check_that_refuses_them() -> None:
    rig = VerifierRig(show_candidates=True)
    rig.hear(ZonesReceived(Zones((ZONE,))))
    rig.act(rig.see_mug()[0])
    (one,) = shown(rig)
    assert isinstance(rig.out[-1], AskPath)
    codes = {candidate.code for candidate in one.candidates}
    assert {Code.OK, Code.COLLISION_DETECTED, Code.KEEPOUT} <= codes
    for candidate in one.candidates:
        x, y = candidate.pose.x, candidate.pose.y
        if TABLE.x[0] < x < TABLE.x[1] and TABLE.y[0] < y < TABLE.y[1]:
            assert candidate.code is not Code.OK
        assert abs(candidate.pose.bearing_to(sum(MUG.x) / 2, sum(MUG.y) / 2)) < 0.1


def test_candidates_of_a_refused_approach_and_of_a_track_are_shown_too() -> None:
    rig = VerifierRig(show_candidates=True)
    _, observation = rig.see_mug()
    assert observation.track is not None
    rig.hear(ZonesReceived(Zones((Zone(('all',), ZoneKind.KEEP_OUT, (
        (2.5, 1.0), (7.0, 1.0), (7.0, 5.0), (2.5, 5.0))),))))
    rig.act(track_id=observation.track.id)
    assert rig.code is Code.UNREACHABLE
    assert {candidate.code for candidate in shown(rig)[0].candidates} <= {
        Code.KEEPOUT, Code.COLLISION_DETECTED}


@pytest.mark.parametrize('wanted', [True, False])
def test_nothing_is_shown_without_a_wish_a_target_or_surroundings(wanted: bool) -> None:
    rig = VerifierRig(show_candidates=wanted)
    rig.act(rig.see(canonical('rotate', rotate_rad=0.5))[0])
    assert not shown(rig)
    rig = VerifierRig(show_candidates=wanted)
    hypothesis_id, _ = rig.see_mug()
    if wanted:
        rig.hear(HoldHeard(True))
    rig.act(hypothesis_id)
    assert not shown(rig)
