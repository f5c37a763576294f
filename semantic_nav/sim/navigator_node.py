"""Stands in for Nav2 and its map server; does not load plugins or behavior trees.

It serves Nav2's actions, services and costmap topics on a plain planner and follower, with the
result codes and the order of events measured of Nav2 (jazzy, NavFn, regulated pure pursuit, stock
parameters), and with faults on request. What it does not do: lifecycle (the parameter `paused`
stands for it), other planners and controllers than its own, a local costmap of its own, keepout
or speed filters, footprints that are not round, and feedback at Nav2's 100 Hz (here 20 Hz).
"""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import rclpy
from geometry_msgs.msg import Twist
from map_msgs.msg import OccupancyGridUpdate
from nav2_msgs.action import BackUp as BackUpAction
from nav2_msgs.action import Spin as SpinAction
from nav2_msgs.srv import ClearEntireCostmap
from nav_msgs.msg import OccupancyGrid, Path
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Header

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.nodes.ros import parameters
from semantic_nav.nodes.ros.executor import make_executor
from semantic_nav.sim.map_file import MapError, OccupancyMap, load_map
from semantic_nav.sim.navigator.behaviors import BackUp, Spin
from semantic_nav.sim.navigator.config import CONTROL_PERIOD_S, NavigatorConfig
from semantic_nav.sim.navigator.costmap import Costmap, Window
from semantic_nav.sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav.sim.navigator.navigation import Tick
from semantic_nav.sim.navigator.profile import NavigatorProfile
from semantic_nav.sim.navigator.ros_actions import World
from semantic_nav.sim.navigator.ros_behavior import BehaviorServer
from semantic_nav.sim.navigator.ros_controls import Controls
from semantic_nav.sim.navigator.ros_messages import (
    costmap_to_msg,
    map_from_msg,
    map_to_msg,
    path_to_msg,
    seconds,
    twist_to_msg,
    update_to_msg,
)
from semantic_nav.sim.navigator.ros_navigate import NavigateServer
from semantic_nav.sim.navigator.ros_plan import PlanServer
from semantic_nav.sim.navigator.ros_sensing import Sensing
from semantic_nav.sim.profiles import load_profile
from semantic_nav.sim.world.loading import world_file

_STATE = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_COSTMAP_PERIOD_S = 1.0
_FAREWELL_S = 1.0


class NavigatorNode(Node):
    """Drives the robot to poses.

    Parameters: those of `NavigatorConfig`, and at any time those of `Controls`.

    Subscribes: `scan` (sensor_msgs/LaserScan), `odom` (nav_msgs/Odometry), /tf, /tf_static, and
    `map` if the parameters `map` and `world` are empty.

    Publishes: `map` and `global_costmap/costmap` (nav_msgs/OccupancyGrid, transient local),
    `global_costmap/costmap_updates` (map_msgs/OccupancyGridUpdate, 1 Hz), `plan` (nav_msgs/Path),
    `cmd_vel` (geometry_msgs/Twist, 20 Hz while driving, zero once at the end).

    Services: `global_costmap/clear_entirely_global_costmap` and
    `local_costmap/clear_entirely_local_costmap` (nav2_msgs/ClearEntireCostmap); both forget all
    obstacles, for there is one costmap. `follow_path/_action/cancel_goal` (action_msgs/CancelGoal)
    ends whatever is followed.

    Actions: `navigate_to_pose`, `compute_path_to_pose`, `spin`, `backup` (nav2_msgs); there is no
    action `follow_path`.

    Raises:
        ConfigError: A parameter cannot be used.
        MapError: The map cannot be read.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('sim_navigator', **options)
        parameters.declare(self, NavigatorConfig, read_only=True)
        self._config = parameters.read(self, NavigatorConfig)
        self._velocity = STOP
        # The part of the costmap that differs from the last whole one that was published.
        self._differs: Window | None = None
        self._cmd_vel = self.create_publisher(Twist, 'cmd_vel', 1)
        self._plan = self.create_publisher(Path, 'plan', 1)
        self._costmap = self.create_publisher(OccupancyGrid, 'global_costmap/costmap', _STATE)
        self._updates = self.create_publisher(
            OccupancyGridUpdate, 'global_costmap/costmap_updates', 1)
        self._world = World(
            Sensing(self, self._config.global_frame, self._config.base_frame), self._header,
            self._now_s, self._ready, self._wake,
            lambda plan: self._plan.publish(path_to_msg(plan, self._header())), self._drive)
        self._faults = load_profile(NavigatorProfile, self._config.profile)
        self._controls = Controls(self, self._faults.planner.alive, self._follow_controls)
        self._navigate = NavigateServer(
            self, self._world, self._config.navigation(), self._faults, self._can_navigate)
        self._planner: PlanServer | None = None
        self._movers = (
            self._navigate,
            BehaviorServer(self, self._world, SpinAction, 'spin', _spin,
                           'angular_distance_traveled'),
            BehaviorServer(self, self._world, BackUpAction, 'backup', _back_up,
                           'distance_traveled'))
        self._follow_controls()
        for which in ('global', 'local'):
            self.create_service(
                ClearEntireCostmap, f'{which}_costmap/clear_entirely_{which}_costmap',
                self._clear)
        self._control_timer = self.create_timer(CONTROL_PERIOD_S, self._control)
        self._control_timer.cancel()
        self.create_timer(_COSTMAP_PERIOD_S, self._refresh)
        self._set_up_map()

    def stop(self) -> None:
        """End every goal and stand still."""
        for mover in self._movers:
            mover.stop()
        if self._planner is not None:
            self._planner.stop()
        self._drive(STOP)

    # -- the world

    def _set_up_map(self) -> None:
        config = self._config
        if not config.map and not config.world:
            self.create_subscription(
                OccupancyGrid, 'map', lambda message: self._take_map(map_from_msg(message)),
                _STATE)
            return
        occupancy = load_map(config.map or world_file(config.world, 'map.yaml'))
        self._map = self.create_publisher(OccupancyGrid, 'map', _STATE)
        self._map.publish(map_to_msg(occupancy, self._header()))
        self._take_map(occupancy)

    def _take_map(self, occupancy: OccupancyMap) -> None:
        if self._world.costmap is None:
            self._world.costmap = Costmap(
                occupancy, self._config.robot_radius, self._config.inflation_radius,
                self._config.cost_scaling)
            rows, cols = self._world.costmap.shape
            self.get_logger().info(f'map of {cols} x {rows} cells of {occupancy.resolution_m} m')
        else:
            self._world.costmap.set_map(occupancy)

    def _header(self) -> Header:
        return Header(stamp=self.get_clock().now().to_msg(), frame_id=self._config.global_frame)

    def _now_s(self) -> float:
        return seconds(self.get_clock().now().to_msg())

    def _ready(self) -> bool:
        return (not self._controls.paused and self._world.costmap is not None
                and self._world.sensing.pose() is not None)

    def _can_navigate(self) -> bool:
        return (self._ready() and self._planner is not None
                and not self._faults.goals.rejected)

    def _follow_controls(self) -> None:
        """Do what the parameters say: end everything, let the planner vanish or come back."""
        alive = self._controls.planner_alive
        if self._planner is None and alive:
            self._planner = PlanServer(self, self._world, self._config.planner_tolerance,
                                       self._faults.planner.delay_s)
        elif self._planner is not None and not alive:
            self._planner.destroy()
            self._planner = None
        if not alive or self._controls.paused:
            self._drive(self._navigate.interrupt())
        if self._controls.paused:
            self.stop()

    def _refresh(self) -> None:
        """Once a second: take in a scan if nothing drives, publish the costmap, say what lacks."""
        costmap, pose = self._world.costmap, self._world.sensing.pose()
        missing = [name for name, there in (
            (f'transform {self._config.global_frame} to {self._config.base_frame}',
             pose is not None), ('map', costmap is not None),
            ('scan', self._world.sensing.scan_seen)) if not there]
        if missing:
            self.get_logger().warn(f'waiting for {", ".join(missing)}',
                                   throttle_duration_sec=5.0)
        if costmap is None:
            return
        if self._control_timer.is_canceled():
            self._world.sensing.mark(costmap)
        self._publish_costmap(costmap, pose)

    def _publish_costmap(self, costmap: Costmap, pose: Pose | None) -> None:
        changed = costmap.take_changed()
        if changed is not None:
            self._differs = changed.union(self._differs) if self._differs else changed
        header = self._header()
        if self._differs is not None and 2 * self._differs.size > costmap.everything.size:
            self._costmap.publish(costmap_to_msg(costmap, header))
            self._differs = None
            return
        # Everything that differs from the whole map a late subscriber gets; if nothing does, the
        # robot's surroundings, so that the costmap is known to be alive.
        window = self._differs or costmap.around(pose or Pose(0.0, 0.0, 0.0))
        self._updates.publish(update_to_msg(costmap, window, header))

    def _clear(self, _request: ClearEntireCostmap.Request,
               response: ClearEntireCostmap.Response) -> ClearEntireCostmap.Response:
        if self._world.costmap is not None:
            self._world.costmap.clear()
        return response

    # -- driving

    def _wake(self) -> None:
        """Tick soon, and go on ticking as long as anything is active."""
        if self._control_timer.is_canceled():
            self._control_timer.reset()
        self.executor.create_task(self._control)

    def _control(self) -> None:
        sensing, costmap = self._world.sensing, self._world.costmap
        now_s = self._now_s()
        if costmap is not None:
            sensing.mark(costmap)
        if self._planner is not None:
            self._planner.tick(now_s)
        tick = Tick(now_s, sensing.pose(), self._velocity)
        late = sensing.late()
        for mover in self._movers:
            # Nothing drives by an old pose, but what was asked to cancel ends.
            velocity = mover.hold() if late else mover.tick(tick)
            if velocity is not None:
                self._drive(velocity)
        planning = self._planner is not None and self._planner.active
        if not planning and not any(mover.active for mover in self._movers):
            self._control_timer.cancel()

    def _drive(self, velocity: Velocity) -> None:
        self._velocity = velocity
        self._cmd_vel.publish(twist_to_msg(velocity))


def _spin(costmap: Costmap, now_s: float, pose: Pose | None, goal: SpinAction.Goal) -> Spin:
    return Spin(costmap, now_s, pose, goal.target_yaw, seconds(goal.time_allowance))


def _back_up(costmap: Costmap, now_s: float, pose: Pose | None,
             goal: BackUpAction.Goal) -> BackUp:
    target = goal.target
    return BackUp(costmap, now_s, pose, (target.x, target.y, target.z), goal.speed,
                  seconds(goal.time_allowance))


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; returns 0 then, 1 if it cannot start."""
    # rclpy's own handler would end the context before the last zero velocity could leave.
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    executor = make_executor()
    try:
        node = NavigatorNode()
    except (ConfigError, MapError) as error:
        rclpy.logging.get_logger('sim_navigator').fatal(str(error))
        rclpy.shutdown()
        return 1
    executor.add_node(node)
    try:
        while not stopped.is_set():
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


if __name__ == '__main__':
    raise SystemExit(main())
