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

#: How often the local costmap gets a scan, as in Nav2.
_SCAN_S = 0.2
#: Map and global costmap get one at every n-th control period: with the light body half as often.
_MAP_SCAN_EVERY = 4
#: How often map and local costmap get a depth picture.
_DEPTH_S = 1.0
#: Of a depth picture for the map that is so many times smaller than the camera's, the mapper reads
#: every eighth column, as configured; of one with fewer columns as many, not fewer.
_USUAL_SHRINK = 2
#: How old it is when the camera has it ready. It is drawn while the robot drives on.
_DEPTH_READY_S = 0.15
_IDLE_SCAN_S = 1.0
_MAP_FRAME = 'map'

#: Told where the robot believes to be now; returns what to drive.
Controller = Callable[[RobotState], Velocity]


@dataclass(frozen=True, eq=False)
class _Scan:
    """A scan with the poses that TF tells of its stamp.

    Attributes:
        ranges: shape (rays,), in m.
        pose: of the robot in the map, as it believes.
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
        camera: name of the camera that took it; the first one has none.
    """

    camera: str
    depth: Depth


class Robot:
    """Moves the simulated robot and keeps its map and costmaps, as the simulator's processes do.

    While nothing drives, time costs little: only a scan and a depth picture a second are taken.

    Attributes:
        map: the newest one.
        costmap: what the navigator plans on.
        local_costmap: what it looks at while it drives.
        controller: asked for a velocity at every control period while there is one.
        scans, depths: what brings the scans, and the depth pictures for map and local costmap.
    """

    def __init__(self, body: Body, scheduler: Scheduler, seed: int,
                 saved: OccupancyGrid | None, *, mapping: bool) -> None:
        """Put the robot at its start.

        Args:
            body: in its world.
            scheduler: gives the time.
            seed: of what is lost or late on the way from the sensors.
            saved: the map that the robot was given; None if it knows nothing.
            mapping: whether it maps, from nothing or on from the map that it was given.

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
        # The camera's pictures that are asked for have chances of their own.
        self.depths = SensorLink(
            scheduler, Outbox[_Picture](seed, 'depth for the map', faults.pictures),
            self._take_depth)
        now = body.step(scheduler.now_ns)
        #: Many ask at one moment.
        self._believed_at = now, _believed(now)
        mapper_config = _mapper_config(body)
        #: Between two maps.
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
        """Where the robot holds itself to be: map_T_base."""
        now = self.snapshot
        if now is not self._believed_at[0]:
            self._believed_at = now, _believed(now)
        return self._believed_at[1]

    @property
    def believed_before(self) -> Transform:
        """Where the robot held itself to be when time passed last; lets no time pass."""
        return _believed(self._body.snapshot())

    def state(self) -> RobotState:
        """Return what the navigator knows of the robot now."""
        return self._state(self.believed, self._believed_at[0])

    def state_before(self) -> RobotState:
        """Return the same as of when time passed last; lets no time pass."""
        return self._state(self.believed_before, self._body.snapshot())

    def _state(self, map_T_base: Transform, then: Snapshot) -> RobotState:
        return RobotState(self._scheduler.elapsed_s, navigator_pose(map_T_base.pose()),
                          navigator_pose(then.odom))

    def wake(self) -> None:
        """Ask the controller at every control period, until the robot stands and it is gone."""
        if not self._running:
            self._running = True
            self._scheduler.after(self._body.period_s, self._control)

    def navigation(self) -> NavigationConfig:
        """Return how a goal is pursued with this body."""
        return replace(self.config.navigation(), period_s=self._body.period_s)

    def take_map(self) -> bool:
        """Make the newest map the navigator's; returns whether anything changed in it."""
        if self._mapper is None:
            return False
        new, old = self._mapper.grid(self._scheduler.clock_ns), self.map
        if new.same_frame(old) and np.array_equal(new.cells, old.cells):
            return False
        self.map = new
        self.costmap.set_map(new)
        return True

    def costs(self) -> OccupancyGrid:
        """Return the costmap as Nav2 publishes it."""
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
        """Begin with what each camera measures, by its name."""
        return {name: self._body.depth(name) for name in ('', *self._body.profile.other_cameras)}

    def _send_depth(self, picture: _Picture) -> None:
        # The next picture takes the place of a lost one.
        if not self.depths.send(picture):
            self._depth_wanted = True

    def _map_first(self) -> None:
        """Begin the map with what is seen from the start, which is waited for."""
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
        """Whether the local costmap has depth pictures."""
        return not self._body.profile.camera.no_depth


def _mapper_config(body: Body) -> MapperConfig:
    usual = MapperConfig()
    return replace(usual, depth_stride=max(
        1, usual.depth_stride * _USUAL_SHRINK // body.map_shrink))


def _believed(then: Snapshot) -> Transform:
    return Transform.from_pose(then.map_t_odom) @ Transform.from_pose(then.odom)


def intrinsics_of(camera: CameraModel) -> Intrinsics:
    """Return what the camera_info of a simulated camera says."""
    cx, cy = camera.centre_px
    return Intrinsics(camera.width, camera.height, camera.focal_px, camera.focal_px, cx, cy)


def navigator_pose(pose: Pose2D) -> Pose:
    """Return a pose as the navigator has it."""
    return Pose(pose.x, pose.y, math.remainder(pose.yaw, math.tau))
