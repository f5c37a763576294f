"""Driving on a map that is unknown at the start and grows on the way."""

import numpy as np
import small_world

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.mapper.config import MapperConfig
from semantic_nav_sim.mapper.mapper import Mapper
from semantic_nav_sim.navigator.costmap import LETHAL, NO_INFORMATION, Costmap
from semantic_nav_sim.navigator.geometry import Pose, Velocity
from semantic_nav_sim.navigator.goals import GoalStatus, RobotState
from semantic_nav_sim.navigator.navigation import Navigation, NavigationConfig
from semantic_nav_sim.navigator.planner import PlanCode, plan_path
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.base import Base
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.world.floor_plan import BAND_M
from semantic_nav_sim.world.footprints import Footprints
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.mujoco_model import compile_solids
from semantic_nav_sim.world.scene import build_scene, stage

PERIOD_S = 0.05
LIMIT_S = 120.0
SCENE = build_scene(world_from(small_world.document()))
STAGE = stage(SCENE, small_world.SEED_TABLE)


class Rig:
    """A robot that drives by the costmap of a map that it makes itself."""

    def __init__(self, start: Pose2D) -> None:
        self.base = Base(Footprints(STAGE.colliders(), *BAND_M), start)
        self.lidar = Lidar(compile_solids(SCENE, SCENE.objects.values()), STAGE, 0,
                           load_profile(RobotProfile).scan)
        # Small chunks, so that it grows often.
        self.mapper = Mapper(MapperConfig(chunk_cells=5, laser_range=2.0))
        self.now_s = 0.0
        self.scan()
        self.costmap = Costmap(self.mapper.grid(0), 0.22, 0.45, 3.0)
        self.local = RollingCostmap(0.22, 0.45, 3.0)
        self.shapes = {self.costmap.shape}

    def pose(self) -> Pose:
        return Pose(self.base.pose.x, self.base.pose.y, self.base.pose.yaw)

    def scan(self) -> np.ndarray:
        ranges = self.lidar.scan(self.base.pose)
        self.mapper.integrate(ranges, self.lidar.model, self.base.pose,
                              round(self.now_s * NS_PER_S))
        return ranges

    def tick(self, velocity: Velocity) -> None:
        self.base.step(velocity.linear, velocity.angular, PERIOD_S)
        self.now_s += PERIOD_S
        ranges = self.scan().astype(np.float64)
        model = self.lidar.model
        bearings = model.angle_min_rad + model.step_rad * np.arange(model.rays)
        for costmap in (self.costmap, self.local):
            costmap.see(self.pose(), self.pose(), bearings, ranges, model.range_min_m,
                        model.range_max_m)
        if round(self.now_s / PERIOD_S) % 20 == 0:
            self.costmap.set_map(self.mapper.grid(0))
            self.shapes.add(self.costmap.shape)

    def drive(self, goal: Pose) -> Navigation:
        navigation = Navigation(NavigationConfig(period_s=PERIOD_S), self.costmap, self.local,
                                goal)
        until_s = self.now_s + LIMIT_S
        while navigation.status is GoalStatus.EXECUTING and self.now_s < until_s:
            self.tick(navigation.tick(RobotState(self.now_s, self.pose(), self.pose())))
        return navigation


def test_the_robot_drives_into_a_room_that_it_does_not_know() -> None:
    rig = Rig(Pose2D(1.0, 1.0, 0.7))
    beyond = Pose(4.2, 2.0, 0.0)
    assert plan_path(rig.costmap, rig.pose(), beyond, 0.5).code == PlanCode.GOAL_OUTSIDE_MAP
    for goal in (Pose(2.3, 1.45, 0.0), Pose(3.4, 1.45, 0.0)):
        assert rig.drive(goal).status is GoalStatus.SUCCEEDED
    navigation = rig.drive(beyond)
    assert navigation.status is GoalStatus.SUCCEEDED, navigation.error_code
    assert rig.base.pose.distance_to(4.2, 2.0) < 0.3
    assert rig.base.collisions == 0
    assert len(rig.shapes) > 2


def test_plans_lead_through_the_unknown_but_not_through_walls() -> None:
    cells = np.full((60, 100), -1, np.int8)
    cells[20:40, 10:20] = 0
    cells[:45, 50] = 100
    costmap = Costmap(OccupancyGrid(cells, 0.05, 0.0, 0.0, 'map', 0), 0.22, 0.45, 3.0)
    plan = plan_path(costmap, Pose(0.75, 1.5, 0.0), Pose(4.5, 0.5, 0.0), 0.5)
    assert plan.code == PlanCode.NONE
    costs = [int(costmap.cost[costmap.cell(*point)]) for point in plan.points.tolist()]
    assert NO_INFORMATION in costs and LETHAL not in costs
    # Round the end of the wall at x = 2.5.
    assert plan.points[:, 1].max() > 2.25
