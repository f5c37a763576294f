"""The steps that the belief issues."""

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.places import not_offered
from semantic_nav.contracts.documents import ActRequest, LookRequest, RejectedTarget, Step
from semantic_nav.contracts.vocabulary import StepKind

#: Longest reason of a step, in characters.
MAX_REASON = 400
#: Largest number of rejected targets in a step.
_MOST_REJECTED = 32
#: Largest number of places that a step leaves out.
_MOST_LEFT_OUT = 32
#: Time after the deadline of a look, and of an act, at which it is given up, in s.
_GRACE_S = 10.0
#: Model replies that are reserved for a look that is not waited for. It takes fewer, turns of
#: tools and repairs included.
_REPLIES = 8


def look_step(mission: Mission, config: BeliefConfig, reason: str, steady_ns: int, *,
              confirm: bool, fallback_only: bool, inform: bool = False, camera: str = '',
              before: int = 0) -> Step:
    """The step that asks for a look; `before` other looks are to be answered first."""
    left = calls_left(mission, config, before)
    return Step(
        StepKind.LOOK, mission.goal_text, reason=reason[:MAX_REASON], rejected=_rejected(mission),
        purpose=mission.purpose, place=mission.place,
        look=LookRequest(
            deadline_s=config.look_deadline_s, inform=inform, confirm=confirm,
            fallback_only=fallback_only, belief_target_status=mission.status,
            last_refusal=mission.last_refusal,
            model_calls_left=min(left, _REPLIES) if inform else left,
            left_out=not_offered(mission.left_out, steady_ns)[-_MOST_LEFT_OUT:],
            camera=camera))


def calls_left(mission: Mission, config: BeliefConfig, looks: int) -> int:
    """Model calls that are left beside a number of looks still to be answered."""
    return config.model_calls_limit - mission.tally.model_calls - looks * _REPLIES


def act_step(mission: Mission, config: BeliefConfig, reason: str, *,
             hypothesis_id: str | None = None, track_id: str | None = None,
             second_looks: bool = False, only_gaps: bool = False) -> Step:
    """The step that asks for an act on a hypothesis, or on the track of the target."""
    return Step(
        StepKind.ACT, mission.goal_text, reason=reason[:MAX_REASON], rejected=_rejected(mission),
        purpose=mission.purpose, place=mission.place,
        act=ActRequest(
            hypothesis_id=hypothesis_id, track_id=track_id, stale_after_s=config.stale_after_s,
            start_within_s=config.start_within_s, drive_budget_s=config.drive_budget_s,
            second_looks=second_looks, only_gaps=only_gaps))


def stop_step(mission: Mission, reason: str) -> Step:
    """The step that ends a drive."""
    return Step(StepKind.STOP, mission.goal_text, reason=reason[:MAX_REASON],
                purpose=mission.purpose, place=mission.place)


def _rejected(mission: Mission) -> tuple[RejectedTarget, ...]:
    return tuple(RejectedTarget(one.track.id, one.track.position)
                 for one in mission.rejected[-_MOST_REJECTED:])


def look_time_s(config: BeliefConfig) -> float:
    """Longest wait for the hypothesis of a look, in s."""
    return config.look_deadline_s + _GRACE_S


def act_time_s(config: BeliefConfig) -> float:
    """Longest wait for the result of an act, in s."""
    return config.start_within_s + config.drive_budget_s + _GRACE_S
