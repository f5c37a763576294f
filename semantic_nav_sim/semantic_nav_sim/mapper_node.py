"""Stands in for slam_toolbox and map_server; does not localise nor close loops.

It matches scans near the pose from TF, and never corrects earlier scans.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Header
from std_srvs.srv import Trigger
from tf2_ros import Buffer, TransformException, TransformListener

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import MapError, load_map, save_map
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import transform_of
from semantic_nav_sim import ros_main
from semantic_nav_sim.mapper.config import MapperNodeConfig
from semantic_nav_sim.mapper.mapper import Mapper
from semantic_nav_sim.mapper.ros_inputs import DepthCamera, ScanBeams, Sensor
from semantic_nav_sim.navigator.ros_messages import map_to_msg
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.profile import RobotProfile

_SENSE_PERIOD_S = 0.2
_TF_KEPT_S = 5.0
#: Depth is subscribed only while the robot moves, and for this time after, since pictures are
#: expensive. A robot on a mission may wait before doors.
_LINGER_S = 60.0
_MOVED_M, _MOVED_RAD = 0.02, 0.02


class MapperNode(Node):
    """Makes the map, or serves a saved one.

    Parameters: those of `MapperNodeConfig`. Without `map` the map is empty at the start. With it
    the saved map is published once; with `update` too, mapping goes on from it.

    Subscribes, while it makes a map: `scan` (sensor_msgs/LaserScan), /tf, /tf_static, and until a
    minute after the robot moved `camera/depth/image_raw` (sensor_msgs/Image) and
    `camera/camera_info`, also of each further camera of `robot_profile`, by its name.

    Publishes: `map` (nav_msgs/OccupancyGrid, transient local): -1, 0 or 100, once it is not empty,
    then each `map_interval`, changed or not, like slam_toolbox. So its age tells whether the
    mapper is alive.

    Services: `save_map` (std_srvs/Trigger) writes map.yaml and map.pgm into the folder `save_to`,
    as happens at the end, too.

    Raises:
        ConfigError: a parameter is invalid.
        MapError: the saved map cannot be read.
    """

    def __init__(self) -> None:
        super().__init__('sim_mapper')
        parameters.declare(self, MapperNodeConfig, read_only=True)
        self._config = parameters.read(self, MapperNodeConfig)
        self._publisher = self.create_publisher(GridMessage, 'map', qos.STATE)
        self.create_service(Trigger, 'save_map', self._on_save)
        self._map: OccupancyGrid | None = None
        self._mapper: Mapper | None = None
        saved = self._saved()
        if saved is not None:
            self._publish(saved)
        if saved is None or self._config.update:
            self._mapper = Mapper(self._config, saved)
            self._listen()

    def close(self) -> None:
        """Save the map, if a folder is given."""
        if self._config.save_to:
            self.get_logger().info(self._save()[1])

    def _saved(self) -> OccupancyGrid | None:
        if not self._config.map:
            return None
        read = load_map(self._config.map)
        rows, columns = read.cells.shape
        self.get_logger().info(f'{self._config.map}: {columns} x {rows} cells')
        return replace(read, frame_id=self._config.map_frame, stamp_ns=self._now_ns())

    def _listen(self) -> None:
        self._buffer = Buffer(cache_time=Duration(seconds=_TF_KEPT_S))
        self._listener = TransformListener(self._buffer, self)
        self._scan = Sensor(self, LaserScan, 'scan', qos.IMAGES)
        profile = load_profile(RobotProfile, self._config.robot_profile)
        self._cameras = [DepthCamera(self, name) for name in ('', *profile.other_cameras)]
        self._looked = False
        self._stood_at: tuple[Pose2D, int] | None = None
        self._scan.listen(True)
        self.create_timer(_SENSE_PERIOD_S, self._sense)
        self.create_timer(_SENSE_PERIOD_S, self._refresh)

    def _sense(self) -> None:
        assert self._mapper is not None
        wanted = not self._looked or self._moved_lately()
        for camera in self._cameras:
            camera.listen(wanted)
        frame = self._config.map_frame
        scan = self._scan.take(self._buffer, frame)
        if scan is not None:
            message, map_T_laser = scan
            self._mapper.integrate(np.asarray(message.ranges, np.float32), ScanBeams.of(message),
                                   map_T_laser.pose(), stamp_ns(message.header.stamp))
        for camera in self._cameras:
            view = camera.take(self._buffer, frame)
            if view is not None:
                self._looked = True
                self._mapper.integrate_depth(view.depth_mm, view.intrinsics, view.frame_T_camera,
                                             view.stamp_ns, camera.name)

    def _moved_lately(self) -> bool:
        """Tell whether the robot moves, or did a short time ago."""
        try:
            found = self._buffer.lookup_transform(
                self._config.map_frame, self._config.base_frame, Time())
        except TransformException:
            return False
        pose, now_ns = transform_of(found).pose(), self._now_ns()
        stood = self._stood_at
        if (stood is None or pose.distance_to(stood[0].x, stood[0].y) > _MOVED_M
                or abs(wrap_angle(pose.yaw - stood[0].yaw)) > _MOVED_RAD):
            stood = self._stood_at = pose, now_ns
        return now_ns - stood[1] < _LINGER_S * NS_PER_S

    def _refresh(self) -> None:
        assert self._mapper is not None
        if self._mapper.empty:
            self.get_logger().warn('waiting for scans and their transforms',
                                   throttle_duration_sec=5.0)
            return
        now_ns, old = self._now_ns(), self._map
        if old is None or not (
                0 <= now_ns - old.stamp_ns < self._config.map_interval * NS_PER_S):
            self._publish(self._mapper.grid(now_ns))

    def _publish(self, grid: OccupancyGrid) -> None:
        self._map = grid
        header = Header(stamp=Time(nanoseconds=grid.stamp_ns).to_msg(),
                        frame_id=self._config.map_frame)
        self._publisher.publish(map_to_msg(grid, header))

    def _on_save(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self._save()
        return response

    def _save(self) -> tuple[bool, str]:
        """Save the current map; returns success and a sentence."""
        if not self._config.save_to:
            return False, 'the parameter save_to names no folder'
        grid = self._map
        if self._mapper is not None and not self._mapper.empty:
            grid = self._mapper.grid(self._now_ns())
        if grid is None:
            return False, 'nothing is known yet'
        try:
            save_map(grid, Path(self._config.save_to))
        except MapError as error:
            return False, str(error)
        return True, f'saved in {self._config.save_to}'

    def _now_ns(self) -> int:
        return int(self.get_clock().now().nanoseconds)


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; returns 0 then, 1 if it cannot start."""
    return ros_main.run('sim_mapper', MapperNode, args)


if __name__ == '__main__':
    raise SystemExit(main())
