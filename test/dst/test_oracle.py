"""The oracle finds a product that breaks its contracts, within a handful of seeds."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nightly import some
from plan import GOALS, Fault, draw
from run import TWICE_EVERY, Home, carry_out, codes_of, judge

from semantic_nav.belief import driving, looking, pausing, phases, stopping
from semantic_nav.belief.core import BeliefCore
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Finished, Looking, Stopping, Waiting
from semantic_nav.belief.state_machine import TABLE
from semantic_nav.belief.transition import Transition, finish, look
from semantic_nav.contracts.announced_goal import AnnouncedGoal
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.documents import Belief, Document, RobotPose, Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import TargetStatus
from semantic_nav.contracts.vocabulary import Outcome, Phase, Source, StepKind
from semantic_nav.verify import core as verifier_core
from semantic_nav.verify.checks import checks
from semantic_nav.verify.checks.act_checks import (
    low_battery,
    silent_depth,
    silent_scan,
    unknown_costmap,
    unknown_pose,
    unsure_pose,
)
from semantic_nav.verify.checks.path_checks import path_beside
from semantic_nav.verify.checks.subjects import GoalPose
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.driving import driver, motions
from semantic_nav.verify.driving.driver import Driver
from semantic_nav.verify.driving.halt import Halt
from semantic_nav.verify.driving.verdicts import Verdicts
from semantic_nav.verify.effects import SendSpin, StopNav
from semantic_nav.verify.floor.nav2_clients import Clients
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav_sim.bench.navigator import Navigator
from semantic_nav_sim.navigator import behaviors

_HANDFUL = 8
#: From a stand-off into what the robot stands off from, and from the middle of a room into a wall.
_BEYOND_M, _BLINDLY_M = 0.75, 6.0
Patch = pytest.MonkeyPatch


def sends_without_a_verdict(patch: Patch) -> None:
    announce = Driver._announce
    patch.setattr(Driver, '_announce',
                  lambda self, *args, **kwargs: announce(self, *args, **kwargs)[1:])


def sends_what_was_not_announced(patch: Patch) -> None:
    announce = Driver._announce

    def other(self: Driver, *args: Any, **kwargs: Any) -> list[Any]:
        verdict, effect = announce(self, *args, **kwargs)
        goal = getattr(effect, 'goal', None)
        return [verdict, effect if goal is None else replace(
            effect, goal=replace(goal, x=goal.x + 0.05))]

    patch.setattr(Driver, '_announce', other)


def leaves_stops_out(patch: Patch) -> None:
    on_step = VerifierCore._on_step

    def deaf(self: VerifierCore, document: Any, step: Step, now: Any) -> list[Any]:
        return [] if step.kind is StepKind.STOP else on_step(self, document, step, now)

    patch.setattr(VerifierCore, '_on_step', deaf)


def drives_on_without_a_belief(patch: Patch) -> None:
    patch.setattr(verifier_core, 'BeliefLost', type('Nothing', (), {}))


def leaves_the_goal_of_a_dead_verifier(patch: Patch) -> None:
    patch.setattr(AnnouncedGoal, 'hear', lambda self, document: None)


def says_cancelled_too_early(patch: Patch) -> None:
    def early(mission_: Any, phase: Any, event: Any, context: Any) -> Any:
        return stopping._finish(mission_, phase, context, stands=True)

    for kind in (RobotPose, Tick):
        patch.setitem(TABLE, (Stopping, kind), replace(TABLE[Stopping, kind], take=early))


def takes_every_look_for_an_arrival(patch: Patch) -> None:
    patch.setattr(looking, 'confirms', lambda *args: '')
    patch.setattr(looking, 'views_needed', lambda *args: 1)


def forgets_its_budget(patch: Patch) -> None:
    patch.setattr(Mission, 'exhausted', lambda *args: '')


def without(patch: Patch, *tests: Callable[..., Any]) -> None:
    """Leave some of the verifier's checks out."""
    of_kinds = checks._checks_of.__wrapped__
    patch.setattr(checks, '_checks_of', lambda kinds: tuple(
        one for one in of_kinds(kinds) if one.test not in tests))


def drives_without_knowing_where_it_is(patch: Patch) -> None:
    without(patch, unknown_pose)
    patch.setattr(driver, 'unknown_pose', lambda *args: None)


def drives_on_though_it_sees_nothing(patch: Patch) -> None:
    without(patch, silent_depth, silent_scan)


def drives_though_it_is_held(patch: Patch) -> None:
    without(patch, low_battery, unsure_pose)


def drives_where_no_path_was_found(patch: Patch) -> None:
    drive = motions.drive
    patch.setattr(motions, 'drive', lambda goal_id, goal, reason: drive(
        goal_id, replace(goal, x=goal.x + 0.8), reason))


def goes_on_to_what_it_looks_at(patch: Patch) -> None:
    """The poses are checked, and where their paths end: without both layers."""
    without(patch, path_beside, *(one.test for one in checks.CHECKS if one.of is GoalPose))
    ask = Driver._ask_path

    def beyond(self: Driver, drive: Any) -> list[Any]:
        [effect] = ask(self, drive)
        x, y, yaw = effect.goal.x, effect.goal.y, effect.goal.yaw
        drive.goal = Pose2D(x + _BEYOND_M * math.cos(yaw), y + _BEYOND_M * math.sin(yaw), yaw)
        return [replace(effect, goal=drive.goal)]

    patch.setattr(Driver, '_ask_path', beyond)


def backs_up_blindly(patch: Patch) -> None:
    """Nav2 stops a way back before it touches anything, so that this layer is broken as well."""
    patch.setattr(motions, 'drive', lambda goal_id, goal, reason: motions.back_up(
        goal_id, goal, _BLINDLY_M))
    patch.setattr(behaviors, 'is_clear', lambda *args: True)


def answers_each_look_twice(patch: Patch) -> None:
    answer = HypothesisCore._hypothesis

    def twice(self: HypothesisCore, *args: Any) -> list[Any]:
        document, health = answer(self, *args)
        return [document, replace(document, id=f'{document.id}0'), health]

    patch.setattr(HypothesisCore, '_hypothesis', twice)


def asks_beside_a_question(patch: Patch) -> None:
    end = HypothesisCore._end_looks

    def keep(self: HypothesisCore) -> list[Any]:
        end(self)
        return []

    patch.setattr(HypothesisCore, '_end_looks', keep)


def drives_whatever_is_said(patch: Patch) -> None:
    """A stop while a path is asked for is answered, and not obeyed."""
    patch.setattr(Driver, 'cancel', lambda *args: [])
    patch.setattr(Driver, 'stands', lambda self, situation: self._halt.stands)


def drives_in_spite_of_a_pause(patch: Patch) -> None:
    drives_whatever_is_said(patch)


def drives_on_an_old_costmap(patch: Patch) -> None:
    without(patch, unknown_costmap)


def names_its_first_act_for_all(patch: Patch) -> None:
    decided, first = Verdicts.decided, list[str]()

    def old(self: Verdicts, *args: Any) -> Any:
        document = decided(self, *args)
        first.append(document.cause_id)
        return replace(document, cause_id=first[0])

    patch.setattr(Verdicts, 'decided', old)


def turns_when_it_is_to_stop(patch: Patch) -> None:
    """Nav2 takes a cancel for something else."""
    def turn(self: Navigator, effect: Any) -> None:
        self.turn(SendSpin(f'{len(self.received):032x}', math.tau, 60.0))

    patch.setattr(Navigator, 'stop', turn)
    patch.setattr(Navigator, 'cancel', turn)


def stops_whatever_drives(patch: Patch) -> None:
    patch.setattr(Halt, 'stop', lambda self, now: [StopNav()])


def drives_though_another_does(patch: Patch) -> None:
    patch.setattr(Clients, 'have_driven_since', lambda *_: False)


def ends_in_two_ways(patch: Patch) -> None:
    handle = BeliefCore.handle

    def twice(self: BeliefCore, event: Any, now: Any) -> list[Any]:
        out = handle(self, event, now)
        ends = [one for one in out if isinstance(one, Document) and isinstance(one.body, Belief)
                and one.body.outcome is not None]
        return [*out, *(replace(one, id=f'{one.id}0', body=replace(
            one.body, outcome=Outcome.REFUSED)) for one in ends)]

    patch.setattr(BeliefCore, 'handle', twice)


def says_cancelled_without_proof(patch: Patch) -> None:
    patch.setattr(stopping, 'UNKNOWN', '')


def acts_for_no_step(patch: Patch) -> None:
    decided = Verdicts.decided
    patch.setattr(Verdicts, 'decided', lambda *args: replace(decided(*args), cause_id='nobody'))


def is_over_and_goes_on(patch: Patch) -> None:
    patch.setitem(phases.WORDS, Finished, Phase.LOOKING)


def fails_in_its_checks(patch: Patch) -> None:
    patch.setattr(verifier_core, 'plan', lambda act, situation: 1 / 0)


def fails(patch: Patch) -> None:
    patch.setattr(VerifierCore, '_on_look', lambda *args: 1 / 0)


def waits_for_ever(patch: Patch) -> None:
    """As with a table that lacks the tick."""
    for kind in (Looking, Waiting):
        patch.delitem(TABLE, (kind, Tick))


def ends_a_pause_by_itself(patch: Patch) -> None:
    go_on = pausing._go_on
    patch.setattr(pausing, '_go_on', lambda mission, phase, context: go_on(
        mission, replace(phase, requested=False), context))


def says_in_a_pause_that_it_stands(patch: Patch) -> None:
    patch.setattr(pausing, 'stands_after', lambda phase, document, context: True)


def says_a_stop_once(patch: Patch) -> None:
    for module in (pausing, stopping):
        patch.setattr(module, 'said_again', lambda mission, phase, context: Transition(
            mission, phase))


def says_not_here_at_the_first_refusal(patch: Patch) -> None:
    patch.setattr(driving, 'refuse', lambda mission, context, *refusal, **fields: (
        finish(mission, context, Outcome.NOT_HERE, 'looked everywhere')))


def believes_the_model_alone(patch: Patch) -> None:
    """From wherever it says that it sees the target."""
    act_on = looking._act_on

    def sees(hypothesis: Any) -> bool:
        return (hypothesis.source is Source.MODEL
                and hypothesis.hypothesis.target_status is TargetStatus.VISIBLE)

    def at_once(mission: Any, document: Any, observation: Any, context: Any) -> Any:
        if sees(document.body) and mission.track is not None:
            return look(mission, context, 'it says so', confirm=True)
        return act_on(mission, document, observation, context)

    patch.setattr(looking, '_act_on', at_once)
    patch.setattr(looking, 'confirms', lambda hypothesis, *rest: (
        '' if sees(hypothesis) else 'not seen'))
    patch.setattr(looking, 'views_needed', lambda *args: 1)


def backs_off_over_anything(patch: Patch) -> None:
    """And instead of driving, for the robot seldom gets stuck."""
    patch.setattr(motions, 'drive', lambda goal_id, goal, reason: motions.back_up(
        goal_id, goal, 1.0))


MUTANTS: dict[Callable[[Patch], None], str] = {
    sends_without_a_verdict: 'UNVETTED',
    sends_what_was_not_announced: 'UNVETTED',
    leaves_stops_out: 'NO_STOP',
    drives_on_without_a_belief: 'NO_STOP',
    leaves_the_goal_of_a_dead_verifier: 'NO_STOP',
    says_cancelled_too_early: 'FALSE_STANDS',
    takes_every_look_for_an_arrival: 'FALSE_ARRIVAL',
    forgets_its_budget: 'OVER_BUDGET',
    drives_without_knowing_where_it_is: 'NO_STOP',
    drives_on_though_it_sees_nothing: 'NO_STOP',
    drives_though_it_is_held: 'DRIVES_THOUGH_HELD',
    drives_where_no_path_was_found: 'NO_PATH',
    goes_on_to_what_it_looks_at: 'INTO_OCCUPIED',
    backs_up_blindly: 'COLLISION',
    answers_each_look_twice: 'TWO_ANSWERS',
    asks_beside_a_question: 'TWO_QUESTIONS',
    drives_whatever_is_said: 'DRIVES_AFTER_THE_END',
    drives_in_spite_of_a_pause: 'DRIVES_IN_A_PAUSE',
    drives_on_an_old_costmap: 'BLIND',
    names_its_first_act_for_all: 'OLD_STEP',
    turns_when_it_is_to_stop: 'STILL_MOVES',
    stops_whatever_drives: 'ENDED_ANOTHERS',
    drives_though_another_does: 'DRIVES_AGAINST_ANOTHER',
    ends_in_two_ways: 'ENDED_TWICE',
    says_cancelled_without_proof: 'FALSE_CANCELLED',
    acts_for_no_step: 'NO_STEP',
    is_over_and_goes_on: 'ENDED_IN_BETWEEN',
    fails_in_its_checks: 'ERROR_LOGGED',
    fails: 'EXCEPTION',
    waits_for_ever: 'NO_END',
    ends_a_pause_by_itself: 'DRIVES_IN_A_PAUSE',
    says_in_a_pause_that_it_stands: 'FALSE_STANDS',
    says_a_stop_once: 'STOP_NOT_SAID_AGAIN',
    says_not_here_at_the_first_refusal: 'NOT_LOOKED',
    believes_the_model_alone: 'FALSE_ARRIVAL',
    backs_off_over_anything: 'BACK_INTO_OCCUPIED',
}
#: What the broken products fail at is rare among all faults; here it strikes.
STRIKES: dict[Callable[[Patch], None], Callable[[int], tuple[Fault, ...]]] = {
    drives_on_without_a_belief: lambda n: tuple(
        Fault('crash', 0.5 * n + 7.0 * m, 3.0, 'belief') for m in range(3)),
    leaves_the_goal_of_a_dead_verifier: lambda n: tuple(
        Fault('crash', 0.7 * n + 5.0 * m, 3.0, 'verifier') for m in range(4)),
    drives_without_knowing_where_it_is: lambda n: tuple(
        Fault('tf', 0.4 * n + 4.0 * m, 3.0, 'stale') for m in range(7)),
    drives_on_though_it_sees_nothing: lambda n: tuple(
        Fault('depth', 0.4 * n + 8.0 * m, 7.0) for m in range(3)),
    drives_though_it_is_held: lambda n: (Fault('condition', 0.5 * n, 20.0, 'localisation'),),
    leaves_stops_out: lambda n: (Fault('cancel', 0.7 + 0.6 * n),),
    drives_whatever_is_said: lambda n: (
        Fault('navigator', 0.0, 60.0, 'slow_planner'), Fault('cancel', 0.7 + 0.6 * n)),
    drives_in_spite_of_a_pause: lambda n: (
        Fault('navigator', 0.0, 60.0, 'slow_planner'), Fault('pause', 0.7 + 0.6 * n)),
    drives_on_an_old_costmap: lambda n: (Fault('costmap', 0.5 * n, 30.0),),
    turns_when_it_is_to_stop: lambda n: (Fault('cancel', 0.7 + 0.6 * n),),
    stops_whatever_drives: lambda n: tuple(
        Fault('other_client', 0.5 * n + 5.0 * m, 4.0, size=m) for m in range(4)),
    drives_though_another_does: lambda n: tuple(
        Fault('other_client', 0.5 * n + 5.0 * m, 4.0, size=m) for m in range(4)),
    says_cancelled_without_proof: lambda n: (
        Fault('crash', 0.4, 60.0, 'verifier'), Fault('cancel', 0.7 + 0.6 * n)),
    ends_a_pause_by_itself: lambda n: (Fault('pause', 0.7 + 0.6 * n),),
    says_in_a_pause_that_it_stands: lambda n: (Fault('pause', 0.7 + 0.6 * n),),
    says_a_stop_once: lambda n: (
        Fault('partition', 0.0, 20.0, 'belief>verifier'), Fault('cancel', 0.7 + 0.6 * n)),
    # The oracle asks how much was looked at only of a model that answers.
    says_not_here_at_the_first_refusal: lambda n: (),
    # Of a model that lies at some time the oracle does not ask where the target truly is.
    believes_the_model_alone: lambda n: (Fault('model', 90.0, 1.0, 'harsh'),),
    asks_beside_a_question: lambda n: (
        Fault('late_model', 0.0, 20.0, size=5.0), Fault('goal', 1.0 * n, what=GOALS[0])),
}


@pytest.mark.parametrize('mutate', some([*MUTANTS][::3], [*MUTANTS]))
def test_a_product_that_breaks_a_rule_is_found(mutate: Callable[[Patch], None], where: Home,
                                               tmp_path: Path, monkeypatch: Patch) -> None:
    mutate(monkeypatch)
    for seed in range(1, 1 + _HANDFUL):
        plan = draw(seed, 'safety')
        if mutate in STRIKES:
            plan = replace(plan, faults=STRIKES[mutate](seed))
        found = carry_out(plan, where, tmp_path / str(seed))
        if MUTANTS[mutate] in {one.code for one in found.violations}:
            return
    pytest.fail('nobody noticed')


def test_two_runs_that_differ_are_found(where: Home, monkeypatch: Patch) -> None:
    decided, count = Verdicts.decided, itertools.count()

    def counted(*args: Any) -> Any:
        document = decided(*args)
        return replace(document, stamp_ns=document.stamp_ns + next(count))

    monkeypatch.setattr(Verdicts, 'decided', counted)
    assert any('NOT_THE_SAME' in judge(TWICE_EVERY * index, 'safety', where)['broken']
               for index in range(1, 4))


def test_a_false_not_here_is_found(where: Home, tmp_path: Path, monkeypatch: Patch) -> None:
    """Whoever gives up for a fault, and says that nothing is there."""
    finish = stopping.finish
    monkeypatch.setattr(stopping, 'finish', lambda mission, context, outcome, *rest: finish(
        mission, context, Outcome.NOT_HERE, *rest))
    for seed in range(1, 1 + _HANDFUL):
        plan = replace(draw(seed, 'liveness'), faults=(Fault('cancel', 1.0),))
        if 'NOT_HERE' in codes_of(plan, where, tmp_path / str(seed)):
            return
    pytest.fail('nobody noticed')
