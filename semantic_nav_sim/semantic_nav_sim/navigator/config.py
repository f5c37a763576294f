"""Parameters of the navigator."""

from __future__ import annotations

from dataclasses import dataclass

from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.parameters import parameter
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.follower import FollowerConfig
from semantic_nav_sim.navigator.navigation import NavigationConfig
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap
from semantic_nav_sim.navigator.voxel_layer import VoxelLayerConfig

CONTROL_PERIOD_S = 0.05


@dataclass(frozen=True)
class NavigatorConfig:
    """Parameters from outside, read once at the start."""

    world: str = parameter(
        '', 'world whose floor plan is served as the map, as a map server would: a folder of '
        'config/worlds, the path of another, or generated:SEED[:ROOMS[:wide]]')
    map: str = parameter(
        '', 'YAML file of a map, served instead; both empty: the map comes on the topic `map`')
    robot_radius: float = parameter(0.22, 'radius of the round base [m]', 0.01, 5.0)
    footprint: str = parameter(
        '', 'corners of a base that is not round, as [[0.37, 0.27], ...] in the base frame [m]; '
        'counts instead of the radius')
    inflation_radius: float = parameter(0.7, 'how far an obstacle costs anything [m]', 0.01, 10.0)
    cost_scaling: float = parameter(3.0, 'decay of the cost beyond the radius [1/m]', 0.0, 100.0)
    max_vel_x: float = parameter(0.5, 'fastest forward speed [m/s]', 0.01, 5.0)
    max_vel_theta: float = parameter(1.0, 'fastest turn [rad/s]', 0.01, 10.0)
    xy_goal_tolerance: float = parameter(0.25, 'a goal is reached within this [m]', 0.01, 5.0)
    yaw_goal_tolerance: float = parameter(0.25, 'and within this yaw [rad]', 0.01, 3.15)
    planner_tolerance: float = parameter(
        0.5, 'how far beside an unreachable goal a path may end, on each axis [m]', 0.0, 10.0)
    number_of_retries: int = parameter(6, 'recoveries before a goal is given up', 0, 100)
    recovery_pause_s: float = parameter(5.0, 'how long the recovery `wait` waits [s]', 0.0, 600.0)
    patience_s: float = parameter(
        0.3, 'how long the way ahead may be blocked before the follower fails [s]', 0.0, 600.0)
    progress_s: float = parameter(
        10.0, 'time in which the robot must get half a metre on [s]', 0.1, 600.0)
    min_obstacle_height: float = parameter(
        0.1, 'the local costmap marks what depth pictures show from this height [m]', 0.0, 5.0)
    max_obstacle_height: float = parameter(1.0, 'and up to this one [m]', 0.1, 5.0)
    obstacle_max_range: float = parameter(
        2.5, 'no farther from the camera than this [m]', 0.1, 10.0)
    raytrace_max_range: float = parameter(
        3.0, 'and clears no farther what they see through [m]', 0.1, 10.0)
    robot_profile: str = parameter(
        'default', 'the robot whose cameras tell their depth: names of config/profiles/robot, or '
        'paths of YAML files, with + between')
    profile: str = parameter(
        'default', 'what goes wrong: names of config/profiles/navigator, or paths of YAML files, '
        'with + between')
    transform_tolerance_s: float = parameter(
        0.5, 'a pose that is older is too late to drive by [s]', 0.05, 10.0)
    base_frame: str = parameter('base_link', 'frame of the robot')
    global_frame: str = parameter('map', 'frame of map, global costmap and paths')
    odom_frame: str = parameter('odom', 'frame of the local costmap')

    def navigation(self) -> NavigationConfig:
        """The navigation configuration under these parameters."""
        return NavigationConfig(
            follower=FollowerConfig(
                max_vel_x=self.max_vel_x, max_vel_theta=self.max_vel_theta,
                xy_goal_tolerance_m=self.xy_goal_tolerance,
                yaw_goal_tolerance_rad=self.yaw_goal_tolerance),
            planner_tolerance_m=self.planner_tolerance,
            number_of_retries=self.number_of_retries,
            recovery_pause_s=self.recovery_pause_s,
            patience_s=self.patience_s, progress_s=self.progress_s, period_s=CONTROL_PERIOD_S)

    def local_costmap(self) -> RollingCostmap:
        """The local costmap under these parameters, in the odom frame."""
        return RollingCostmap(self.robot_radius, self.inflation_radius, self.cost_scaling,
                              footprint_of(self.footprint), VoxelLayerConfig(
                                  self.min_obstacle_height, self.max_obstacle_height,
                                  self.obstacle_max_range, self.raytrace_max_range))

    def costmap(self, occupancy: OccupancyGrid) -> Costmap:
        """The global costmap of a map under these parameters."""
        return Costmap(occupancy, self.robot_radius, self.inflation_radius, self.cost_scaling,
                       footprint_of(self.footprint))
