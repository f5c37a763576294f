"""The robot in simulated time: base, odometry, localisation, scans, costmap, map."""

import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.bench.sensor_link import SensorLink
from semantic_nav_sim.mapper.config import MapperConfig
from semantic_nav_sim.mapper.mapper import Mapper
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.navigator.costmap import OCCUPANCY_OF_COST
from semantic_nav_sim.navigator.geometry import Pose, Velocity
from semantic_nav_sim.navigator.goals import RobotState
from semantic_nav_sim.navigator.navigation import NavigationConfig
from semantic_nav_sim.navigator.voxel_layer import DepthPicture
from semantic_nav_sim.robot.body import Body, Depth, Snapshot
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel
from semantic_nav_sim.robot.outbox import Outbox

#: Period of the scans for the local costmap, as in Nav2.
_SCAN_S = 0.2
#: Control periods between two scans for map and global costmap: with the light body half as often.
_MAP_SCAN_EVERY = 4
#: Period of the depth pictures for map and local costmap.
_DEPTH_S = 1.0
#: The mapper is configured to read every eighth column of depth pictures with half the camera's
#: resolution. Of narrower pictures it reads as many columns.
_USUAL_SHRINK = 2
#: Age of a depth picture when it is ready. The robot drives on while it is rendered.
_DEPTH_READY_S = 0.15
_IDLE_SCAN_S = 1.0
_MAP_FRAME = 'map'

#: Function from the state that the robot believes now to the velocity to drive.
Controller = Callable[[RobotState], Velocity]


@dataclass(frozen=True, eq=False)
class _Scan:
    """A scan with the poses that TF gives for its stamp.

    Attributes:
        ranges: shape (rays,), in m.
        pose: believed, of the robot in the map frame.
        odom: of the robot in the odom frame.
        for_map: whether map and global costmap take it in, too.
    """

    stamp_ns: int
    ranges: NDArray[np.float32]
    pose: Pose2D
    odom: Pose2D
    for_map: bool = True


@dataclass(frozen=True, eq=False)
class _Picture:
    """A depth picture for map and local costmap.

    Attributes:
        camera: name of its camera; empty for the first one.
    """

    camera: str
    depth: Depth


class Robot:
    """The simulated robot with its map and costmaps, kept as the simulator's processes keep them.

    Standing time is cheap: without a controller it takes one scan and one depth picture a second.

    Attributes:
        map: the newest one.
        costmap: for planning.
        local_costmap: for driving.
        controller: gives the velocity of each control period; None for none.
        scans, depths: deliver the scans, and the depth pictures for map and local costmap.
    """

    def __init__(self, body: Body, scheduler: Scheduler, seed: int,
                 saved: OccupancyGrid | None, *, mapping: bool) -> None:
        """Place the robot at its start.

        Args:
            body: in its world.
            scheduler: gives the time.
            seed: of lost and late measurements.
            saved: map that the robot is given; None for no map.
            mapping: whether it maps, from nothing or on from the given map.

        Raises:
            ConfigError: there is neither a map nor a mapper.
        """
        if saved is None and not mapping:
            raise ConfigError('a robot without a map must make one')
        self._body, self._scheduler = body, scheduler
        self.config = NavigatorConfig(robot_radius=body.shape.nav2_radius_m,
                                      footprint=body.shape.footprint)
        self.controller: Controller | None = None
        self._running = False
        self._periods = 0
        self._scan_every = round(_SCAN_S / body.period_s)
        self._depth_every = round(_DEPTH_S / body.period_s)
        self._depth_wanted = False
        faults = body.profile
        self.scans = SensorLink(
            scheduler, Outbox[_Scan](seed, 'scans', faults.scans), self._take_scan)
        # Pictures on request draw their own random numbers.
        self.depths = SensorLink(
            scheduler, Outbox[_Picture](seed, 'depth for the map', faults.pictures),
            self._take_depth)
        now = body.step(scheduler.now_ns)
        #: Cached, since many ask at one moment.
        self._believed_at = now, _believed(now)
        mapper_config = _mapper_config(body)
        #: Period of the maps, in s.
        self.map_interval_s = mapper_config.map_interval
        self._mapper = Mapper(mapper_config, saved) if mapping else None
        self.local_costmap = self.config.local_costmap()
        self._map_first()
        self.map = self._mapper.grid(scheduler.clock_ns) if saved is None else saved
        self.costmap = self.config.costmap(self.map)
        scheduler.every(_IDLE_SCAN_S, self._look_round)

    @property
    def snapshot(self) -> Snapshot:
        """The robot now."""
        return self._body.step(self._scheduler.now_ns)

    @property
    def believed(self) -> Transform:
        """The believed pose of the robot: map_T_base."""
        now = self.snapshot
        if now is not self._believed_at[0]:
            self._believed_at = now, _believed(now)
        return self._believed_at[1]

    @property
    def believed_before(self) -> Transform:
        """The believed pose when time last passed; lets no time pass."""
        return _believed(self._body.snapshot())

    def state(self) -> RobotState:
        """The navigator's knowledge of the robot now."""
        return self._state(self.believed, self._believed_at[0])

    def state_before(self) -> RobotState:
        """The navigator's knowledge of the robot when time last passed; lets no time pass."""
        return self._state(self.believed_before, self._body.snapshot())

    def _state(self, map_T_base: Transform, then: Snapshot) -> RobotState:
        return RobotState(self._scheduler.elapsed_s, navigator_pose(map_T_base.pose()),
                          navigator_pose(then.odom))

    def wake(self) -> None:
        """Run the controller at every control period, until the robot stands without one."""
        if not self._running:
            self._running = True
            self._scheduler.after(self._body.period_s, self._control)

    def navigation(self) -> NavigationConfig:
        """The navigation configuration for this body."""
        return replace(self.config.navigation(), period_s=self._body.period_s)

    def take_map(self) -> bool:
        """Give the newest map to the navigator; returns whether it differs from the last one."""
        if self._mapper is None:
            return False
        new, old = self._mapper.grid(self._scheduler.clock_ns), self.map
        if new.same_frame(old) and np.array_equal(new.cells, old.cells):
            return False
        self.map = new
        self.costmap.set_map(new)
        return True

    def costs(self) -> OccupancyGrid:
        """The costmap as Nav2 publishes it."""
        costmap = self.costmap
        return OccupancyGrid(
            OCCUPANCY_OF_COST[costmap.cost], costmap.resolution_m, costmap.origin_x,
            costmap.origin_y, _MAP_FRAME, self._scheduler.clock_ns)

    def _control(self) -> None:
        self._periods += 1
        if self._periods % _MAP_SCAN_EVERY == 0:
            self._sense()
        elif self._periods % self._scan_every == 0:
            self._scan(for_map=False)
        velocity = self.controller(self.state()) if self.controller is not None else Velocity()
        self._body.command(velocity.linear, velocity.angular, self._scheduler.now_ns)
        measured = self.snapshot
        standing = abs(measured.speed_m_s) < 1e-3 and abs(measured.turn_rad_s) < 1e-3
        self._running = self.controller is not None or not standing
        if self._running:
            self._scheduler.after(self._body.period_s, self._control)

    def _look_round(self) -> None:
        if not self._running:
            self._depth_wanted = True
            self._sense()

    def _sense(self) -> None:
        """Send a scan and, about once a second, a depth picture of each camera."""
        now = self._scan()
        self._depth_wanted = self._depth_wanted or self._periods % self._depth_every == 0
        if self._depth_wanted and (self._running and self._marks_depth or (
                self._mapper is not None
                and self._mapper.wants_depth(self.believed.pose(), now.stamp_ns))):
            self._depth_wanted = False
            drawings = self._depths_of_all()
            self._scheduler.after(_DEPTH_READY_S, lambda: [
                self._send_depth(_Picture(camera, drawing.result()))
                for camera, drawing in drawings.items()])

    def _scan(self, *, for_map: bool = True) -> Snapshot:
        now, ranges = self._body.scan()
        self.scans.send(_Scan(now.stamp_ns, ranges, self.believed.pose(), now.odom, for_map))
        return now

    def _depths_of_all(self) -> 'dict[str, Future[Depth]]':
        """Start the depth rendering of each camera, by name."""
        return {name: self._body.depth(name) for name in ('', *self._body.profile.other_cameras)}

    def _send_depth(self, picture: _Picture) -> None:
        # The next picture replaces a lost one.
        if not self.depths.send(picture):
            self._depth_wanted = True

    def _map_first(self) -> None:
        """Begin the map with the view from the start, and wait for it."""
        if self._mapper is not None:
            now, ranges = self._body.scan()
            self._map_scan(_Scan(now.stamp_ns, ranges, self.believed.pose(), now.odom))
            for name, drawing in self._depths_of_all().items():
                self._take_depth(_Picture(name, drawing.result()))

    def _take_scan(self, scan: _Scan) -> None:
        lidar = self._body.lidar
        bearings = lidar.angle_min_rad + lidar.step_rad * np.arange(lidar.rays)
        ranges = scan.ranges.astype(np.float64)
        for costmap, there in ((self.local_costmap, scan.odom), (self.costmap, scan.pose)):
            if costmap is self.local_costmap or scan.for_map:
                pose = navigator_pose(there)
                costmap.see(pose, pose, bearings, ranges, lidar.range_min_m, lidar.range_max_m)
        if scan.for_map:
            self._map_scan(scan)

    def _map_scan(self, scan: _Scan) -> None:
        if self._mapper is not None:
            self._mapper.integrate(scan.ranges, self._body.lidar, scan.pose, scan.stamp_ns)

    def _take_depth(self, picture: _Picture) -> None:
        then, camera = picture.depth.snapshot, picture.depth.camera
        intrinsics = intrinsics_of(camera)
        base_T_camera = camera.base_t_camera @ CAMERA_T_OPTICAL
        if self._marks_depth:
            self.local_costmap.see_depth(DepthPicture(
                picture.camera, picture.depth.depth_mm, intrinsics,
                Transform.from_pose(then.odom) @ base_T_camera))
        if self._mapper is not None:
            self._mapper.integrate_depth(
                picture.depth.depth_mm, intrinsics, _believed(then) @ base_T_camera,
                then.stamp_ns, picture.camera)

    @property
    def _marks_depth(self) -> bool:
        """Tell whether the local costmap takes depth pictures."""
        return not self._body.profile.camera.no_depth


def _mapper_config(body: Body) -> MapperConfig:
    usual = MapperConfig()
    return replace(usual, depth_stride=max(
        1, usual.depth_stride * _USUAL_SHRINK // body.map_shrink))


def _believed(then: Snapshot) -> Transform:
    return Transform.from_pose(then.map_t_odom) @ Transform.from_pose(then.odom)


def intrinsics_of(camera: CameraModel) -> Intrinsics:
    """The camera_info of a simulated camera."""
    cx, cy = camera.centre_px
    return Intrinsics(camera.width, camera.height, camera.focal_px, camera.focal_px, cx, cy)


def navigator_pose(pose: Pose2D) -> Pose:
    """Convert a pose to the navigator's type, with the yaw in -pi..pi."""
    return Pose(pose.x, pose.y, math.remainder(pose.yaw, math.tau))
