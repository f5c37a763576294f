"""The steps that the belief issues."""

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.places import not_offered
from semantic_nav.contracts.documents import ActRequest, LookRequest, RejectedTarget, Step
from semantic_nav.contracts.vocabulary import StepKind

#: Longest reason that a step carries.
MAX_REASON = 400
#: Most rejected targets that a step carries.
_MOST_REJECTED = 32
#: Most places that a step leaves out.
_MOST_LEFT_OUT = 32
#: So many replies of the model are kept for a look that is not waited for: it takes fewer, turns
#: of tools and repairs included.
_REPLIES = 8


def look_step(mission: Mission, config: BeliefConfig, reason: str, steady_ns: int, *,
              confirm: bool, fallback_only: bool, inform: bool = False, camera: str = '',
              before: int = 0) -> Step:
    """Return the step that asks for a look, while so many others are to be answered before it."""
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
    """Return what is left of the model calls beside so many looks that are to be answered yet."""
    return config.model_calls_limit - mission.tally.model_calls - looks * _REPLIES


def act_step(mission: Mission, config: BeliefConfig, reason: str, *,
             hypothesis_id: str | None = None, track_id: str | None = None,
             second_looks: bool = False, only_gaps: bool = False) -> Step:
    """Return the step that asks for an act on a hypothesis, or on the track of the target."""
    return Step(
        StepKind.ACT, mission.goal_text, reason=reason[:MAX_REASON], rejected=_rejected(mission),
        purpose=mission.purpose, place=mission.place,
        act=ActRequest(
            hypothesis_id=hypothesis_id, track_id=track_id, stale_after_s=config.stale_after_s,
            start_within_s=config.start_within_s, drive_budget_s=config.drive_budget_s,
            second_looks=second_looks, only_gaps=only_gaps))


def stop_step(mission: Mission, reason: str) -> Step:
    """Return the step that ends what is driven."""
    return Step(StepKind.STOP, mission.goal_text, reason=reason[:MAX_REASON],
                purpose=mission.purpose, place=mission.place)


def _rejected(mission: Mission) -> tuple[RejectedTarget, ...]:
    return tuple(RejectedTarget(one.track.id, one.track.position)
                 for one in mission.rejected[-_MOST_REJECTED:])


def look_time_s(config: BeliefConfig) -> float:
    """Return how long the hypothesis of a look is waited for."""
    return config.look_deadline_s + config.look_grace_s


def act_time_s(config: BeliefConfig) -> float:
    """Return how long the result of an act is waited for."""
    return config.start_within_s + config.drive_budget_s + config.look_grace_s
