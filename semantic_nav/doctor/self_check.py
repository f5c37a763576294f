"""Checks without a robot: the parts, each alone, and those of a mission together."""

import json
import logging
from collections.abc import Callable
from typing import get_args

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import WORDS
from semantic_nav.belief.state_machine import TABLE
from semantic_nav.belief.transition import Context, refuse
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import DocumentReceived
from semantic_nav.contracts.documents import ActRequest, Belief, Body, Document, Step, Verdict
from semantic_nav.contracts.schema_writer import differing_files, schema_files
from semantic_nav.contracts.vocabulary import Code, Level, Outcome, Status, StepKind
from semantic_nav.doctor.finding import Finding, good
from semantic_nav.doctor.small_mission import SmallMission
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.core import VerifierCore
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext, GateRefusal, gate

_LOG = logging.getLogger(__name__)
_NOW = Now(10**12, 10**12, 10**12)
#: Time after which a mission without sensors has given up, and the stop has timed out, in s.
_MISSION_S = 60.0
_CONTEXT = GateContext(BoxConvention.PERMILLE, (640, 480), frozenset())
_REPLY = json.dumps({
    'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 90,
    'scene': {'place': 'hall', 'objects': []}, 'rationale': 'nothing like it is here'})


def self_check() -> list[Finding]:
    """The findings of all checks; only the package itself is read."""
    checks: dict[str, Callable[[], str]] = {
        'schemas': _schemas, 'gate': _gate, 'belief': _belief, 'verifier': _verifier,
        'mission': _mission}
    findings = []
    for name, check in checks.items():
        try:
            findings.append(good(name, check()))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what was looked for
            _LOG.exception('the check of %s', name)
            findings.append(Finding(Level.ERROR, name, f'{type(error).__name__}: {error}',
                                    'build and install the package anew'))
    return findings


def _ensure(so: bool, words: str) -> None:
    if not so:
        raise AssertionError(words)


def _schemas() -> str:
    differing = differing_files()
    _ensure(not differing, f'{", ".join(differing)}: of another version')
    return f'{len(schema_files())} agree with the documents'


def _gate() -> str:
    _ensure(not isinstance(gate(_REPLY, _CONTEXT), GateRefusal), 'a good reply is refused')
    others = _REPLY.replace('90', '80'), _REPLY.replace('explore', 'fly')
    for reply in ('', 'I see a mug.', f'{_REPLY} {others[0]}', others[1]):
        refusal = gate(reply, _CONTEXT)
        _ensure(isinstance(refusal, GateRefusal) and bool(refusal.message),
                f'{reply[:40]!r} is let through')
    return 'a good reply passes, and four bad ones are refused with their reasons'


def _belief() -> str:
    bodies = {kind for _, kind in TABLE if kind in get_args(Body)}
    _ensure(bool(bodies) and {phase for phase, _ in TABLE} <= set(WORDS), 'the table has a hole')
    mission = Mission('goal-doctor-1', 'find it', _NOW.steady_ns, status=Status.VISIBLE)
    context = Context(_NOW, BeliefConfig(), (), lambda: 'belief-doctor-1')
    after = refuse(mission, context, Code.SKIPPED, 'tried already').mission
    _ensure((after.status, after.tally.refusals) == (mission.status, mission.tally.refusals),
            'an act that was skipped demotes the mission')
    return f'{len(TABLE)} rows; an act that is skipped demotes nothing'


def _verifier() -> str:
    core = VerifierCore(VerifierConfig(), 'doctor')
    step = Step(StepKind.ACT, 'find it', act=ActRequest('hypothesis-doctor-1', None, 90.0, 15.0,
                                                        120.0))
    heard = Document('belief-doctor-1', '', 'goal-doctor-1', _NOW.clock_ns, '', step)
    said = [one.body for one in core.handle(DocumentReceived(heard), _NOW)
            if isinstance(one, Document) and isinstance(one.body, Verdict)]
    _ensure(len(said) == 1 and said[0].decision is not None, 'an act has no verdict')
    decision = said[0].decision
    _ensure(decision is not None and decision.code is not Code.OK and bool(decision.reason),
            'an act without a map is accepted, or refused without a reason')
    assert decision is not None
    return f'what it does not know it refuses: {decision.code}, {decision.reason}'


def _mission() -> str:
    """Check a mission without sensors, in which every act is refused."""
    walked = SmallMission(_NOW)
    walked.begin('find it')
    walked.pass_time(_MISSION_S)
    refused, beliefs = '', 0
    for body in walked.said:
        if isinstance(body, Verdict):
            decision = body.decision
            _ensure(decision is not None and decision.code is not Code.OK,
                    'an act without a map is accepted')
            assert decision is not None
            refused = decision.code.value
        elif isinstance(body, Belief) and refused:
            beliefs += 1
            _ensure(body.rejection_reason.startswith(refused) and (
                len(body.rejection_reason) > len(f'{refused}: ')),
                f'after {refused} the belief says {body.rejection_reason!r} of the refusal')
    last = walked.said[-1] if walked.said else None
    _ensure(beliefs > 0 and isinstance(last, Belief) and last.outcome is Outcome.GAVE_UP,
            'a mission of which every act is refused does not give up')
    assert isinstance(last, Belief)
    _ensure(refused in last.reason and not last.stands and 'stand' in last.reason,
            f'a mission that gave up says {last.reason!r}: neither why, nor whether it stands')
    return f'{last.budgets.refusals} acts are refused, each with its reason in the belief'
