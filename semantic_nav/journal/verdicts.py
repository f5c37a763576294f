"""Verdicts of a mission from its journal: why each goal was refused or taken."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from semantic_nav.contracts.blobs import Blobs, NoBlobs
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.documents import Document, Verdict
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import lines_of
from semantic_nav.verify.effects import ShowCandidates
from semantic_nav.verify.zones import Zones

_VERIFIER = 'verifier'


@dataclass(frozen=True)
class Moment:
    """The verifier's knowledge at a decision, from the journal.

    Attributes:
        robot: pose of the robot in the map frame; None before the first one.
        zones: zones of the map.
        candidates: poses before a target, where they were shown; None where not.
        map: event of the newest map, undecoded; None before the first one.
        path: event of the judged path, undecoded; None where none was judged.
    """

    robot: Pose2D | None = None
    zones: Zones = Zones()
    candidates: ShowCandidates | None = None
    map: dict[str, Any] | None = field(default=None, repr=False)
    path: dict[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ToldVerdict:
    """A verdict: the decision on an act, or the result of one.

    Attributes:
        after_s: time since the first record of the verifier, in s.
        code: code of a decision; None for a result.
        outcome: outcome of a result; empty for a decision.
        goal: pose that was accepted or refused, in the map frame; None where none is named.
    """

    after_s: float
    goal_id: str
    action: str
    code: Code | None
    outcome: str
    reason: str
    goal: Pose2D | None
    at: Moment

    @property
    def word(self) -> str:
        """The code, or the outcome."""
        return self.code.value if self.code is not None else self.outcome

    @property
    def is_refusal(self) -> bool:
        """True if the verdict refused an act."""
        return self.code is not None and self.code is not Code.OK


def verdicts_of(journal: Path) -> Iterator[ToldVerdict]:
    """Yield the verdicts of a journal in their order.

    Args:
        journal: journal of the verifier, merged journal of all nodes, or folder of journals.

    Raises:
        ContractError: it cannot be read, or the verifier has not written in it.
    """
    codec = PARTS[_VERIFIER].codec(NoBlobs())
    first_ns: int | None = None
    moment = Moment()
    for line in lines_of(journal):
        if line['node'] != _VERIFIER or 'event' not in line:
            continue
        event, steady_ns = line['event'], line['now']['steady_ns']
        first_ns = steady_ns if first_ns is None else first_ns
        moment = _after(moment, event, codec)
        outputs = [codec.decode(output) for output in line['outputs'] if _is_told(output)]
        shown = next((one for one in outputs if isinstance(one, ShowCandidates)), None)
        for output in outputs:
            if isinstance(output, Document) and isinstance(output.body, Verdict):
                yield _told(output.body, output.goal_id, (steady_ns - first_ns) / NS_PER_S,
                            replace(moment, candidates=shown))
    if first_ns is None:
        raise ContractError(f'{journal} holds no record of the verifier')


def _is_told(output: dict[str, Any]) -> bool:
    return output['type'] == 'ShowCandidates' or output.get('schema') == 'verdict'


def _after(moment: Moment, event: dict[str, Any], codec: RecordCodec) -> Moment:
    """The knowledge after an event; arrays stay in their blobs."""
    moment = replace(moment, path=event if event['type'] == 'PathAnswered' else None)
    match event['type']:
        case 'PoseResolved':
            return replace(moment, robot=codec.decode(event).map_T_base.pose())
        case 'ZonesReceived':
            return replace(moment, zones=codec.decode(event).zones)
        case 'MapReceived':
            return replace(moment, map=event)
    return moment


def _told(verdict: Verdict, goal_id: str, after_s: float, moment: Moment) -> ToldVerdict:
    decision, result = verdict.decision, verdict.result
    if decision is not None:
        return ToldVerdict(after_s, goal_id, verdict.action, decision.code, '', decision.reason,
                           decision.goal, moment)
    assert result is not None
    return ToldVerdict(after_s, goal_id, verdict.action, None, result.outcome.value,
                       result.reason, None, moment)


def kept(event: dict[str, Any] | None, blobs: Blobs) -> Any:
    """Event of a moment with its arrays; None if these were not kept."""
    try:
        return None if event is None else PARTS[_VERIFIER].codec(blobs).decode(event)
    except ContractError:
        return None
