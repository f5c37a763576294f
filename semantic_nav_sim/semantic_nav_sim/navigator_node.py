"""Stands in for Nav2 and its map server; does not load plugins or behavior trees.

It serves Nav2's actions, services and costmap topics with a plain planner and follower. Result
codes and order of events were measured from Nav2 (jazzy, NavFn, regulated pure pursuit, stock
parameters). It makes faults on request. It does not offer lifecycle transitions (the parameter
`paused` replaces them), other planners and controllers, keepout or speed filters, a
`footprint_padding` (it is 0), footprints that change on the way, and the actions `wait` and
`follow_path`. For these, only the status of bt_navigator's goals is visible, and `follow_path` can
be canceled.

The planner has a global costmap, of map and scans. Follower, spin and backup have a local one, of
scans and of the depth of all cameras, which follows the robot in the odom frame. The inscribed
radius of a base that is not round inflates both and bounds the planner's paths. Follower, spin and
backup check its outline, and scan marks under it are cleared, as in Nav2.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import rclpy
from geometry_msgs.msg import Twist
from nav2_msgs.srv import ClearEntireCostmap
from nav_msgs.msg import OccupancyGrid as GridMessage
from nav_msgs.msg import Path
from rclpy.node import Node
from std_msgs.msg import Header

from semantic_nav.bringup.shutdown import ENDING
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import load_map
from semantic_nav.nodes.ros import parameters
from semantic_nav.nodes.ros.beginning import begin, make_executor
from semantic_nav_sim.navigator.config import CONTROL_PERIOD_S, NavigatorConfig
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.geometry import Velocity
from semantic_nav_sim.navigator.goals import RobotState
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.navigator.ros_actions import Actions
from semantic_nav_sim.navigator.ros_controls import Controls
from semantic_nav_sim.navigator.ros_costmap import STATE, CostmapPublisher
from semantic_nav_sim.navigator.ros_lifecycle import Lifecycle
from semantic_nav_sim.navigator.ros_messages import (
    map_from_msg,
    map_to_msg,
    path_to_msg,
    seconds,
    twist_to_msg,
)
from semantic_nav_sim.navigator.ros_sensing import Sensing
from semantic_nav_sim.navigator.ros_speed_limit import obey_speed_limits
from semantic_nav_sim.navigator.servers import Servers
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.world.world_files import world_file

_COSTMAP_PERIOD_S = 1.0
#: Tick period of Nav2's behavior tree, which sends feedback at each tick.
_FEEDBACK_PERIOD_S = 0.01
_FAREWELL_S = 1.0


class NavigatorNode(Node):
    """Drives the robot to goal poses.

    Parameters: those of `NavigatorConfig`, and at any time those of `Controls`.

    Subscribes: `scan` (sensor_msgs/LaserScan), `odom` (nav_msgs/Odometry), /tf, /tf_static,
    `speed_limit` (nav2_msgs/SpeedLimit), `map` if the parameters `map` and `world` are empty, and
    until a minute after it drove `camera/depth/image_raw` (sensor_msgs/Image, 16UC1 or 32FC1) and
    `camera/camera_info`, also of each further camera of `robot_profile`, by its name.

    Publishes: `map` and `global_costmap/costmap` (nav_msgs/OccupancyGrid, transient local),
    `global_costmap/costmap_updates` (map_msgs/OccupancyGridUpdate, 1 Hz), `local_costmap/costmap`
    (nav_msgs/OccupancyGrid, transient local, in the odom frame, 1 Hz),
    `global_costmap/published_footprint` and `local_costmap/published_footprint`
    (geometry_msgs/PolygonStamped, each in the frame of its costmap, 1 Hz), `plan` (nav_msgs/Path),
    `cmd_vel` (geometry_msgs/Twist, 20 Hz while driving, zero once at the end), and the status of
    the goals of `follow_path` and `wait` (action_msgs/GoalStatusArray).

    Services: `global_costmap/clear_entirely_global_costmap` and
    `local_costmap/clear_entirely_local_costmap` (nav2_msgs/ClearEntireCostmap) clear all obstacles
    of their costmap. `follow_path/_action/cancel_goal` (action_msgs/CancelGoal) ends the following
    of any path. `get_state` (lifecycle_msgs/GetState) of bt_navigator, planner_server,
    controller_server and behavior_server tells which of them are active.

    Actions: `navigate_to_pose`, `compute_path_to_pose`, `spin`, `backup` (nav2_msgs).

    Raises:
        ConfigError: A parameter is invalid.
        MapError: The map cannot be read.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('sim_navigator', **options)
        parameters.declare(self, NavigatorConfig, read_only=True)
        self._config = parameters.read(self, NavigatorConfig)
        self._cmd_vel = self.create_publisher(Twist, 'cmd_vel', 1)
        self._plan = self.create_publisher(Path, 'plan', 1)
        self._costmap = CostmapPublisher(self, self._header, self._config.odom_frame)
        robot = load_profile(RobotProfile, self._config.robot_profile)
        self._sensing = Sensing(self, self._config.global_frame, self._config.odom_frame,
                                self._config.base_frame, self._config.transform_tolerance_s,
                                () if robot.camera.no_depth else ('', *robot.other_cameras))
        profile = load_profile(NavigatorProfile, self._config.profile)
        self._servers = Servers(self._config.navigation(), profile,
                                self._config.local_costmap(), lambda: uuid4().hex)
        self._actions = Actions(
            self, self._servers, self._sensing, self._state, self._header, self._wake, self._drive,
            lambda plan: self._plan.publish(path_to_msg(plan, self._header())))
        obey_speed_limits(self, self._servers.limit_speed)
        for which, costmap in (('global', lambda: self._servers.costmap),
                               ('local', lambda: self._servers.local)):
            self.create_service(
                ClearEntireCostmap, f'{which}_costmap/clear_entirely_{which}_costmap',
                partial(_clear, costmap))
        self._control_timer = self.create_timer(CONTROL_PERIOD_S, self._control)
        self._feedback_timer = self.create_timer(_FEEDBACK_PERIOD_S, self._tell)
        self._rest()
        self._controls = Controls(
            self, self._servers, self._actions, Lifecycle(self, self._servers), self._now_s,
            profile.planner.alive)
        self.create_timer(_COSTMAP_PERIOD_S, self._refresh)
        self._set_up_map()

    def stop(self) -> None:
        """End every goal and stop the robot."""
        self._actions.carry_out(self._servers.stop(self._now_s()))

    # -- the world

    def _set_up_map(self) -> None:
        config = self._config
        if not config.map and not config.world:
            self.create_subscription(
                GridMessage, 'map', lambda message: self._take_map(map_from_msg(message)),
                STATE)
            return
        occupancy = load_map(config.map or world_file(config.world, 'map.yaml'))
        self._map = self.create_publisher(GridMessage, 'map', STATE)
        self._map.publish(map_to_msg(occupancy, self._header()))
        self._take_map(occupancy)

    def _take_map(self, occupancy: OccupancyGrid) -> None:
        costmap = self._servers.costmap
        if costmap is not None:
            costmap.set_map(occupancy)
            return
        costmap = self._servers.costmap = self._config.costmap(occupancy)
        rows, cols = costmap.shape
        self.get_logger().info(f'map of {cols} x {rows} cells of {occupancy.resolution_m} m')

    def _header(self) -> Header:
        return Header(stamp=self.get_clock().now().to_msg(), frame_id=self._config.global_frame)

    def _now_s(self) -> float:
        return seconds(self.get_clock().now().to_msg())

    def _state(self) -> RobotState:
        return RobotState(self._now_s(), self._sensing.pose(), self._sensing.odom_pose(),
                          self._sensing.late())

    def _refresh(self) -> None:
        """Update and publish the costmaps once a second, and warn of missing inputs."""
        costmap, pose = self._servers.costmap, self._sensing.pose()
        missing = [name for name, there in (
            (f'transform {self._config.global_frame} to {self._config.base_frame}',
             pose is not None),
            (f'transform {self._config.odom_frame} to {self._config.base_frame}',
             self._sensing.odom_pose() is not None), ('map', costmap is not None),
            ('scan', self._sensing.scan_seen)) if not there]
        if missing:
            self.get_logger().warn(f'waiting for {", ".join(missing)}',
                                   throttle_duration_sec=5.0)
        self._servers.recover(self._now_s())
        rests = self._control_timer.is_canceled()
        self._sensing.listen(driving=not rests)
        if self._servers.paused:
            return
        if rests:
            self._sensing.mark(costmap, self._servers.local)
        self._costmap.publish_local(self._servers.local)
        if costmap is None:
            return
        self._costmap.publish(costmap, pose)
        self._costmap.tell_footprint(costmap, *(self._sensing.stamped(frame) for frame in (
            self._config.global_frame, self._config.odom_frame)))

    # -- driving

    def _wake(self) -> None:
        """Tick soon, and keep ticking while anything is active."""
        for timer in (self._control_timer, self._feedback_timer):
            if timer.is_canceled():
                timer.reset()
        self._sensing.listen(driving=True)
        self._tell()
        self.executor.create_task(self._control)

    def _control(self) -> None:
        servers, actions = self._servers, self._actions
        self._sensing.mark(servers.costmap, servers.local)
        state = self._state()
        actions.carry_out(servers.tick_planner(state))
        actions.carry_out(servers.tick(state))
        if not servers.active:
            self._rest()

    def _tell(self) -> None:
        self._actions.carry_out(self._servers.feedback(self._state()))

    def _rest(self) -> None:
        self._control_timer.cancel()
        self._feedback_timer.cancel()

    def _drive(self, velocity: Velocity) -> None:
        self._cmd_vel.publish(twist_to_msg(velocity))


def _clear(costmap: Callable[[], Costmap | None], _request: ClearEntireCostmap.Request,
           response: ClearEntireCostmap.Response) -> ClearEntireCostmap.Response:
    known = costmap()
    if known is not None:
        known.clear()
    return response


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; returns 0 then, 1 if it cannot start."""
    begin(args)
    executor = make_executor()
    try:
        node = NavigatorNode()
    except ConfigError as error:
        rclpy.logging.get_logger('sim_navigator').fatal(str(error))
        rclpy.shutdown()
        return 1
    executor.add_node(node)
    try:
        while not ENDING.asked:
            executor.spin_once(timeout_sec=0.2)
        node.stop()
        deadline_s = time.monotonic() + _FAREWELL_S
        while time.monotonic() < deadline_s:
            executor.spin_once(timeout_sec=0.05)
        return 0
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()
        ENDING.over()


if __name__ == '__main__':
    raise SystemExit(main())
