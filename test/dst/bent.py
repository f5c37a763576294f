"""The robot's body as its sensors show it while something is wrong with clock or localisation."""

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.robot.body import Body, Depth, Frame, Snapshot
from semantic_nav_sim.robot.frames import compose


class BentBody:
    """Stamps everything by the ROS clock, and holds the robot to be where it is not.

    Attributes:
        jump_m: how far beside, along x and y of the map.
        true: the body itself, for the oracle.
    """

    def __init__(self, body: Body, scheduler: Scheduler) -> None:
        """Bend nothing yet."""
        self.true, self._scheduler = body, scheduler
        self.jump_m = (0.0, 0.0)

    def __getattr__(self, name: str) -> Any:
        """Return what is not bent."""
        return getattr(self.true, name)

    def step(self, now_ns: int) -> Snapshot:
        """See Body."""
        return self._bent(self.true.step(now_ns))

    def snapshot(self) -> Snapshot:
        """See Body."""
        return self._bent(self.true.snapshot())

    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """See Body."""
        snapshot, ranges = self.true.scan()
        return self._bent(snapshot), ranges

    def frame(self, camera: str = '') -> Frame:
        """See Body."""
        frame = self.true.frame(camera)
        return replace(frame, snapshot=self._bent(frame.snapshot))

    def depth(self, camera: str = '') -> 'Future[Depth]':
        """See Body; the picture is waited for."""
        depth = self.true.depth(camera).result()
        done: Future[Depth] = Future()
        done.set_result(replace(depth, snapshot=self._bent(depth.snapshot)))
        return done

    def _bent(self, snapshot: Snapshot) -> Snapshot:
        if self.jump_m == (0.0, 0.0) and not self._scheduler.clock_ahead_ns:
            return snapshot
        jumped = compose(Pose2D(*self.jump_m, 0.0), snapshot.map_t_odom)
        return replace(snapshot, stamp_ns=snapshot.stamp_ns + self._scheduler.clock_ahead_ns,
                       map_t_odom=jumped)
