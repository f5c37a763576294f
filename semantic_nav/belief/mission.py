"""The record of one mission, apart from its phase."""

from dataclasses import dataclass, field, replace

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.phases import (
    WORDS,
    Asking,
    Finished,
    Paused,
    Phase,
    Waiting,
    next_action,
)
from semantic_nav.belief.places import LeftOut
from semantic_nav.belief.target import Pursuit, Rejected, place_of
from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import (
    Belief,
    Budgets,
    CandidateNode,
    Candidates,
    Point,
    Refusal,
    Track,
)
from semantic_nav.contracts.fields import MAX_TEXT
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Outcome, Purpose, Status

#: Number of rejected targets that the end of a mission names, the newest first.
_MOST_NAMED = 3


@dataclass(frozen=True)
class Tally:
    """Counters that are held against the limits.

    Attributes:
        model_calls: replies of the model, turns of tools and repairs included.
        refusals: refused acts and claims of the model since the last view was reached.
        failures: acts since then that were accepted and did not succeed.
        doubts: last looks that did not confirm the target.
        unusable_looks: looks in a row to which the model gave nothing usable.
        refusals_in_row: refused acts since the last accepted one.
        waits_in_row: acts and last looks in a row for which a part was missing.
        blocked: tries that found the ways to all that is left blocked.
        blocked_in_row: those since the last arrival.
    """

    model_calls: int = 0
    questions: int = 0
    refusals: int = 0
    failures: int = 0
    doubts: int = 0
    distance_m: float = 0.0
    unusable_looks: int = 0
    refusals_in_row: int = 0
    waits_in_row: int = 0
    blocked: int = 0
    blocked_in_row: int = 0

    @property
    def setbacks(self) -> int:
        """Refusals and failures, which share one limit."""
        return self.refusals + self.failures


@dataclass(frozen=True)
class Mission:
    """The record of one goal, which changes slowly.

    Attributes:
        started_ns: on the steady clock.
        purpose: find, go or tour.
        place: destination, for the purpose `go`: an id or a name.
        reason: of the last change, in words.
        rejection_reason: reason why the last act was refused or failed; empty once one was
            accepted.
        last_refusal: that reason for the model, if another proposal could mend it.
        likely: the remembered places that made the target likely to be at one of them.
        remembered: positions at which earlier missions for the same words found their target, as
            the memory gave them first.
        track: of the target.
        pursuit: the acts towards that track, and their success.
        rejected: targets that were not confirmed, the newest last.
        left_out: remembered places to which the robot was sent in vain.
        second_looks: all was looked at, and is looked at from another place as far as the budgets
            allow.
        unreached: parts left to look at but out of reach, in words; empty after an arrival.
        cause_id: the hypothesis of the last look; empty while a new one has none.
        picture_ns: stamp of its picture, on the ROS clock.
        ungrounded_reason: reason why the newest look has no position; empty if it has one.
        looked_share: share of the reachable floor that was looked at until then, 0..1.
        p_here: probability that the target is here, given the looks until then; None before the
            first map.
        silent_since_ns: the first of the looks in a row that the model did not answer, on the
            steady clock; None while it answers.
        model_error: reason why it did not, or why its answer was of no use; empty after a good
            one.
        answer_s: latency of its last good answer, in s.
    """

    goal_id: str
    goal_text: str
    started_ns: int
    purpose: Purpose = Purpose.FIND
    place: str = ''
    status: Status = Status.SEARCHING
    reason: str = ''
    rejection_reason: str = ''
    last_refusal: Refusal | None = None
    candidates: Candidates | None = None
    remembered: tuple[Point, ...] = ()
    likely: frozenset[str] = frozenset()
    track: Track | None = None
    pursuit: Pursuit = field(default_factory=Pursuit)
    rejected: tuple[Rejected, ...] = ()
    last_pose: Pose2D | None = None
    left_out: tuple[LeftOut, ...] = ()
    second_looks: bool = False
    unreached: str = ''
    cause_id: str = ''
    picture_ns: int = 0
    ungrounded_reason: str = ''
    looked_share: float = 0.0
    p_here: float | None = None
    silent_since_ns: int | None = None
    model_error: str = ''
    answer_s: float = 0.0
    tally: Tally = field(default_factory=Tally)

    def shifted(self, by_ns: int) -> 'Mission':
        """The record of a mission that rested for a time span."""
        since_ns = self.silent_since_ns
        return replace(self, started_ns=self.started_ns + by_ns,
                       pursuit=self.pursuit.shifted(by_ns),
                       left_out=tuple(one.shifted(by_ns) for one in self.left_out),
                       silent_since_ns=None if since_ns is None else since_ns + by_ns)

    def elapsed_s(self, steady_ns: int) -> float:
        """Time that the mission has taken, in s."""
        return seconds(steady_ns - self.started_ns)

    def exhausted(self, config: BeliefConfig, now: Now) -> str:
        """The budget that is used up, in words; empty if none is."""
        reason = self._used_up(config, now)
        if reason and self.unreached:
            reason = f'{reason}; {self.unreached}'
        if reason and self.silent_since_ns is not None:
            silent_s = seconds(now.steady_ns - self.silent_since_ns)
            reason = (f'{reason}; the model has not answered for {silent_s:.0f} s: '
                      f'{self.model_error}')
        return f'{reason}{self.evidence()}' if reason else ''

    def spent(self, config: BeliefConfig, now: Now) -> float:
        """The greatest used share of a budget."""
        return max(self.elapsed_s(now.steady_ns) / config.time_limit_s,
                   self.tally.distance_m / config.distance_limit_m,
                   self.tally.model_calls / config.model_calls_limit)

    def seen(self) -> str:
        """The target's sightings, in words that follow on a reason; empty for none."""
        held = self.track
        failed = f' ({self.pursuit.failure})' if self.pursuit.failure else ''
        tracked = f'; the target was seen at {place_of(held)}, but not reached{failed}' if (
            held is not None) else ''
        return tracked + ''.join(
            f'; something like it was seen at {place_of(one.track)}, not confirmed: {one.why}'
            for one in self.rejected[-_MOST_NAMED:])

    def evidence(self) -> str:
        """Sightings, probability of the target, and the looks' defects, in words.

        They follow on a reason.
        """
        likely = '' if self.p_here is None or self.track is not None else (
            f'; that it is here all the same: {self.p_here:.0%}')
        lacking = self.ungrounded_reason and (
            f'; the newest look tells no place: {self.ungrounded_reason}')
        return f'{self.seen()}{likely}{lacking}'

    def may_be_here(self, config: BeliefConfig) -> bool:
        """Tell whether the target may still be here, so that its absence cannot be claimed."""
        return self.p_here is None or self.p_here > config.not_here_below

    @property
    def doubted(self) -> Rejected | None:
        """The newest rejected target that is neither disproved nor visited again."""
        return next((one for one in reversed(self.rejected)
                     if not one.disproved and not one.visited_again), None)

    def once_more(self, doubted: Rejected) -> 'Mission':
        """The record with a rejected target in hand again."""
        return replace(self, track=doubted.track, pursuit=Pursuit(asked_last=True, once_more=True),
                       rejected=tuple(one for one in self.rejected if one is not doubted))

    def _used_up(self, config: BeliefConfig, now: Now) -> str:
        tally = self.tally
        if self.elapsed_s(now.steady_ns) > config.time_limit_s:
            return f'the time is used up ({config.time_limit_s:.0f} s)'
        if tally.distance_m > config.distance_limit_m:
            return f'the distance is used up ({config.distance_limit_m:.0f} m)'
        if tally.model_calls >= config.model_calls_limit:
            return f'the model calls are used up ({config.model_calls_limit})'
        if tally.setbacks >= config.refusals_limit:
            return (f'{tally.refusals} proposals were refused and {tally.failures} acts failed; '
                    f'the last: {self.rejection_reason}')
        if tally.doubts >= config.doubts_limit:
            return f'{tally.doubts} last looks did not confirm what was seen'
        if tally.waits_in_row >= config.waits_limit:
            return (f'a part was missing {tally.waits_in_row} times in a row; '
                    f'the last: {self.rejection_reason}')
        if tally.unusable_looks >= config.unusable_looks_limit:
            return (f'the model gave nothing usable in {tally.unusable_looks} looks in a row: '
                    f'{self.model_error}')
        return ''

    def document(self, phase: Phase, config: BeliefConfig, now: Now) -> Belief:
        """The mission as a belief document."""
        places = self.candidates.candidates if self.candidates is not None else ()
        outcome, stands, until_ns, tally = None, None, now.steady_ns, self.tally
        if isinstance(phase, Finished):
            outcome, stands, until_ns = phase.outcome, phase.stands, phase.at_ns
        elif isinstance(phase, Paused):
            stands, until_ns = phase.again_ns is None, phase.since_ns
        return Belief(
            goal_text=self.goal_text, status=self.status, phase=WORDS[type(phase)],
            outcome=outcome, reason=self.reason[:MAX_TEXT],
            candidate_nodes=tuple(CandidateNode(one.node_id, one.score) for one in places),
            question=phase.question if isinstance(phase, Asking) else '',
            rejection_reason=self.rejection_reason[:MAX_TEXT], next_action=next_action(phase),
            budgets=Budgets(
                time_s=round(self.elapsed_s(until_ns), 1), time_limit_s=config.time_limit_s,
                model_calls=tally.model_calls, model_calls_limit=config.model_calls_limit,
                distance_m=round(tally.distance_m, 2), distance_limit_m=config.distance_limit_m,
                refusals=tally.setbacks, refusals_limit=config.refusals_limit),
            stands=stands, purpose=self.purpose, place=self.place,
            p_here=1.0 if outcome is Outcome.ARRIVED and self.purpose is Purpose.FIND
            else self.p_here,
            waits=isinstance(phase, Waiting),
            pause_requested=isinstance(phase, Paused) and phase.requested)
