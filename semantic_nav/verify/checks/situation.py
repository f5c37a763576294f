"""All that a decision of the verifier depends on, frozen at one moment."""

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
    """What is known at one moment.

    Attributes:
        goal_id: the goal in hand.
        findings: what was seen for it, and what the model proposed.
        attempts: what was driven for it.
        candidates: the remembered places that are offered for it now.
        offered: ids of all that were, now or before.
        exploration: how far it has come.
        cameras: each that has taken a look, by its name, as it was at its newest look, and each
            other one.
        other_cameras: names of those besides the first one.
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
        """Return the camera that looks where the robot arrives: the first one.

        Args:
            camera: that saw what is gone to; the first one itself, unless it is another one.
        """
        if camera in self.other_cameras:
            camera = next((name for name in self.cameras if name not in self.other_cameras), '')
        return self.cameras.get(camera)

    def before(self, deep_m: float) -> 'Situation':
        """Return it as it is before a target whose front is so much nearer than its middle.

        All stand-offs are measured from the middle.
        """
        if not deep_m:
            return self
        return replace(self, config=self.config.with_stand_offs(deep_m))

    @property
    def robot(self) -> Pose2D:
        """The pose of the robot in the map frame; only asked for once it is known."""
        pose = self.surroundings.robot.pose
        assert pose is not None
        return pose

    @cached_property
    def body(self) -> Body | None:
        """The outline of the robot on map and costmap, with both; None for a round one."""
        around = self.surroundings
        footprint = around.footprint or footprint_of(self.config.footprint)
        if footprint is None:
            return None
        assert around.map is not None and around.costmap is not None
        return Body(footprint, around.map, around.costmap, around.robot.pose)

    @property
    def on_path(self) -> Body | RoundBody:
        """The robot as it follows a path, whatever its shape; with map and costmap."""
        around = self.surroundings
        assert around.map is not None and around.costmap is not None
        return self.body or RoundBody(around.map, around.costmap, self.robot,
                                      self.config.robot_radius)

    @cached_property
    def failed(self) -> tuple[Pose2D, ...]:
        """The poses that no drive reached lately."""
        return self.attempts.failed(self.now, self.config.failure_memory_s)

    @cached_property
    def stalls(self) -> tuple[Stall, ...]:
        """The places where the robot got stuck lately, as far as nothing changed there since."""
        costmap = self.surroundings.costmap
        if costmap is None:
            return ()
        stalls = self.attempts.stalls(self.now, self.config.failure_memory_s)
        return tuple(stall for stall in stalls if stall.holds(costmap))

    @cached_property
    def exploration_now(self) -> Exploration:
        """How far it has come, with the floor that is reachable now; with map and costmap."""
        assert self.surroundings.map is not None
        return self.exploration.reaching(self.surroundings.map,
                                         self.surroundings.reachable_floor())

    def round_stalls(self) -> 'Situation':
        """Return it with these places closed; itself where there are none."""
        costmap = self.surroundings.costmap
        if not self.stalls or costmap is None:
            return self
        return replace(self, surroundings=self.surroundings.avoiding(
            closed_at(costmap, self.stalls)))

    def proposal_of(self, act: ActRequest) -> Proposal | None:
        """Return what an act names, unless it names a track."""
        if act.track_id is not None:
            return None
        return self.findings.proposals.get(act.hypothesis_id or '')

    def candidate(self, node_id: str) -> Candidate | None:
        """Return a remembered place that is offered for this goal."""
        nodes = self.candidates.candidates if self.candidates is not None else ()
        return next((node for node in nodes if node.node_id == node_id), None)

    def looked_share(self) -> float:
        """Return the share of the reachable floor that was looked at, 0..1."""
        coverage = self.findings.coverage
        if coverage is None:
            return 0.0
        return coverage.in_range.share_of(self.surroundings.reachable_floor())
