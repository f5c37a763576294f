"""The verifier node: grounds hypotheses, decides on acts, and sends vetted goals to Nav2."""

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PolygonStamped, PoseWithCovarianceStamped
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage
from sensor_msgs.msg import BatteryState, LaserScan
from std_msgs.msg import Bool
from tf2_ros import TransformListener

from semantic_nav.contracts.core import Core, Effect, Event
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.camera_topics import CameraTopics, cameras_of
from semantic_nav.nodes.ros.clock import read_clocks
from semantic_nav.nodes.ros.clocks import Clocks
from semantic_nav.nodes.ros.condition import Condition
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.depth import Answer, LookFreezer, Tell
from semantic_nav.nodes.ros.first_scan import FirstScan
from semantic_nav.nodes.ros.footprint_topic import FootprintTopic
from semantic_nav.nodes.ros.freezers import Freezers
from semantic_nav.nodes.ros.grids import Grids
from semantic_nav.nodes.ros.hearing import Topics, hear, why_silent
from semantic_nav.nodes.ros.judging_buffer import JudgingBuffer
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.ros.nav_goals import NavGoals
from semantic_nav.nodes.ros.navigation import Navigation
from semantic_nav.nodes.ros.refiner import Refiner
from semantic_nav.nodes.ros.rehearsal import Rehearsal
from semantic_nav.nodes.ros.robot_pose import Frames, PoseSource
from semantic_nav.nodes.ros.scan_feed import ScanFeed
from semantic_nav.nodes.ros.scans import judge_scan
from semantic_nav.nodes.ros.sensors import Sensors
from semantic_nav.nodes.ros.speed_limits import SpeedLimits
from semantic_nav.nodes.ros.verifier_markers import VerifierMarkers
from semantic_nav.nodes.ros.verifier_wiring import VerifierWiring
from semantic_nav.nodes.zones_file import load_zones
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    FreezeLook,
    LimitSpeed,
    RefineLocalisation,
    SendBackUp,
    SendNav,
    SendSpin,
    ShowCandidates,
    ShowSearch,
    StopNav,
    WatchSurroundings,
)
from semantic_nav.verify.events import (
    READS,
    RECORD_KINDS,
    WRITES,
    BeliefLost,
    Deactivating,
    KeepoutAwaited,
    LookNotFrozen,
    NavAnswered,
    ZonesReceived,
)
from semantic_nav.verify.floor.pose_feed import PoseFeed
from semantic_nav.verify.floor.surroundings import SCAN

_CHECK_S, _SENSORS_S, _REPORT_S = 0.05, 0.5, 1.0


class VerifierNode(CoreNode):
    """Shell of the verifier core.

    Parameters: `VerifierConfig`, `VerifierWiring`, `ShellConfig`.
    Subscribes: step, look, hypothesis, candidates, belief, query; map, costmap and its updates;
    depth and camera_info of each camera, and scan, while a goal is open; pause switch, battery,
    covariance of the localisation and keep-out mask, where topics are given; TF; alive/belief; the
    status of navigate_to_pose and navigate_through_poses.
    Publishes: observation, verdict, pose, reply, verified_goal, markers/*, alive/verifier;
    speed_limit, if the zones file has speed zones.
    Actions used: compute_path_to_pose, navigate_to_pose, spin, backup; all goals of the last three
    and of follow_path are cancelled when a drive did not end well.
    Services used: clear_entirely_global_costmap and clear_entirely_local_costmap, when the robot
    got stuck; get_state of Nav2's servers, when a goal failed; request_nomotion_update of AMCL,
    when only its uncertainty, or scans that contradict the map, keep the robot from driving.
    """

    config_class = VerifierConfig
    reads = READS
    writes = WRITES
    record_kinds = RECORD_KINDS

    def __init__(self, **kwargs: Any) -> None:
        """Declare the parameters."""
        super().__init__('verifier', **kwargs)
        self.parameters.declare(VerifierWiring)
        self._watched = WatchSurroundings()
        self._resolved_at = self._reported_at = 0.0

    def make_core(self, config: Any, session: str, seed: int) -> Core:
        """The core; also makes the objects that live as long as it."""
        names = self._wiring = parameters.read(self, VerifierWiring)
        self._map_frame = config.map_frame
        # The core checks an outline that comes on a topic.
        self._reach_m = math.inf if names.footprint_topic else config.reach_m
        self._nearest_m = config.ground_min_m
        self._zones = None if not names.zones_file else load_zones(
            Path(names.zones_file).expanduser(), config.map_frame)
        self._navigation = Navigation(self, config, names.feedback_max_age_s, self.feed,
                                      self.fail)
        self._buffer = JudgingBuffer()
        self._listener = TransformListener(self._buffer, self, spin_thread=False)
        frames = self._frames = Frames(*(name.removeprefix('/') for name in (
            config.map_frame, names.odom_frame, names.base_frame)))
        self._clocks = Clocks(self._buffer, frames, lambda: self.get_clock().now().nanoseconds)
        cameras = cameras_of(CameraTopics(
            names.camera_name, depth=names.depth_topic, info=names.camera_info_topic,
            depth_info=names.depth_info_topic), names.other_cameras)
        self._first_camera = cameras[0]
        self._freezers = Freezers(cameras, lambda camera: self._freezer_of(
            camera, self._answer_look, self._tell_depth), self._answer_look, self._tell_depth)
        self._robot_pose = PoseSource(
            self._buffer, frames, config.pose_max_age_s,
            lambda: self.get_clock().now().nanoseconds,
            lambda level, text: self.diagnostics.report('pose', level, text),
            self._clocks.fault_of_base)
        self._pose_feed = PoseFeed(config.pose_max_age_s)
        self._scan_feed = None if config.map_is_live else ScanFeed(
            self._buffer, frames, self.feed)
        self._grids = Grids(config.map_frame, self.feed, self.diagnostics.report,
                            lambda: self.get_clock().now().nanoseconds, partial(why_silent, self))
        self._grid_limits_s = {'costmap': config.costmap_max_age_s}
        if config.map_is_live:
            self._grid_limits_s['map'] = config.map_max_age_s
        self._watched = WatchSurroundings()
        self._markers = VerifierMarkers(self, config.map_frame)
        sources = (
            *self._freezers.sources, (LaserScan, names.scan_topic, SCAN, self._take_scan))
        self._sensors = Sensors(self, self.feed, self.diagnostics.report, sources,
                                {SCAN: judge_scan}, self._clocks.take)
        self._topics = Topics(self, (
            (GridMessage, names.map_topic), (GridMessage, names.costmap_topic),
            (GridMessage, names.keepout_mask_topic), (Bool, names.pause_topic),
            (PolygonStamped, names.footprint_topic), (BatteryState, names.battery_topic),
            (PoseWithCovarianceStamped, names.localisation_topic),
            *((kind, topic) for kind, topic, _, _ in sources)))
        self._refining = Refiner(self, (names.localisation_topic or names.scan_topic) and (
            names.localisation_update_service))
        self._speed_limits = SpeedLimits(self, names.speed_limit_topic, config.map_frame)
        self._pause_repeats = config.pause_max_age_s > 0
        return VerifierCore(config, session, seed)

    def _freezer_of(self, camera: CameraTopics, answer: Answer, tell: Tell) -> LookFreezer:
        return LookFreezer(
            self._buffer, self._frames, camera.depth and self.resolve_topic_name(camera.depth),
            self._wiring.depth_tolerance_s, answer, tell,
            rectified=self._wiring.image_is_rectified, apart=bool(camera.depth_info),
            reach_m=self._reach_m, nearest_m=self._nearest_m)

    def _tell_depth(self, level: Level, words: str) -> None:
        self.diagnostics.report('depth', level, words)

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Handlers of the effects of the core."""
        return {WatchSurroundings: self._watch, FreezeLook: self._freezers.freeze,
                AskPath: self._navigation.ask_path, SendNav: self._navigation.drive,
                SendSpin: self._navigation.turn, SendBackUp: self._navigation.back_up,
                ClearCostmaps: self._navigation.clear, CancelNav: self._navigation.cancel,
                LimitSpeed: self._speed_limits.publish,
                RefineLocalisation: self._refining.refine,
                ShowCandidates: self._markers.show_candidates,
                ShowSearch: self._markers.show_search, StopNav: self._navigation.stop}

    def activated(self) -> None:
        """Feed the zones, subscribe to the grids and begin to resolve the pose."""
        names = self._wiring
        if self._zones is not None:
            self.feed(ZonesReceived(self._zones))
            self._markers.show_zones(self._zones)
        if names.keepout_mask_topic:
            self.feed(KeepoutAwaited())
        subscriptions = (
            (GridMessage, names.keepout_mask_topic, self._grids.take_keepout, qos.STATE),
            (GridMessage, names.map_topic, self._grids.take_map, qos.STATE),
            (GridMessage, names.costmap_topic, self._grids.take_costmap, qos.STATE),
            (OccupancyGridUpdate, f'{names.costmap_topic}_updates', self._grids.take_update,
             qos.EVENTS))
        for kind, topic, callback, profile in subscriptions:
            if topic:
                hear(self, kind, topic, callback, profile)
        self._resolved_at = self._reported_at = time.monotonic()
        self.steady_timer(_CHECK_S, self._check)
        self.steady_timer(_SENSORS_S, self._sensors.tell)
        if self._scan_feed is not None:
            self.steady_timer(_SENSORS_S, self._scan_feed.tell)
        self.life.watch('belief', lambda: self.feed(BeliefLost()))
        self.undo_with(lambda _: self._listen(wanted=False), None)
        NavGoals(self)
        if names.pause_topic:
            Condition(self, 'pause', names.pause_topic, repeats=self._pause_repeats)
        if names.footprint_topic:
            FootprintTopic(self, names.footprint_topic, self._buffer, names.base_frame)
        if names.battery_topic:
            Condition(self, 'battery', names.battery_topic)
        if names.localisation_topic:
            Condition(self, 'localisation', names.localisation_topic)
        if names.depth_topic or names.scan_topic:
            # The core needs none of its measurements: its looks have pictures.
            Rehearsal(self, names, lambda tell: self._freezer_of(
                self._first_camera, lambda _: None, tell), self._clocks.take)
        if names.scan_topic:
            FirstScan(self, names.scan_topic)

    def deactivating(self) -> None:
        """Cancel every motion goal of ours, also if the core has failed."""
        try:
            self.feed(Deactivating())
        finally:
            self._navigation.cancel_all()

    def forgetting(self) -> None:
        """Destroy the objects that live as long as the core."""
        self._navigation.destroy()
        self._listener.unregister()
        self._speed_limits.destroy()
        self._refining.destroy()
        self._markers.destroy()

    def motion_refused(self, effect: Any, reason: str) -> None:
        """Answer in place of Nav2, which never received the goal."""
        self.feed(NavAnswered(effect.nav_goal_id, accepted=False, reason=reason,
                              held_back=True))

    def settled(self) -> bool:
        """Tell whether Nav2 has ended every goal."""
        return self._navigation.idle

    def published(self, document: Document) -> None:
        """Show decisions and observations as markers."""
        self._markers.follow(document)

    # Subscriptions that the core asks for

    def _watch(self, effect: WatchSurroundings) -> None:
        self._watched = effect
        if self.active:
            self._listen(wanted=effect.depth)
        self._grids.want_costmap(effect.costmap)

    def _listen(self, *, wanted: bool) -> None:
        self._sensors.listen(wanted=wanted)
        if not wanted:
            self._freezers.clear()
            if self._scan_feed is not None:
                self._scan_feed.clear()

    def _take_scan(self, message: LaserScan) -> None:
        self._freezers.take_scan(message)
        if self._scan_feed is not None:
            self._scan_feed.take(message)

    # Pose and health

    def _check(self) -> None:
        self._freezers.try_pending()
        self._navigation.check()
        now = time.monotonic()
        # A timer may fire a little early.
        if now - self._resolved_at >= self._watched.pose_period_s - _CHECK_S / 2:
            self._resolved_at = now
            self._resolve_pose()
        if now - self._reported_at >= _REPORT_S:
            self._reported_at = now
            self._report()

    def _answer_look(self, event: Event) -> None:
        """Feed the result of a look; a clock fault is the reason why it has no depth."""
        fault = self._clocks.fault
        self.feed(replace(event, reason=f'{fault} ({event.reason})') if (
            fault and isinstance(event, LookNotFrozen)) else event)

    def _resolve_pose(self) -> None:
        event = self._robot_pose.resolve()
        if self._pose_feed.is_news(event, self._watched, read_clocks(self)):
            self.feed(event)

    def _report(self) -> None:
        """Report grids, Nav2, topics and clocks."""
        names = self._wiring
        topics = {'map': names.map_topic, 'costmap': names.costmap_topic,
                  'keepout': names.keepout_mask_topic}
        self._grids.report(
            {name: self.resolve_topic_name(topic) for name, topic in topics.items() if topic},
            self._grid_limits_s, self.get_clock().now().nanoseconds)
        self.diagnostics.report('nav2', *self._navigation.state())
        self.diagnostics.report('topics', *self._topics.state())
        self.diagnostics.report('clocks', *self._clocks.state())
        if names.other_cameras:
            self.diagnostics.report('other cameras', *self._freezers.state(self))


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(VerifierNode, args)


if __name__ == '__main__':
    sys.exit(main())
