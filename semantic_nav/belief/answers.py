"""The mission record after each part of an answer to a look: the hypothesis, the observation."""

from dataclasses import replace

from semantic_nav.belief.mission import Mission
from semantic_nav.belief.table import Evidence
from semantic_nav.belief.target import Pursuit
from semantic_nav.belief.transition import Context, with_evidence
from semantic_nav.contracts.documents import Hypothesis, Observation
from semantic_nav.contracts.vocabulary import ModelAnswer, Purpose, Source

_MS = 1e3


def answered(mission: Mission, hypothesis: Hypothesis, context: Context) -> Mission:
    """Enter the model's answer in the record; a silent model uses up nothing but time."""
    meta, tally = hypothesis.meta, mission.tally
    silent_since_ns, unusable_looks = None, tally.unusable_looks
    answer_s = mission.answer_s
    match meta.vlm_answer:
        case ModelAnswer.NOT_ASKED:
            return mission
        case ModelAnswer.VALID:
            unusable_looks, answer_s = 0, meta.vlm_latency_ms / _MS
        case ModelAnswer.REFUSED | ModelAnswer.UNSENT:
            unusable_looks += 1
        case ModelAnswer.SILENT:
            silent_since_ns = mission.silent_since_ns
            if silent_since_ns is None:
                silent_since_ns = context.now.steady_ns
    return replace(
        mission, model_error=meta.vlm_error, silent_since_ns=silent_since_ns, answer_s=answer_s,
        tally=replace(tally, model_calls=tally.model_calls + meta.vlm_reply_count,
                      unusable_looks=unusable_looks))


def observed(mission: Mission, observation: Observation) -> Mission:
    """Enter an observation in the record: the target's track and the share of floor looked at.

    On a mission that searches for nothing, nothing counts as the target.
    """
    mission = replace(mission, ungrounded_reason=observation.ungrounded_reason)
    if mission.purpose is not Purpose.FIND:
        return replace(mission, looked_share=observation.coverage)
    expected, track, pursuit = mission.track, observation.track, mission.pursuit
    if expected is None or track is None or track.id != expected.id:
        pursuit = Pursuit()
    elif track.seen_ns != expected.seen_ns:
        pursuit = pursuit.seen_again()
    mission = replace(mission, track=track, pursuit=pursuit, looked_share=observation.coverage,
                      p_here=mission.p_here if observation.p_here is None else observation.p_here)
    if observation.source is Source.MODEL:
        if track is not None:
            return with_evidence(mission, Evidence.TARGET_SEEN)
        if expected is not None:
            return with_evidence(mission, Evidence.TARGET_LOST)
    return mission
