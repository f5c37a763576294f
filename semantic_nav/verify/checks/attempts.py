"""Record of the attempts for the current goal, so that none is repeated, or not at once."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.verify.checks.failure_cause import LEFT_M, Blame
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.stalls import Stall

#: Tolerance within which a look counts as taken from a viewpoint, in m and in rad.
_ARRIVED_M, _ARRIVED_RAD = 0.5, 0.5


@dataclass(frozen=True)
class Failure:
    """A goal pose that a drive, or a turn on the spot, did not reach.

    Attributes:
        steady_ns: time of the failure on the steady clock.
        blame: cause to which it is attributed.
        start: pose from which the robot set out.
        stall: place where it got stuck, if that is the cause.
    """

    steady_ns: int
    pose: Pose2D
    turning: bool = False
    blame: Blame = Blame.GOAL
    start: Pose2D | None = None
    stall: Stall | None = None


@dataclass(frozen=True)
class Arrival:
    """A viewpoint or remembered place that was reached, without an answer of the model yet.

    Attributes:
        camera: name of the camera that looks there; empty for the first one.
    """

    viewpoint: Pose2D | None = None
    node_id: str | None = None
    camera: str = ''


@dataclass(frozen=True)
class Attempts:
    """Record of the acts of one goal; all poses are in the map frame.

    Attributes:
        places: ids of the remembered places that were visited and looked at.
        stand_offs: poses from which the target was looked at to confirm it.
        legs: end poses of legs: drives to a better view of the target.
        glances: poses in which the robot turned for a second look at any target.
        turns: poses in which the robot turned at a stand-off because no other one was left.
        viewpoints: viewpoints of the exploration from which a look was taken.
        arrivals: arrivals since the last answer of the model.
        failures: goal poses that were not reached.
        blind: cameras besides the first whose look showed nothing, each with the time of that look
            on the steady clock.
    """

    places: frozenset[str] = frozenset()
    stand_offs: tuple[Pose2D, ...] = ()
    legs: tuple[Pose2D, ...] = ()
    glances: tuple[Pose2D, ...] = ()
    turns: tuple[Pose2D, ...] = ()
    viewpoints: tuple[Pose2D, ...] = ()
    arrivals: tuple[Arrival, ...] = ()
    failures: tuple[Failure, ...] = ()
    blind: tuple[tuple[str, int], ...] = ()

    def arrived(self, plan: Plan, goal: Pose2D) -> 'Attempts':
        """The attempts after a plan was carried out to its goal pose."""
        after = self
        if plan.action is Action.EXPLORE:
            after = replace(after, arrivals=(*after.arrivals, Arrival(
                viewpoint=goal, camera=plan.camera)))
        if plan.node_id is not None:
            after = replace(after, arrivals=(*after.arrivals, Arrival(node_id=plan.node_id)))
        if plan.glance:
            after = replace(after, glances=(*after.glances, goal))
        if plan.leg:
            after = replace(after, legs=(*after.legs, goal))
        elif plan.target is not None and plan.anew:
            after = replace(after, turns=(*after.turns, goal))
        elif plan.target is not None:
            after = replace(after, stand_offs=(*after.stand_offs, goal))
        return after

    @property
    def visited(self) -> frozenset[str]:
        """Ids of the remembered places at which the robot was."""
        return self.places | {one.node_id for one in self.arrivals if one.node_id is not None}

    @property
    def awaiting(self) -> tuple[Pose2D, ...]:
        """Viewpoints that were reached, without an answer of the model yet."""
        return tuple(one.viewpoint for one in self.arrivals if one.viewpoint is not None)

    def looked(self, passing: Pose2D | None = None, camera: str = '', *,
               another_target: bool = False) -> 'Attempts':
        """The attempts after an answer of the model.

        The answer counts for the last arrival. Earlier arrivals, at which the model was silent,
        were not looked at and are to be repeated. So are viewpoints meant for another camera than
        that of this look. Attempts for one target say nothing of another.

        Args:
            passing: viewpoint of a look whose answer the robot did not wait for; None where it
                waited.
            camera: name of the camera that took the look.
            another_target: the target has changed.
        """
        if passing is None:
            arrivals = tuple(one for one in self.arrivals if one.camera in ('', camera))
            at: int | None = len(arrivals) - 1
        else:
            arrivals, at = self.arrivals, self._arrival_at(passing)
        last = arrivals[at] if at is not None and at >= 0 else Arrival()
        places = {last.node_id} if last.node_id is not None else set()
        viewpoints = (last.viewpoint,) if last.viewpoint is not None else ()
        after = replace(self, places=self.places | places,
                        arrivals=arrivals if at is None else arrivals[at + 1:],
                        viewpoints=(*self.viewpoints, *viewpoints))
        return replace(after, stand_offs=(), legs=(), turns=()) if another_target else after

    def _arrival_at(self, pose: Pose2D) -> int | None:
        """Index of the arrival at a pose; None for none."""
        return next((index for index, one in enumerate(self.arrivals)
                     if one.viewpoint is not None
                     and not pose.moved_from(one.viewpoint, _ARRIVED_M, _ARRIVED_RAD)), None)

    def without_picture(self, camera: str, now: Now) -> 'Attempts':
        """The attempts after a look through another camera that showed nothing."""
        return replace(self, blind=(*self.blind, (camera, now.steady_ns)))

    def blind_cameras(self, now: Now, memory_s: float) -> frozenset[str]:
        """Names of the cameras whose looks showed nothing lately."""
        since_ns = now.steady_ns - nanoseconds(memory_s)
        return frozenset(camera for camera, when_ns in self.blind if when_ns >= since_ns)

    def failing(self, *failures: Failure) -> 'Attempts':
        """The attempts with further failures."""
        return replace(self, failures=(*self.failures, *failures))

    def failed(self, now: Now, memory_s: float) -> tuple[Pose2D, ...]:
        """Goal poses that no drive reached lately; they expire, as a blockage may go away."""
        return tuple(failure.pose for failure in self._recent(now, memory_s)
                     if failure.blame is Blame.GOAL and not failure.turning)

    def done(self, now: Now, memory_s: float) -> tuple[Pose2D, ...]:
        """Viewpoints to leave out, for good or for some time."""
        return (*self.viewpoints, *self.awaiting, *self.unreached(now, memory_s))

    def unreached(self, now: Now, memory_s: float) -> tuple[Pose2D, ...]:
        """Goal poses that no drive and no turn reached lately."""
        return tuple(failure.pose for failure in self._recent(now, memory_s)
                     if failure.blame is Blame.GOAL or failure.turning)

    def stalls(self, now: Now, memory_s: float) -> tuple[Stall, ...]:
        """Places where the robot got stuck on its way lately."""
        return tuple(failure.stall for failure in self._recent(now, memory_s)
                     if failure.stall is not None)

    def stuck_at(self, robot: Pose2D, now: Now, memory_s: float) -> int:
        """Number of the latest drives and turns in a row that did not leave a place."""
        count = 0
        for failure in reversed(self._recent(now, memory_s)):
            if failure.blame is not Blame.START or failure.start is None or (
                    failure.start.distance_to(robot.x, robot.y) > LEFT_M):
                break
            count += 1
        return count

    def _recent(self, now: Now, memory_s: float) -> tuple[Failure, ...]:
        since_ns = now.steady_ns - nanoseconds(memory_s)
        return tuple(failure for failure in self.failures if failure.steady_ns >= since_ns)
