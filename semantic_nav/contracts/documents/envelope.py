"""The envelope of every document, and which bodies there are."""

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
#: Which dataclasses have a file of their own in `schema/`, and its name.
FILES: dict[type, str] = {**NAMES, CanonicalHypothesis: 'vlm_hypothesis'}


@dataclass(frozen=True)
class Document:
    """The envelope of every document.

    Attributes:
        id: minted by the writer.
        cause_id: the document that led to this one; empty where there is none.
        goal_id: the mission it belongs to; empty where there is none.
        stamp_ns: on the ROS clock: of what was measured (a picture, a pose), else of now.
        frame_id: of the coordinates in the body (`map_frame` of whoever writes them), or of the
            picture; empty where there are none.
    """

    id: Id
    cause_id: IdOrEmpty
    goal_id: IdOrEmpty
    stamp_ns: int
    frame_id: Name
    body: Body

    @property
    def schema(self) -> str:
        """The name of the body's schema, which is its topic's name too."""
        return NAMES[type(self.body)]
