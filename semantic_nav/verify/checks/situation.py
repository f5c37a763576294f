"""Input of every decision of the verifier, frozen at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import ActRequest, Candidate, Candidates
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.exploration import Exploration
from semantic_nav.verify.checks.attempts import Attempts
from semantic_nav.verify.checks.stalls import Stall, closed_at
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.floor.body import Body
from semantic_nav.verify.floor.round_body import RoundBody
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.grounding.camera_view import CameraView
from semantic_nav.verify.tracking.findings import Findings, Proposal


@dataclass(frozen=True, eq=False)
class Situation:
    """Snapshot of all that is known at one moment.

    Attributes:
        goal_id: id of the current goal.
        findings: sightings for it, and proposals of the model.
        attempts: record of the acts for it.
        candidates: remembered places that are offered for it now.
        offered: ids of all places that are or were offered for it.
        exploration: state of the exploration.
        cameras: views of the cameras by name, as of their newest look; other cameras count before
            their first look too.
        other_cameras: names of the cameras besides the first one.
    """

    now: Now
    config: VerifierConfig
    goal_id: str
    surroundings: Surroundings
    findings: Findings
    attempts: Attempts
    candidates: Candidates | None
    offered: frozenset[str]
    exploration: Exploration
    cameras: Mapping[str, CameraView]
    other_cameras: frozenset[str] = frozenset()

    def camera_ahead(self, camera: str) -> CameraView | None:
        """View of the camera that looks ahead at arrival: the first one; None where unknown.

        Args:
            camera: name of the camera that saw the target.
        """
        if camera in self.other_cameras:
            camera = next((name for name in self.cameras if name not in self.other_cameras), '')
        return self.cameras.get(camera)

    def before(self, deep_m: float) -> 'Situation':
        """The situation before a target whose front is nearer than its middle by `deep_m`.

        All stand-offs are measured from the middle, and so are longer here.
        """
        if not deep_m:
            return self
        return replace(self, config=self.config.with_stand_offs(deep_m))

    @property
    def robot(self) -> Pose2D:
        """Pose of the robot in the map frame, which must be known."""
        pose = self.surroundings.robot.pose
        assert pose is not None
        return pose

    @cached_property
    def body(self) -> Body | None:
        """Footprint over map and costmap, which must be known; None for a round robot."""
        around = self.surroundings
        footprint = around.footprint or footprint_of(self.config.footprint)
        if footprint is None:
            return None
        assert around.map is not None and around.costmap is not None
        return Body(footprint, around.map, around.costmap, around.robot.pose)

    @property
    def on_path(self) -> Body | RoundBody:
        """Body of a robot of any shape on a path; map and costmap must be known."""
        around = self.surroundings
        assert around.map is not None and around.costmap is not None
        return self.body or RoundBody(around.map, around.costmap, self.robot,
                                      self.config.robot_radius)

    @cached_property
    def failed(self) -> tuple[Pose2D, ...]:
        """Goal poses that no drive reached lately."""
        return self.attempts.failed(self.now, self.config.failure_memory_s)

    @cached_property
    def stalls(self) -> tuple[Stall, ...]:
        """Places where the robot got stuck lately, unless the costmap there has opened since."""
        costmap = self.surroundings.costmap
        if costmap is None:
            return ()
        stalls = self.attempts.stalls(self.now, self.config.failure_memory_s)
        return tuple(stall for stall in stalls if stall.holds(costmap))

    @cached_property
    def exploration_now(self) -> Exploration:
        """Exploration with the floor that is reachable now; map and costmap must be known."""
        assert self.surroundings.map is not None
        return self.exploration.reaching(self.surroundings.map,
                                         self.surroundings.reachable_floor())

    def round_stalls(self) -> 'Situation':
        """The situation with the stalls closed on the costmap; itself without stalls."""
        costmap = self.surroundings.costmap
        if not self.stalls or costmap is None:
            return self
        return replace(self, surroundings=self.surroundings.avoiding(
            closed_at(costmap, self.stalls)))

    def proposal_of(self, act: ActRequest) -> Proposal | None:
        """Proposal that an act names; None where it names a track or nothing known."""
        if act.track_id is not None:
            return None
        return self.findings.proposals.get(act.hypothesis_id or '')

    def candidate(self, node_id: str) -> Candidate | None:
        """Remembered place that is offered for this goal now; None where it is not."""
        places = self.candidates.candidates if self.candidates is not None else ()
        return next((place for place in places if place.node_id == node_id), None)

    def looked_share(self) -> float:
        """Share of the reachable floor that was looked at, 0..1."""
        coverage = self.findings.coverage
        if coverage is None:
            return 0.0
        return coverage.in_range.share_of(self.surroundings.reachable_floor())
