"""A mission as its documents tell it: its state, its target, and the evidence."""

from dataclasses import dataclass, replace

from semantic_nav.belief.goal_text import quotable
from semantic_nav.contracts.documents import (
    Belief,
    Document,
    Hypothesis,
    Observation,
    RobotPose,
    Track,
)
from semantic_nav.contracts.fields import MAX_TEXT
from semantic_nav.contracts.vocabulary import ModelAnswer, Outcome, Source, Status

MAKE_SURE = 'make sure that the robot stands'
#: Statuses in which the belief has a target.
_HELD = (Status.VISIBLE, Status.UNREACHABLE, Status.DONE)


@dataclass(frozen=True)
class MissionRecord:
    """The documents of a mission, each taken in with `after`.

    Attributes:
        goal_id: of the mission.
        belief: the newest belief.
        session: of the belief node that published it.
        robot: the robot's newest pose; a `RobotPose`.
        seen: the last observation that holds the target.
        looked: the last observation.
        looks: number of looks that the model answered.
        model: its last valid answer.
    """

    goal_id: str
    belief: Belief | None = None
    session: str = ''
    robot: Document | None = None
    seen: Document | None = None
    looked: Observation | None = None
    looks: int = 0
    model: Hypothesis | None = None

    def after(self, document: Document) -> 'MissionRecord':
        """The record with a document; one of another mission changes nothing."""
        body = document.body
        if isinstance(body, RobotPose):
            return replace(self, robot=document)
        if document.goal_id != self.goal_id:
            return self
        match body:
            case Belief():
                # As `Ids` mints them: `<node>-<session>-<counter>`.
                session = document.id.partition('-')[2].rpartition('-')[0]
                return replace(self, belief=body, session=session)
            case Observation():
                return replace(self, looked=body, looks=self.looks + (body.source is Source.MODEL),
                               seen=self.seen if body.track is None else document)
            case Hypothesis() if body.meta.vlm_answer is ModelAnswer.VALID:
                return replace(self, model=body)
            case _:
                return self

    def newest(self, document: Document) -> 'MissionRecord':
        """The record of the mission that the newest belief is about."""
        return replace(self, goal_id=document.goal_id).after(document) if (
            isinstance(document.body, Belief)) else self

    @property
    def open(self) -> 'MissionRecord':
        """This record, or an empty one if no mission is under way."""
        words = self.belief is not None and not self.ended and self.belief.goal_text
        return self if words else MissionRecord('')

    @property
    def ended(self) -> bool:
        """Tell whether the mission is over."""
        return self.belief is not None and self.belief.outcome is not None

    @property
    def stands(self) -> bool:
        """Tell whether the verifier, asked at the end, said that the robot stands."""
        return bool(self.belief is not None and self.belief.stands)

    @property
    def outcome(self) -> Outcome | None:
        """Outcome; None before, and after a cancellation while the robot is not known to stand."""
        if self.belief is None or (
                self.belief.outcome is Outcome.CANCELLED and not self.belief.stands):
            return None
        return self.belief.outcome

    @property
    def target(self) -> Track | None:
        """The target's track, in the frame of `seen`; None without a target."""
        held = self.belief is not None and self.belief.status in _HELD
        body = self.seen.body if held and self.seen is not None else None
        return body.track if isinstance(body, Observation) else None

    @property
    def evidence(self) -> str:
        """The evidence for the end, in words; the model's words are quoted on one line."""
        said = []
        if self.looks:
            said.append(f'looks that the model answered: {self.looks}')
        if self.looked is not None:
            said.append(f'{self.looked.coverage:.0%} of the floor in reach was looked at')
        track = self.target
        if track is not None:
            said.append(f'sightings in a row that agree: {track.hits}, from so many places: '
                        f'{track.views}')
        if self.model is not None:
            told = self.model.hypothesis
            words = quotable(told.rationale, MAX_TEXT)
            said.append(f'last, the model says {told.target_status.value}, '
                        f'{told.confidence:.0%} sure' + (f': "{words}"' if words else ''))
        return '; '.join(said)
