"""The navigator drives the base to and fro among people and doors that move, and hits nobody."""

import math

import numpy as np
import pytest
import small_world

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.goals import GoalStatus, RobotState
from semantic_nav_sim.navigator.navigation import Navigation, NavigationConfig
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap
from semantic_nav_sim.robot.actors import Actors, Surroundings
from semantic_nav_sim.robot.base import Base, BaseLimits
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.profile import ScanErrors
from semantic_nav_sim.world.floor_plan import BAND_M, floor_plan
from semantic_nav_sim.world.footprints import Footprints
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.mujoco_model import compile_solids
from semantic_nav_sim.world.scene import build_scene, stage

pytestmark = pytest.mark.slow

SCENE = build_scene(world_from(small_world.document()))
MODEL = compile_solids(SCENE, [*SCENE.objects.values(), *SCENE.people])
ENDS = (Pose(0.8, 1.0, 0.0), Pose(4.2, 1.8, 0.0))
DT_S, SCAN_EVERY = 0.05, 2


class Drive:
    """One robot, its costmap, and the life of a home of two small rooms."""

    def __init__(self, seed: int, people: int, doors: bool) -> None:
        on_stage = stage(SCENE, seed)
        self.actors = Actors(on_stage, people, doors, BaseLimits().shape.radius_m)
        fixed = Footprints(on_stage.colliders(without=self.actors.doors), *BAND_M)
        self.base = Base(Surroundings(fixed, self.actors), Pose2D(0.8, 1.0, 0.0))
        self.lidar = Lidar(MODEL, on_stage, seed, ScanErrors())
        self.costmap = Costmap(floor_plan(SCENE), 0.22, 0.45, 3.0)
        self.local = RollingCostmap(0.22, 0.45, 3.0)
        self.ticks, self.arrivals = 0, 0
        self.nearest_m = math.inf

    def go(self, goal: Pose, until_s: float) -> None:
        navigation = Navigation(NavigationConfig(recovery_pause_s=1.0), self.costmap, self.local,
                                goal)
        model = self.lidar.model
        bearings = model.angle_min_rad + model.step_rad * np.arange(model.rays)
        while navigation.status is GoalStatus.EXECUTING and self.ticks * DT_S < until_s:
            here = Pose(self.base.pose.x, self.base.pose.y, self.base.pose.yaw)
            if self.ticks % SCAN_EVERY == 0:
                ranges = self.lidar.scan(self.base.pose, self.actors.placings)
                for costmap in (self.costmap, self.local):
                    costmap.see(here, here, bearings, ranges.astype(float), model.range_min_m,
                                model.range_max_m)
            current = navigation.tick(RobotState(self.ticks * DT_S, here, here))
            self.actors.step(DT_S, self.base.pose)
            self.base.step(current.linear, current.angular, DT_S)
            gap_m = self.actors.nearest(here.x, here.y, 5.0).gap_m
            self.nearest_m = min(self.nearest_m, gap_m - BaseLimits().shape.radius_m)
            self.ticks += 1
        self.arrivals += navigation.status is GoalStatus.SUCCEEDED


@pytest.mark.parametrize(('seed', 'people', 'doors'), [(1, 1, False), (4, 2, True)])
def test_robot_gets_about_and_hits_nobody(seed: int, people: int, doors: bool) -> None:
    drive = Drive(seed, people, doors)
    for leg in range(20):
        drive.go(ENDS[(leg + 1) % 2], 55.0)
    assert drive.base.collisions == 0
    assert drive.nearest_m < 0.6, 'they never met'
    assert drive.arrivals >= 2
