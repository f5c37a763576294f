"""The envelope of every document, and the types of its body."""

from __future__ import annotations

from dataclasses import dataclass

from semantic_nav.contracts.documents.looks import Hypothesis, Look
from semantic_nav.contracts.documents.mission import Belief
from semantic_nav.contracts.documents.observations import Observation, RobotPose
from semantic_nav.contracts.documents.places import Candidates
from semantic_nav.contracts.documents.queries import ToolQuery, ToolReply
from semantic_nav.contracts.documents.steps import Step
from semantic_nav.contracts.documents.verdicts import Verdict
from semantic_nav.contracts.fields import Id, IdOrEmpty, Name
from semantic_nav.contracts.hypothesis import CanonicalHypothesis

Body = (Step | Look | Hypothesis | Observation | Candidates | RobotPose | Verdict | Belief
        | ToolQuery | ToolReply)

#: Topic and schema name of each body.
NAMES: dict[type, str] = {
    Step: 'step', Look: 'look', Hypothesis: 'hypothesis', Observation: 'observation',
    Candidates: 'candidates', RobotPose: 'pose', Verdict: 'verdict', Belief: 'belief',
    ToolQuery: 'query', ToolReply: 'reply',
}
#: Dataclasses with a file of their own in `schema/`, and its name.
FILES: dict[type, str] = {**NAMES, CanonicalHypothesis: 'vlm_hypothesis'}


@dataclass(frozen=True)
class Document:
    """The envelope of every document.

    Attributes:
        id: identity of the document, minted by its writer.
        cause_id: id of the document that led to this one; empty if none did.
        goal_id: id of the mission; empty if it belongs to none.
        stamp_ns: ROS time of the measurement (a picture, a pose), else of writing.
        frame_id: frame of the coordinates in the body (the writer's `map_frame`) or of the
            picture; empty if there are none.
    """

    id: Id
    cause_id: IdOrEmpty
    goal_id: IdOrEmpty
    stamp_ns: int
    frame_id: Name
    body: Body

    @property
    def schema(self) -> str:
        """Name of the body's schema, and of its topic."""
        return NAMES[type(self.body)]
