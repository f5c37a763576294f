"""What the looks for the goal in hand have brought."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.verify.grounding import Grounded
from semantic_nav.verify.track import TargetTrack


@dataclass(frozen=True)
class Proposal:
    """A hypothesis with what its look grounded.

    Attributes:
        stamp_ns: of the picture.
        pose: of the robot at that stamp, in the map frame.
        camera: name of the camera.
        camera_yaw: where it looked, as an angle in the map frame; None without a pose.
        target: the place of the box, None where it has none.
        ungrounded_reason: why it has none.
        grounded: places of everything that the look grounded.
    """

    id: str
    body: Hypothesis
    stamp_ns: int
    pose: Pose2D | None
    target: Grounded | None
    ungrounded_reason: str
    grounded: tuple[Grounded, ...]
    camera: str = DEFAULT_CAMERA
    camera_yaw: float | None = None


@dataclass(frozen=True, eq=False)
class Findings:
    """What is known of the goal from looks; it is replaced, never changed.

    Attributes:
        coverage: what was looked at; None before the first map.
        proposals: by the id of the hypothesis.
        viewpoints: poses of the robot at the looks of the model, in the map frame.
        track: where the target is held to be.
        sees_target: the newest look of the model claims to show the target.
        pictured: what was looked at, and what was in pictures that the model did not answer; None
            before the first of these.
        silent: the model did not answer the newest look.
    """

    coverage: GoalCoverage | None = None
    proposals: Mapping[str, Proposal] = field(default_factory=dict)
    viewpoints: tuple[Pose2D, ...] = ()
    track: TargetTrack | None = None
    sees_target: bool = False
    pictured: GoalCoverage | None = None
    silent: bool = False

    @property
    def seen(self) -> GoalCoverage | None:
        """Return what needs no view now: while the model is silent, all that was in a picture."""
        return (self.pictured if self.silent else None) or self.coverage
