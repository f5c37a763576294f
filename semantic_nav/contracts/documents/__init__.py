"""The documents that the nodes exchange: an envelope and one typed body per topic.

To add a field: write it into its dataclass here, with its limits (`contracts/fields.py`) and its
line under `Attributes`, run `python -m semantic_nav schema --write`, and give it a value in
`samples()` of `test/support/builders.py`. Schema, codec and strategies follow; a test names a
field without a value. A field that older journals lack needs a default.

The JSON forms are in `schema/`; `codec` converts and validates them. Their enumerations are in
`vocabulary`.
"""

from semantic_nav.contracts.documents.envelope import FILES, NAMES, Body, Document
from semantic_nav.contracts.documents.looks import Hypothesis, Look, ModelMeta
from semantic_nav.contracts.documents.mission import Belief, Budgets
from semantic_nav.contracts.documents.observations import (
    Cone,
    Covariance,
    GroundedObject,
    Observation,
    Point,
    RobotPose,
    Track,
)
from semantic_nav.contracts.documents.places import (
    Candidate,
    CandidateNode,
    Candidates,
    PlaceDescription,
    Way,
)
from semantic_nav.contracts.documents.queries import (
    STILL_LOADING,
    Reachability,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.documents.steps import (
    ActRequest,
    LookRequest,
    Refusal,
    RejectedTarget,
    Step,
)
from semantic_nav.contracts.documents.verdicts import Decision, Result, Verdict

__all__ = [
    'FILES', 'NAMES', 'STILL_LOADING', 'ActRequest', 'Belief', 'Body', 'Budgets', 'Candidate',
    'CandidateNode', 'Candidates', 'Cone', 'Covariance', 'Decision', 'Document',
    'GroundedObject', 'Hypothesis', 'Look', 'LookRequest', 'ModelMeta', 'Observation',
    'PlaceDescription', 'Point', 'Reachability', 'Refusal', 'RejectedTarget', 'Result',
    'RobotPose', 'Step', 'ToolQuery', 'ToolReply', 'Track', 'Verdict', 'Way',
]
