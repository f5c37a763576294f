"""The stand-in for Nav2 in simulated time: effects of the verifier in, its events out."""

from collections.abc import Callable

import numpy as np

from semantic_nav.bench.agenda import Agenda
from semantic_nav.bench.body import Body, navigator_pose
from semantic_nav.contracts.core import Event
from semantic_nav.sim.navigator.behaviors import Spin, State
from semantic_nav.sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav.sim.navigator.navigation import Navigation, Outcome, Tick
from semantic_nav.sim.navigator.planner import PlanCode, plan_path
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


class Navigator:
    """Drives one goal at a time; a new one takes the place of the one before.

    Attributes:
        received: UUIDs of the motion goals, in hexadecimal, in the order they came.
    """

    def __init__(self, body: Body, agenda: Agenda, answer: Callable[[Event], None]) -> None:
        """Drive a body.

        Args:
            body: what moves.
            agenda: gives the time.
            answer: takes the events.
        """
        self._body, self._agenda, self._answer = body, agenda, answer
        self._settings = body.config.navigation()
        self._goal_id = ''
        self._motion: Navigation | Spin | None = None
        self.received: list[str] = []

    def ask_path(self, effect: AskPath) -> None:
        """Plan from where the robot is."""
        plan = plan_path(self._body.costmap, navigator_pose(self._body.believed.pose()),
                         navigator_pose(effect.goal), self._settings.planner_tolerance_m)
        found = plan.code == PlanCode.NONE
        points = np.array(plan.points, dtype=np.float64).reshape(-1, 2)
        self._later(_PATH_S, PathAnswered(effect.request_id,
                                          'succeeded' if found else 'aborted',
                                          int(plan.code), points))

    def drive(self, effect: SendNav) -> None:
        """Take a goal of navigate_to_pose."""
        goal = navigator_pose(effect.goal)
        if isinstance(self._motion, Navigation):
            self._later(_RESULT_S, NavFinished(self._goal_id, 'aborted', 0))
            self._motion.preempt(goal)
            self._begin(effect.nav_goal_id, self._motion)
        else:
            self._end('aborted')
            self._begin(effect.nav_goal_id, Navigation(
                self._settings, self._body.costmap, goal, lambda plan: None))

    def turn(self, effect: SendSpin) -> None:
        """Take a goal of spin."""
        self._end('aborted')
        pose = navigator_pose(self._body.believed.pose())
        self._begin(effect.nav_goal_id, Spin(
            self._body.costmap, self._agenda.elapsed_s, pose, effect.angle_rad,
            effect.time_allowance_s))

    def cancel(self, effect: CancelNav) -> None:
        """End a goal; one that has ended already stays as it is."""
        if effect.nav_goal_id == self._goal_id:
            self._end('canceled')

    def stop(self, _effect: StopNav) -> None:
        """End whatever is driven."""
        self._end('canceled')

    def _begin(self, goal_id: str, motion: Navigation | Spin) -> None:
        self.received.append(goal_id)
        self._goal_id, self._motion = goal_id, motion
        self._body.pilot = self._pilot
        self._body.wake()
        self._later(_ACCEPT_S, NavAnswered(goal_id, accepted=True))

    def _pilot(self, now_s: float, pose: Pose, current: Velocity) -> Velocity:
        motion = self._motion
        if isinstance(motion, Navigation):
            velocity = motion.tick(Tick(now_s, pose, current))
            if motion.outcome is not Outcome.RUNNING:
                self._end(motion.outcome.value)
                return STOP
            return velocity
        if isinstance(motion, Spin):
            velocity = motion.tick(now_s, pose)
            if motion.state is not State.RUNNING:
                self._end('succeeded' if motion.state is State.SUCCEEDED else 'aborted')
                return STOP
            return velocity
        return STOP

    def _end(self, status: str) -> None:
        if self._motion is None:
            return
        code = (self._motion.error_code if isinstance(self._motion, Navigation)
                else self._motion.code)
        self._later(_RESULT_S, NavFinished(self._goal_id, status, int(code)))
        self._goal_id, self._motion = '', None
        self._body.pilot = None

    def _later(self, delay_s: float, event: Event) -> None:
        self._agenda.after(delay_s, lambda: self._answer(event))
