"""What was done for the goal in hand, so that it is not done again, or not at once."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.verify.checks.failure_cause import LEFT_M, Blame
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.stalls import Stall

#: A look is from a view where it was taken so near to it, in metres and in radians.
_ARRIVED_M, _ARRIVED_RAD = 0.5, 0.5


@dataclass(frozen=True)
class Failure:
    """A pose that was not reached, by a drive or by a turn on the spot.

    Attributes:
        steady_ns: when, on the steady clock.
        blame: what that is held against.
        start: where the robot set out.
        stall: where it got stuck, where that is to blame.
    """

    steady_ns: int
    pose: Pose2D
    turning: bool = False
    blame: Blame = Blame.GOAL
    start: Pose2D | None = None
    stall: Stall | None = None


@dataclass(frozen=True)
class Arrival:
    """A view or a remembered place that was reached, and no model has looked there yet.

    Attributes:
        camera: name of the one through which it is looked at; empty for the first.
    """

    viewpoint: Pose2D | None = None
    node_id: str | None = None
    camera: str = ''


@dataclass(frozen=True)
class Attempts:
    """The acts of one goal; all poses are in the map frame.

    Attributes:
        nodes: remembered places that were visited and looked at.
        stand_offs: poses from which the target was looked at to confirm it.
        legs: where drives ended that were to bring the robot to where it sees the target better.
        glances: poses in which the robot turned for a second look, for whatever target.
        turns: poses in which the robot turned at a stand-off for want of another one.
        viewpoints: poses that were explored and looked from.
        arrivals: what was reached since the model answered last.
        failures: what did not succeed.
        blind: cameras besides the first one whose look showed nothing, and when, on the steady
            clock.
    """

    nodes: frozenset[str] = frozenset()
    stand_offs: tuple[Pose2D, ...] = ()
    legs: tuple[Pose2D, ...] = ()
    glances: tuple[Pose2D, ...] = ()
    turns: tuple[Pose2D, ...] = ()
    viewpoints: tuple[Pose2D, ...] = ()
    arrivals: tuple[Arrival, ...] = ()
    failures: tuple[Failure, ...] = ()
    blind: tuple[tuple[str, int], ...] = ()

    def arrived(self, plan: Plan, goal: Pose2D) -> 'Attempts':
        """Return them with a plan that was carried out, to the pose of its goal."""
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
        """Return the remembered places at which the robot was."""
        return self.nodes | {one.node_id for one in self.arrivals if one.node_id is not None}

    @property
    def awaiting(self) -> tuple[Pose2D, ...]:
        """Return the views that were reached, and from which no model has looked yet."""
        return tuple(one.viewpoint for one in self.arrivals if one.viewpoint is not None)

    def looked(self, passing: Pose2D | None = None, camera: str = '', *,
               another_target: bool = False) -> 'Attempts':
        """Return them after an answer of the model.

        It looked where the robot arrived last. Where it was before while the model was silent
        nobody looked, so that is to be done again, and so is a view that was to be looked at
        through another camera than this look. What was tried for one target says nothing of
        another.

        Args:
            passing: the viewpoint of a look after which the robot did not wait for the answer;
                None where it did.
            camera: name of the one that took it.
            another_target: the target is another one than before.
        """
        if passing is None:
            arrivals = tuple(one for one in self.arrivals if one.camera in ('', camera))
            at: int | None = len(arrivals) - 1
        else:
            arrivals, at = self.arrivals, self._arrival_at(passing)
        last = arrivals[at] if at is not None and at >= 0 else Arrival()
        nodes = {last.node_id} if last.node_id is not None else set()
        viewpoints = (last.viewpoint,) if last.viewpoint is not None else ()
        after = replace(self, nodes=self.nodes | nodes,
                        arrivals=arrivals if at is None else arrivals[at + 1:],
                        viewpoints=(*self.viewpoints, *viewpoints))
        return replace(after, stand_offs=(), legs=(), turns=()) if another_target else after

    def _arrival_at(self, pose: Pose2D) -> int | None:
        """Return which of the arrivals was at a pose, None for none."""
        return next((index for index, one in enumerate(self.arrivals)
                     if one.viewpoint is not None
                     and not pose.moved_from(one.viewpoint, _ARRIVED_M, _ARRIVED_RAD)), None)

    def without_picture(self, camera: str, now: Now) -> 'Attempts':
        """Return them with a look through another camera that showed nothing."""
        return replace(self, blind=(*self.blind, (camera, now.steady_ns)))

    def blind_cameras(self, now: Now, memory_s: float) -> frozenset[str]:
        """Return the cameras through which nothing was to be seen lately."""
        since_ns = now.steady_ns - nanoseconds(memory_s)
        return frozenset(camera for camera, when_ns in self.blind if when_ns >= since_ns)

    def failing(self, *failures: Failure) -> 'Attempts':
        """Return them with what did not succeed."""
        return replace(self, failures=(*self.failures, *failures))

    def failed(self, now: Now, memory_s: float) -> tuple[Pose2D, ...]:
        """Return the poses that no drive reached lately: what blocked the way may go away."""
        return tuple(failure.pose for failure in self._recent(now, memory_s)
                     if failure.blame is Blame.GOAL and not failure.turning)

    def done(self, now: Now, memory_s: float) -> tuple[Pose2D, ...]:
        """Return the viewpoints that are done with, for good or for some time."""
        return (*self.viewpoints, *self.awaiting, *self.unreached(now, memory_s))

    def unreached(self, now: Now, memory_s: float) -> tuple[Pose2D, ...]:
        """Return the poses that no drive and no turn reached lately."""
        return tuple(failure.pose for failure in self._recent(now, memory_s)
                     if failure.blame is Blame.GOAL or failure.turning)

    def stalls(self, now: Now, memory_s: float) -> tuple[Stall, ...]:
        """Return where the robot got stuck on its way lately."""
        return tuple(failure.stall for failure in self._recent(now, memory_s)
                     if failure.stall is not None)

    def stuck_at(self, robot: Pose2D, now: Now, memory_s: float) -> int:
        """Return how many drives and turns in a row lately did not get away from a place."""
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
