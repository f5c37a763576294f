"""The stand-in for Nav2 in simulated time: effects of the verifier in, its events out."""

from collections.abc import Callable

import numpy as np

from semantic_nav.bench.agenda import Agenda
from semantic_nav.bench.body import Body, navigator_pose
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import NavStatus
from semantic_nav.sim.navigator.behaviors import Spin, State
from semantic_nav.sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav.sim.navigator.navigation import Navigation, Outcome, Tick
from semantic_nav.sim.navigator.planner import PlanCode, plan_path
from semantic_nav.sim.navigator.profile import NavigatorProfile, strikes
from semantic_nav.verify.events import (
    AskPath,
    CancelNav,
    NavAnswered,
    NavFinished,
    PathAnswered,
    SendNav,
    SendSpin,
    StopNav,
)

#: What DDS and the servers of Nav2 take, about (measured: paths 29-45 ms, goals 3-28 ms).
_PATH_S, _ACCEPT_S, _RESULT_S = 0.035, 0.015, 0.01
_NO_PATH = np.zeros((0, 2))


class Navigator:
    """Drives one goal at a time; a new one takes the place of the one before.

    Attributes:
        received: UUIDs of the motion goals, in hexadecimal, in the order they came.
    """

    def __init__(self, body: Body, agenda: Agenda, faults: NavigatorProfile,
                 answer: Callable[[Event], None]) -> None:
        """Drive a body.

        Args:
            body: what moves.
            agenda: gives the time.
            faults: what goes wrong; that feedback lacks changes nothing, for nobody reads it.
            answer: takes the events.
        """
        self._body, self._agenda, self._answer = body, agenda, answer
        self._planner, self._goals = faults.planner, faults.goals
        self._settings = body.config.navigation()
        # Without a goal it drives on for one that is said to have ended.
        self._goal_id = ''
        self._motion: Navigation | Spin | None = None
        self._moves_from_s = 0.0
        self._poses = 0
        self.received: list[str] = []

    def ask_path(self, effect: AskPath) -> None:
        """Plan from where the robot is when its turn has come."""
        def plan() -> None:
            found = plan_path(self._body.costmap, navigator_pose(self._body.believed.pose()),
                              navigator_pose(effect.goal), self._settings.planner_tolerance_m)
            there = found.code == PlanCode.NONE
            self._answer(PathAnswered(
                effect.request_id, NavStatus.SUCCEEDED if there else NavStatus.ABORTED,
                int(found.code),
                np.array(found.points, dtype=np.float64).reshape(-1, 2)))

        delay_s = max(_PATH_S, self._planner.delay_s)
        if not self._planner.alive:
            self._later(0.0, PathAnswered(
                effect.request_id, NavStatus.UNAVAILABLE, 0, _NO_PATH))
        elif delay_s > effect.timeout_s:
            self._later(effect.timeout_s, PathAnswered(
                effect.request_id, NavStatus.TIMEOUT, 0, _NO_PATH))
        else:
            self._agenda.after(delay_s, plan)

    def drive(self, effect: SendNav) -> None:
        """Take a goal of navigate_to_pose."""
        goal_id, goal = effect.nav_goal_id, navigator_pose(effect.goal)
        self.received.append(goal_id)
        if self._goals.rejected or not self._planner.alive:
            self._later(_ACCEPT_S, NavAnswered(goal_id, accepted=False, reason='rejected'))
            return
        self._poses += 1
        if strikes(self._goals.drop_every, self._poses):
            # No result comes of it, and a cancel finds nothing to end.
            self._later(_ACCEPT_S, NavAnswered(goal_id, accepted=True))
            return
        if isinstance(self._motion, Navigation) and self._goal_id:
            self._later(_RESULT_S, NavFinished(self._goal_id, NavStatus.ABORTED, 0))
            self._motion.preempt(goal)
            self._begin(goal_id, self._motion)
        else:
            self._end(NavStatus.ABORTED)
            self._moves_from_s = self._agenda.elapsed_s + self._planner.delay_s
            self._begin(goal_id, Navigation(
                self._settings, self._body.costmap, goal, lambda plan: None))
        if strikes(self._goals.abort_every, self._poses):
            self._agenda.after(self._goals.abort_after_s, lambda: self._seem_to_abort(goal_id))

    def turn(self, effect: SendSpin) -> None:
        """Take a goal of spin."""
        self.received.append(effect.nav_goal_id)
        self._end(NavStatus.ABORTED)
        pose = navigator_pose(self._body.believed.pose())
        self._moves_from_s = 0.0
        self._begin(effect.nav_goal_id, Spin(
            self._body.costmap, self._agenda.elapsed_s, pose, effect.angle_rad,
            effect.time_allowance_s))

    def cancel(self, effect: CancelNav) -> None:
        """End a goal; one that has ended already, or was forgotten, stays as it is."""
        if effect.nav_goal_id == self._goal_id:
            self._end(NavStatus.CANCELED)

    def stop(self, _effect: StopNav) -> None:
        """End whatever is driven, with a goal or without."""
        self._end(NavStatus.CANCELED)

    def _begin(self, goal_id: str, motion: Navigation | Spin) -> None:
        self._goal_id, self._motion = goal_id, motion
        self._body.pilot = self._pilot
        self._body.wake()
        self._later(_ACCEPT_S, NavAnswered(goal_id, accepted=True))

    def _seem_to_abort(self, goal_id: str) -> None:
        """Say that a goal has ended, and drive on to it."""
        if goal_id == self._goal_id:
            self._goal_id = ''
            self._later(_RESULT_S, NavFinished(goal_id, NavStatus.ABORTED, 0))

    def _pilot(self, now_s: float, pose: Pose, current: Velocity) -> Velocity:
        motion = self._motion
        if motion is None or now_s < self._moves_from_s:
            return STOP
        if isinstance(motion, Navigation):
            velocity = motion.tick(Tick(now_s, pose, current))
            if motion.outcome is not Outcome.RUNNING:
                self._end(NavStatus(motion.outcome.value))
                return STOP
            return velocity
        velocity = motion.tick(now_s, pose)
        if motion.state is not State.RUNNING:
            self._end(NavStatus.SUCCEEDED if motion.state is State.SUCCEEDED
                      else NavStatus.ABORTED)
            return STOP
        return velocity

    def _end(self, status: NavStatus) -> None:
        motion, goal_id = self._motion, self._goal_id
        self._goal_id, self._motion = '', None
        self._body.pilot = None
        if motion is not None and goal_id:
            code = motion.error_code if isinstance(motion, Navigation) else motion.code
            self._later(_RESULT_S, NavFinished(goal_id, status, int(code)))

    def _later(self, delay_s: float, event: Event) -> None:
        self._agenda.after(delay_s, lambda: self._answer(event))
