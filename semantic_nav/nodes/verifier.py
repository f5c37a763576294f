"""The verifier node: grounds hypotheses, decides on acts, and hands vetted goals to Nav2."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import PoseStamped
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, Image
from tf2_ros import Buffer, TransformException, TransformListener
from visualization_msgs.msg import MarkerArray

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Core, Effect, Event
from semantic_nav.contracts.documents import Document, Observation, Verdict
from semantic_nav.contracts.parameters import parameter
from semantic_nav.contracts.vocabulary import Code, Level
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import grid_of, pose_stamped, same_frame, transform_of
from semantic_nav.nodes.ros.core_node import PREFIX, CoreNode
from semantic_nav.nodes.ros.costmap import CostmapAssembler
from semantic_nav.nodes.ros.depth import Frames, LookFreezer
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.ros.markers import observation_markers
from semantic_nav.nodes.ros.navigation import Navigation
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.events import (
    READS,
    RECORD_KINDS,
    WRITES,
    AskPath,
    CancelNav,
    CostmapReceived,
    Deactivating,
    FreezeLook,
    MapReceived,
    NavAnswered,
    PoseMissing,
    PoseResolved,
    SendNav,
    SendSpin,
    StopNav,
)

_CHECK_S = 0.05
#: The pose is resolved at every n-th check while a goal is open, else at every m-th.
_POSE_EVERY, _POSE_EVERY_IDLE = 4, 20


@dataclass(frozen=True)
class VerifierWiring:
    """Parameters of the node itself: names of foreign topics and frames."""

    map_topic: str = parameter('map', 'The map: nav_msgs/OccupancyGrid.')
    costmap_topic: str = parameter(
        'global_costmap/costmap', 'The global costmap; its updates come on <name>_updates.')
    depth_topic: str = parameter(
        'camera/depth/image_raw', 'Depth registered to the picture: 16UC1 mm or 32FC1 m.')
    camera_info_topic: str = parameter('camera/camera_info', 'Intrinsics of that picture.')
    map_frame: str = parameter('map', 'Frame of the map.')
    odom_frame: str = parameter('odom', 'Frame of the odometry.')
    base_frame: str = parameter('base_link', 'Frame of the robot.')
    depth_tolerance_s: float = parameter(
        0.2, 'How far depth and picture may lie apart, in s.', 0.0, 5.0)


class VerifierNode(CoreNode):
    """Shell of the verifier.

    Parameters: `VerifierConfig`, `VerifierWiring`, `ShellConfig`.
    Subscribes: step, look, hypothesis, candidates, belief, query; map, costmap and its updates,
    depth and camera_info while a goal is open; TF.
    Publishes: observation, verdict, pose, reply, verified_goal, markers/verifier.
    Actions used: compute_path_to_pose, navigate_to_pose, spin; all goals of the last two and of
    follow_path are cancelled where a drive did not end well.
    """

    config_class = VerifierConfig
    reads = READS
    writes = WRITES
    record_kinds = RECORD_KINDS

    def __init__(self, **kwargs: Any) -> None:
        """Declare the parameters."""
        super().__init__('verifier', **kwargs)
        parameters.declare(self, VerifierWiring)
        self._checks = 0
        self._depth_subscriptions: list[Any] = []

    def make_core(self, config: Any, session: str, seed: int) -> Core:
        """Return the core; also makes what lives as long as it."""
        self._wiring = parameters.read(self, VerifierWiring)
        self._core = VerifierCore(config, session, seed)
        self._navigation = Navigation(self, self._wiring.map_frame, config.cancel_max_s, self.feed)
        self._buffer = Buffer()
        self._listener = TransformListener(self._buffer, self, spin_thread=False)
        self._freezer = LookFreezer(
            self._buffer, Frames(self._wiring.odom_frame, self._wiring.base_frame),
            self.resolve_topic_name(self._wiring.depth_topic), self._wiring.depth_tolerance_s,
            self.feed)
        self._pose_max_age_s = config.pose_max_age_s
        self._tf_ahead = False
        self._costmap = CostmapAssembler()
        self._costmap_fed: int | None = None
        self._spoilt: dict[str, str] = {}
        self._verified_goal = self.create_publisher(
            PoseStamped, f'{PREFIX}/verified_goal', qos.DISPLAY)
        self._markers = self.create_publisher(
            MarkerArray, f'{PREFIX}/markers/verifier', qos.STATE)
        return self._core

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Return what carries the effects out."""
        return {FreezeLook: self._freezer.freeze, AskPath: self._navigation.ask_path,
                SendNav: self._navigation.drive, SendSpin: self._navigation.turn,
                CancelNav: self._navigation.cancel, StopNav: self._navigation.stop}

    def activated(self) -> None:
        """Listen to the maps and begin to look at TF."""
        names = self._wiring
        subscriptions = (
            (GridMessage, names.map_topic, self._on_map, qos.STATE),
            (GridMessage, names.costmap_topic, self._on_costmap, qos.STATE),
            (OccupancyGridUpdate, f'{names.costmap_topic}_updates', self._on_update, qos.EVENTS))
        for kind, topic, callback, profile in subscriptions:
            self.undo_with(self.destroy_subscription,
                           self.create_subscription(kind, topic, callback, profile))
        self.steady_timer(_CHECK_S, self._check)
        self.undo_with(lambda _: self._listen_to_depth(wanted=False), None)

    def deactivating(self) -> None:
        """Cancel what is driven."""
        self.feed(Deactivating())

    def forgetting(self) -> None:
        """Destroy what lives as long as the core."""
        self._navigation.destroy()
        self._listener.unregister()
        self.destroy_publisher(self._verified_goal)
        self.destroy_publisher(self._markers)

    def motion_refused(self, effect: Any, reason: str) -> None:
        """Answer in Nav2's stead."""
        self.feed(NavAnswered(effect.nav_goal_id, accepted=False, reason=reason))

    def settled(self) -> bool:
        """Tell whether Nav2 has ended every goal."""
        return self._navigation.idle

    def published(self, document: Document) -> None:
        """Show people what was decided and seen."""
        body = document.body
        if isinstance(body, Verdict):
            decision = body.decision
            # A refusal may name a pose too: the one that was refused.
            if decision is not None and decision.code is Code.OK and decision.goal is not None:
                self._verified_goal.publish(pose_stamped(
                    decision.goal, self._wiring.map_frame, document.stamp_ns))
        elif isinstance(body, Observation):
            self._markers.publish(observation_markers(body, self._wiring.map_frame,
                                                      document.stamp_ns))

    def feed(self, event: Event) -> None:
        """Feed the core; afterwards listen to depth as long as a goal is open."""
        super().feed(event)
        if self.active and self._core.goal_open != bool(self._depth_subscriptions):
            self._listen_to_depth(wanted=self._core.goal_open)
            self._feed_costmap()

    def _listen_to_depth(self, *, wanted: bool) -> None:
        for subscription in self._depth_subscriptions:
            self.destroy_subscription(subscription)
        self._depth_subscriptions = []
        if not wanted:
            self._freezer.clear()
            return
        names = self._wiring
        self._depth_subscriptions = [
            self.create_subscription(Image, names.depth_topic, self._freezer.take_depth,
                                     qos.IMAGES),
            self.create_subscription(CameraInfo, names.camera_info_topic,
                                     self._freezer.take_camera, qos.IMAGES)]

    # Maps

    def _on_map(self, message: GridMessage) -> None:
        try:
            self._check_frame(message)
            grid = grid_of(message)
        except ValueError as error:
            self._refuse_grid('map', error)
            return
        self._spoilt.pop('map', None)
        self.feed(MapReceived(grid))

    def _on_costmap(self, message: GridMessage) -> None:
        try:
            self._check_frame(message)
            self._costmap.take(message)
        except ValueError as error:
            self._refuse_grid('costmap', error)
            return
        self._spoilt.pop('costmap', None)
        self._feed_costmap()

    def _check_frame(self, message: GridMessage | OccupancyGridUpdate) -> None:
        """Raise ValueError where the cells lie in another frame than poses and goals."""
        frame, wanted = message.header.frame_id, self._wiring.map_frame
        if not same_frame(frame, wanted):
            raise ValueError(f'it comes in the frame {frame!r}, but map_frame is {wanted!r}')

    def _refuse_grid(self, name: str, error: ValueError) -> None:
        """Keep the grid before, which will grow too old, and say so until a good one comes."""
        self._spoilt[name] = str(error)
        self.diagnostics.report(name, Level.ERROR, str(error))

    def _on_update(self, message: OccupancyGridUpdate) -> None:
        try:
            self._check_frame(message)
        except ValueError as error:
            self._refuse_grid('costmap', error)
            return
        if self._costmap.update(message):
            self._spoilt.pop('costmap', None)
            self._feed_costmap()

    def _feed_costmap(self) -> None:
        """Feed the newest costmap, once, and only while a goal is open."""
        grid = self._costmap.grid
        if grid is not None and self._core.goal_open and grid.stamp_ns != self._costmap_fed:
            self._costmap_fed = grid.stamp_ns
            self.feed(CostmapReceived(grid))

    # Pose and the state of the others

    def _check(self) -> None:
        self._freezer.try_pending()
        self._navigation.check()
        self._checks += 1
        if self._checks % (_POSE_EVERY if self._core.goal_open else _POSE_EVERY_IDLE) == 0:
            self._resolve_pose()
        if self._checks % _POSE_EVERY_IDLE == 0:
            self._report()

    def _resolve_pose(self) -> None:
        event = self._looked_up()
        if isinstance(event, PoseResolved):
            self._tf_ahead = False
            self.diagnostics.report('pose', Level.OK, 'known')
        elif self._tf_ahead:
            self.diagnostics.report('pose', Level.WARN, 'TF was ahead of the clock, as after a '
                                    'jump back: forgot it and wait for newer')
        else:
            self.diagnostics.report('pose', Level.WARN, 'waiting for TF '
                                    f'{self._wiring.map_frame} -> {self._wiring.base_frame}')
        self.feed(event)

    def _looked_up(self) -> PoseResolved | PoseMissing:
        names = self._wiring
        try:
            base = self._buffer.lookup_transform(names.map_frame, names.base_frame, Time())
            odom = self._buffer.lookup_transform(names.map_frame, names.odom_frame,
                                                 Time.from_msg(base.header.stamp))
        except TransformException as error:
            return PoseMissing(str(error)[:300])
        stamp, now_ns = stamp_ns(base.header.stamp), self.get_clock().now().nanoseconds
        if now_ns == 0:
            return PoseMissing('ROS time has not begun: nothing came on /clock')
        ahead_s = seconds(stamp - now_ns)
        if ahead_s > self._pose_max_age_s:
            # tf2 would keep this, and drop what comes now as too old.
            self._tf_ahead = True
            self._buffer.clear()
            return PoseMissing(f'TF was {ahead_s:.1f} s ahead of the clock')
        return PoseResolved(stamp, transform_of(base), transform_of(odom))

    def _report(self) -> None:
        """Say what is waited for."""
        world = self._core.world
        waits = {'map': (world.map is not None, self._wiring.map_topic),
                 'costmap': (self._costmap.grid is not None, self._wiring.costmap_topic)}
        for name, (there, topic) in waits.items():
            if name in self._spoilt:
                continue
            level, text = (Level.OK, 'received') if there else (
                Level.WARN, f'waiting for {self.resolve_topic_name(topic)}')
            self.diagnostics.report(name, level, text)
        missing = self._navigation.missing()
        if missing:
            self.diagnostics.report('nav2', Level.WARN,
                                    f'waiting for the actions {", ".join(missing)}')
        else:
            self.diagnostics.report('nav2', Level.OK, 'ready')


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(VerifierNode, args)


if __name__ == '__main__':
    sys.exit(main())
