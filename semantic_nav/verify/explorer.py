"""Where to look next for the current goal: coarse to fine, then from nearby."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, rank_viewpoints
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.goals import NEAR_FAILED_M
from semantic_nav.verify.observer import Observer
from semantic_nav.verify.tried import Tried
from semantic_nav.verify.world import NEARBY, World

#: A way shorter than this is a turn on the spot, in metres.
LEAST_WAY_M = 0.3


@dataclass(frozen=True)
class _Sweep:
    """One way of looking everywhere.

    Attributes:
        gain_share: of the least gain that is worth a way.
        nearby: only looks from nearby count, those before included.
    """

    gain_share: float
    nearby: bool


#: Large gaps first, then small ones, then what was only seen from afar: a model may overlook it.
_SWEEPS = (_Sweep(1.0, nearby=False), _Sweep(0.5, nearby=False), _Sweep(1.0, nearby=True))


class Explorer:
    """Goes from one sweep to the next when nothing is left to look at.

    Attributes:
        half_angle_rad: half of the camera's horizontal field of view.
    """

    def __init__(self, config: VerifierConfig, world: World, observer: Observer) -> None:
        """Use the coverage that the observer keeps in the world."""
        self._config = config
        self._world = world
        self._observer = observer
        self._sweep = 0
        self.half_angle_rad = ExploreSettings().half_angle_rad

    def begin_goal(self) -> None:
        """Begin with the first sweep."""
        self._sweep = 0

    def views(self, robot: Pose2D, tried: Tried, now: Now,
              hint: float | None) -> list[Viewpoint]:
        """Return what is left to look at, best first; empty after the last sweep.

        Args:
            robot: its pose in the map frame.
            tried: what was done for this goal.
            now: the time.
            hint: a direction from the robot's heading that is preferred.
        """
        found = self._of_sweep(robot, tried, now, hint)
        while not found and self._sweep + 1 < len(_SWEEPS):
            self._sweep += 1
            found = self._of_sweep(robot, tried, now, hint)
        return found

    def _of_sweep(self, robot: Pose2D, tried: Tried, now: Now,
                  hint: float | None) -> list[Viewpoint]:
        world, sweep = self._world, _SWEEPS[self._sweep]
        coverage = world.coverage_nearby if sweep.nearby else world.coverage
        assert world.map is not None and coverage is not None
        range_m = self._config.look_range_m * (NEARBY if sweep.nearby else 1.0)
        settings = replace(
            ExploreSettings(), range_m=range_m, half_angle_rad=self.half_angle_rad,
            min_gain_m2=self._config.min_gain_m2 * sweep.gain_share)
        dormant = [*tried.dormant(now), *self._observer.viewpoints]
        failed = tried.failed(now)
        return [view for view in rank_viewpoints(
                    world.map, world.way_on_map(), coverage.looked, robot, dormant,
                    settings, hint)
                if view.way_m < LEAST_WAY_M or self._may_stand(view.pose, failed)]

    def _may_stand(self, pose: Pose2D, failed: list[Pose2D]) -> bool:
        return self._world.doubt_at(pose.x, pose.y) is None and not any(
            pose.distance_to(other.x, other.y) < NEAR_FAILED_M for other in failed)
