"""Transitions of a mission: each function returns the record, the phase and the steps."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import (
    Asking,
    Deed,
    Driving,
    Finished,
    Glance,
    Looking,
    Phase,
    Stopping,
    Waiting,
)
from semantic_nav.belief.steps import (
    MAX_REASON,
    act_step,
    act_time_s,
    look_step,
    stop_step,
)
from semantic_nav.belief.table import Evidence, after
from semantic_nav.belief.target import Pursuit, Rejected, place_of
from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.contracts.documents import Body, Document, Refusal, Step
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code, Outcome, Purpose

_log = logging.getLogger(__name__)

#: Noise of the pose: a robot that moved less than this, in m and rad, has stayed.
_STAYED_M, _STAYED_RAD = 0.10, 0.10
#: Refusals in a row after which the fallback answers one look instead of the model.
REFUSALS_BEFORE_FALLBACK = 3
#: Pause before a look or an act is tried again after a part was missing, in s. Before an act it
#: grows with each failure in a row, up to `blocked_wait_s`.
RETRY_WAIT_S = 2.0
#: Refusals because a part is missing, not because the proposal was bad.
WAITING_CODES = frozenset({Code.MAP_UNAVAILABLE, Code.POSE_UNAVAILABLE, Code.SENSOR_UNAVAILABLE,
                           Code.HELD, Code.NAV_UNAVAILABLE})


@dataclass(frozen=True)
class Context:
    """The surroundings of a transition.

    Attributes:
        missing: nodes that carry out steps and are not there.
        mint: returns a new id for a document.
    """
    now: Now
    config: BeliefConfig
    missing: tuple[str, ...]
    mint: Callable[[], str]

    def in_ns(self, wait_s: float) -> int:
        """The end of a wait that begins now, on the steady clock, in ns."""
        return self.now.steady_ns + nanoseconds(wait_s)

    def document(self, mission: Mission, body: Body, cause_id: str = '') -> Document:
        """A new document of a mission."""
        return Document(self.mint(), cause_id, mission.goal_id, self.now.clock_ns, '', body)


@dataclass(frozen=True)
class Transition:
    """A mission after an event, its phase then, and the steps that follow."""

    mission: Mission
    phase: Phase
    documents: tuple[Document, ...] = ()

    def preceded_by(self, *documents: Document) -> 'Transition':
        """The transition with these documents before its own."""
        return replace(self, documents=(*documents, *self.documents))

    def glancing(self, glances: tuple[Glance, ...]) -> 'Transition':
        """The transition with looks under way beside its act; unchanged if it has none."""
        if not isinstance(self.phase, Driving):
            return self
        return replace(self, phase=replace(self.phase, glances=glances))


def look(mission: Mission, context: Context, reason: str, *,
         confirm: bool = False, onward: Deed | None = None, camera: str = '',
         glances: tuple[Glance, ...] = ()) -> Transition:
    """Ask for a look, unless a budget is used up or a node is missing.

    Args:
        mission: the record.
        context: of the transition.
        reason: in words.
        confirm: it is the last look.
        onward: act that is carried out before the answer; None if the robot waits for it.
        camera: of the look; empty for the first.
        glances: looks under way; a look that the robot waits for ends them.
    """
    config = context.config
    exhausted = mission.exhausted(config, context.now)
    if exhausted:
        return end(mission, context, Outcome.GAVE_UP, exhausted)
    if context.missing:
        return wait(mission, context, waiting_for(context.missing), confirm=confirm)
    tally = mission.tally
    # A silent model is asked each time, for it may be back.
    # The way to a place needs no model.
    fallback_only = mission.purpose is Purpose.GO or (
        not confirm and onward is None and mission.silent_since_ns is None
        and tally.refusals_in_row >= REFUSALS_BEFORE_FALLBACK)
    if fallback_only:
        tally = replace(tally, refusals_in_row=0)
    mission = replace(mission, tally=tally, cause_id='')
    step = _issued(mission, context, look_step(
        mission, config, reason, context.now.steady_ns, confirm=confirm,
        fallback_only=fallback_only, inform=onward is not None, camera=camera,
        before=len(glances)))
    return Transition(
        mission, Looking(step.id, 'the picture', context.in_ns(config.part_wait_s), confirm,
                         onward=onward, glances=glances), (step,))


def act(mission: Mission, context: Context, reason: str, *, hypothesis_id: str | None = None,
        track_id: str | None = None, action: Action = Action.APPROACH,
        node_id: str = '') -> Transition:
    """Ask for an act on a hypothesis, or on the track of the target."""
    return carry_out(mission, context, reason, Deed(
        action, hypothesis_id, track_id, node_id, mission.picture_ns, mission.last_pose))


def carry_out(mission: Mission, context: Context, reason: str, deed: Deed) -> Transition:
    """Ask for an act, perhaps not for the first time."""
    config = context.config
    likely = mission.may_be_here(config)
    late = mission.spent(config, context.now) >= config.second_looks_share
    step = _issued(mission, context, act_step(
        mission, config, reason, hypothesis_id=deed.hypothesis_id, track_id=deed.track_id,
        second_looks=mission.second_looks and likely and not late,
        # On a tour each place is looked at once.
        only_gaps=not likely or mission.purpose is Purpose.TOUR))
    return Transition(
        mission, Driving(step.id, deed, context.in_ns(act_time_s(config))), (step,))


def holds(deed: Deed, mission: Mission, context: Context) -> bool:
    """Tell whether an act may be asked for again without another look.

    Its picture must be fresh until the act would start, and the robot must not have moved. A model
    that was silent is asked again, for it may be back.
    """
    robot = mission.last_pose
    if context.missing or mission.silent_since_ns is not None or deed.pose is None or (
            robot is None):
        return False
    return is_fresh(deed.picture_ns, context) and (
        not robot.moved_from(deed.pose, _STAYED_M, _STAYED_RAD))


def is_fresh(picture_ns: int, context: Context) -> bool:
    """Tell whether an act on a picture could still start in time."""
    config, age_s = context.config, seconds(context.now.clock_ns - picture_ns)
    return 0.0 <= age_s <= config.stale_after_s - config.start_within_s


def ask(mission: Mission, context: Context, question: str) -> Transition:
    """Put a question to the operator."""
    asked = mission.tally.questions
    if asked >= context.config.questions_limit:
        return refuse(mission, context, Code.NOT_CONFIRMED,
                      f'{asked} questions were asked already')
    mission = replace(mission, tally=replace(mission.tally, questions=asked + 1))
    return Transition(mission, Asking(question, context.in_ns(context.config.answer_wait_s)))


def reject(mission: Mission, context: Context, why: str, *,
           disproved: bool = False) -> Transition:
    """Reject the target in hand, which was not confirmed, and search on."""
    track = mission.track
    assert track is not None
    pursuit = mission.pursuit
    missed = (pursuit.once_more and pursuit.reached and not pursuit.shown
              and not mission.model_error)
    one = Rejected(track, why[:MAX_REASON], disproved, pursuit.once_more, missed)
    mission = with_evidence(replace(
        mission, track=None, pursuit=Pursuit(), rejected=(*mission.rejected, one),
        last_refusal=Refusal(Code.NOT_CONFIRMED, f'what was seen at {place_of(track)} is not it: '
                             f'{why}'[:MAX_REASON])), Evidence.TARGET_REJECTED, why)
    return look(mission, context, f'not confirmed, the search goes on: {why}')


def refuse(mission: Mission, context: Context, code: Code, reason: str, *,
           failed: bool = False, deed: Deed | None = None,
           waits: bool = False) -> Transition:
    """Take note of a refusal, or of an act that failed, and look again.

    Args:
        mission: the record.
        context: of the transition.
        code: of the refusal.
        reason: in words.
        failed: the act was accepted, and failed.
        deed: the act, where it may be tried again as it is once a part is back.
        waits: a part is missing, though the code does not say so.
    """
    rejection, tally = f'{code.value}: {reason}', mission.tally
    if waits or code in WAITING_CODES:
        tally = replace(tally, waits_in_row=tally.waits_in_row + 1)
        # After the pose was lost, earlier sightings may lie elsewhere in the map.
        return wait(replace(mission, rejection_reason=rejection, tally=tally), context, rejection,
                    _pause_s(tally.waits_in_row, context.config),
                    deed=None if code is Code.POSE_UNAVAILABLE else deed)
    if mission.silent_since_ns is not None:
        # The fallback has no better proposal, so its refusals are not counted.
        return wait(
            replace(mission, rejection_reason=rejection, tally=replace(tally, waits_in_row=0)),
            context, f'no answer of the model: {mission.model_error}; {rejection}')
    tally = replace(
        tally, waits_in_row=0, refusals_in_row=tally.refusals_in_row + 1,
        refusals=tally.refusals + (not failed and code is not Code.SKIPPED),
        failures=tally.failures + failed)
    # The model is told only refusals that another proposal could mend.
    mission = replace(mission, rejection_reason=rejection, tally=tally,
                      last_refusal=Refusal(code, reason[:MAX_REASON]))
    return look(mission, context, rejection)


def _pause_s(waits: int, config: BeliefConfig) -> float:
    """Pause before a missing part is tried again, in s; it grows with each wait in a row."""
    return min(RETRY_WAIT_S * waits, max(RETRY_WAIT_S, config.blocked_wait_s))


def wait(mission: Mission, context: Context, reason: str, wait_s: float | None = None, *,
         confirm: bool = False, for_memory: bool = False,
         deed: Deed | None = None) -> Transition:
    """Go on after a pause: a part is missing, which no proposal is to blame for.

    Args:
        mission: the record.
        context: of the transition.
        reason: the missing part.
        wait_s: length of the pause, in s; None for `RETRY_WAIT_S`.
        confirm: the look is the last one.
        for_memory: the look follows at once when the memory has answered.
        deed: the act that is asked for again, as long as it holds; None for a look.
    """
    wait_s = RETRY_WAIT_S if wait_s is None else wait_s
    return Transition(replace(mission, reason=reason),
                      Waiting(context.in_ns(wait_s), confirm, for_memory, deed))


def finish(mission: Mission, context: Context, outcome: Outcome, reason: str,
           stands: bool | None = None) -> Transition:
    """Finish the mission; no step is under way any more.

    Args:
        mission: the record.
        context: of the transition.
        outcome: of the mission.
        reason: in words.
        stands: the verifier said that the robot stands; None if it was not asked.
    """
    return Transition(replace(mission, reason=reason),
                      Finished(outcome, context.now.steady_ns, stands))


def end(mission: Mission, context: Context, outcome: Outcome, reason: str) -> Transition:
    """Stop the robot; the mission finishes once it is known to stand, or after a limit.

    It is stopped between two steps too, as the last step may still move it.
    """
    step, config = stop(mission, context, reason), context.config
    return Transition(
        replace(mission, reason=reason),
        Stopping(step, outcome, context.in_ns(config.stop_wait_s),
                 context.in_ns(config.stop_again_s)), (step,))


def stop(mission: Mission, context: Context, reason: str) -> Document:
    """The step that ends the one under way and stops the robot."""
    return _issued(mission, context, stop_step(mission, reason))


def give_step_up(mission: Mission, phase: Looking | Driving, context: Context,
                 reason: str) -> Transition:
    """Stop the step under way, and look after a pause; a last look stays the last."""
    stopped = stop(mission, context, reason)
    confirm = isinstance(phase, Looking) and phase.confirming
    return wait(mission, context, reason, confirm=confirm).preceded_by(stopped)


def with_evidence(mission: Mission, evidence: Evidence, why: str = '') -> Mission:
    """Change the status by the table, with the table's reason, followed by `why` if given."""
    status, reason = after(mission.status, evidence)
    if not reason:
        return mission
    _log.info('%s: %s -> %s, %s', evidence, mission.status, status, reason)
    return replace(mission, status=status,
                   reason=f'{reason}: {why}'[:MAX_REASON] if why else reason)


def waiting_for(missing: tuple[str, ...]) -> str:
    """The nodes that are waited for, in words."""
    return f'waiting for {" and ".join(missing)}'


def _issued(mission: Mission, context: Context, step: Step) -> Document:
    return context.document(mission, step, mission.cause_id)
