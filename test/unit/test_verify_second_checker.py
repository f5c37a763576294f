"""The verifier and a second checker agree on hostile hypotheses; `make hostile` asks many more."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from builders import canonical
from nightly import some
from run_hostile import put_many, run
from verifier_rig import VerifierRig

from semantic_nav.contracts.hypothesis import NavigationGoal, Scene, SceneObject
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks import (
    act_checks,
    checks,
    goal_checks,
    path_checks,
    zone_checks,
)
from semantic_nav.verify.driving.driver import Driver

#: So many hypotheses show that a check is left out, at most.
_ENOUGH = 1200


@pytest.mark.slow
def test_both_agree_on_each_of_many() -> None:
    count = some(400, 2000)
    tally, flooded = run(1, count, 1, 300)
    assert tally.count == count
    assert tally.disagreements == []
    assert tally.unvetted == []
    assert tally.is_good
    assert tally.accepted > count / 10
    assert len(tally.codes) > 12
    assert flooded.unvetted == []
    assert flooded.said == 300


def without(patch: pytest.MonkeyPatch, test: Callable[..., Any]) -> None:
    of_kinds = checks._checks_of.__wrapped__
    patch.setattr(checks, '_checks_of', lambda kinds: tuple(
        one for one in of_kinds(kinds) if one.test is not test))


#: Checks that are left out, with the hazard under which that shows soonest.
LEFT_OUT = [
    (act_checks.stale_picture, 'stale picture'),
    (act_checks.unknown_pose, 'old pose'),
    (act_checks.unknown_costmap, 'old costmap'),
    (act_checks.held_robot, 'held'),
    (act_checks.low_battery, 'empty battery'),
    (act_checks.unsure_pose, 'uncertain'),
    (act_checks.silent_depth, 'silent depth'),
    (act_checks.silent_scan, 'silent scan'),
    (act_checks.late_start, 'late path'),
    (act_checks.unsure_model, ''),
    (goal_checks.goal_blocked, ''),
    (zone_checks.closed_path, ''),
    (zone_checks.closed_turn, ''),
    (path_checks.path_beside, '')]


@pytest.mark.slow
@pytest.mark.parametrize(('test', 'hazard'), some(LEFT_OUT[::4], LEFT_OUT),
                         ids=lambda one: getattr(one, '__name__', ''))
def test_a_check_that_is_left_out_is_noticed(test: Callable[..., Any], hazard: str,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, test)
    assert any(put_many(1, range(first, first + 20), hazard).disagreements
               for first in range(0, _ENOUGH, 40))


def test_a_motion_without_its_verdict_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    announce = Driver._announce
    monkeypatch.setattr(Driver, '_announce',
                        lambda self, *args, **kwargs: announce(self, *args, **kwargs)[1:])
    assert put_many(1, range(80)).unvetted


@pytest.mark.parametrize('turn_rad', [math.nan, math.inf, -math.inf])
def test_a_turn_by_no_number_is_none(turn_rad: float) -> None:
    assert VerifierRig().try_(canonical('rotate', rotate_rad=turn_rad)).code is Code.PATH_INVALID


@pytest.mark.parametrize(('x', 'y'), [
    (math.nan, 3.0), (4.0, math.nan), (math.inf, 3.0), (4.0, 1e300), (1e4, math.nan)])
def test_nothing_is_near_a_pose_that_is_no_place(x: float, y: float) -> None:
    rig = VerifierRig()
    named = canonical('approach', seen='visible', navigation_goal=NavigationGoal('map', x, y, 0.0),
                      scene=Scene('', (SceneObject('mug', rig.box()),)))
    assert rig.try_(named).code is Code.NOT_GROUNDED
