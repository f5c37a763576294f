"""Stand-ins for Nav2 and a robot, which do as a test tells them, and a rig that spins them all."""

import contextlib
import copy
import math
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import rclpy
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from builders import CAMERA, Block, Room, base_T_CAMERA
from diagnostic_msgs.msg import DiagnosticArray
from executors import destroy, drop, shut_down
from geometry_msgs.msg import PoseStamped, TransformStamped
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from map_msgs.msg import OccupancyGridUpdate
from nav2_msgs.action import BackUp, ComputePathToPose, NavigateToPose, Spin
from nav2_msgs.srv import ClearEntireCostmap
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future
from sensor_msgs.msg import CameraInfo, Image, LaserScan
from std_msgs.msg import String
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

from semantic_nav.contracts import signs_of_life
from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import Body, Document
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.nodes.ros import alive, qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.clock import read_clocks, stamp_ns
from semantic_nav.nodes.ros.core_node import CoreNode

PATIENCE_S = 90.0
NAMESPACE = 'robot'
_PERIOD_S = 0.05
# For a verifier under test: one thread plays the whole robot, and may rest for seconds on a busy
# machine. The target is gone to at once, though it was seen once, from afar.
PATIENT = {'freeze_wait_s': 5.0, 'pose_max_age_s': 20.0, 'costmap_max_age_s': 20.0,
           'depth_max_age_s': 20.0, 'scan_max_age_s': 20.0, 'path_timeout_s': 60.0,
           'settle_max_s': 20.0, 'cancel_max_s': 20.0, 'glimpse_m': 9.0}
_PATIENT_ALIVE = copy.copy(qos.ALIVE)
_PATIENT_ALIVE.liveliness_lease_duration = Duration(seconds=5.0)
#: Beats without a sign of life, 3 s, after which a node that is waited for patiently is lost.
_PATIENT_BEATS = 20

#: The nodes of Nav2 that have a lifecycle.
_SERVERS = ('bt_navigator', 'planner_server', 'controller_server', 'behavior_server')
_STATES = {'active': State.PRIMARY_STATE_ACTIVE, 'inactive': State.PRIMARY_STATE_INACTIVE}

R = TypeVar('R', bound='Rig')


def lose_nobody_early(change: Callable[[Any, str, Any], None] = setattr) -> None:
    """Wait longer for signs of life: nodes that share a thread all rest when it does."""
    change(qos, 'ALIVE', _PATIENT_ALIVE)
    for module in (signs_of_life, alive):
        change(module, 'LOST_AFTER', _PATIENT_BEATS)


def words_of(parameters: dict[str, Any]) -> list[str]:
    """Return parameters as a node's command line takes them."""
    return [word for name, value in parameters.items() for word in ('-p', f'{name}:={value}')]


def hex_of(handle: ServerGoalHandle) -> str:
    return bytes(handle.goal_id.uuid).hex()


class FakeNav2(Node):
    """Serves Nav2's actions and its costmaps' services as the real Nav2 does.

    Attributes:
        path, drive, turn, back: how each action behaves: succeed, abort, reject, hang (until it is
            cancelled), deaf (hang, and cancelling does not help) or mute (no goal is answered
            before `speaks` is done); for path also beside, for drive also runaway (abort, and the
            robot drives on until follow_path is cancelled), dead (so it does, and nobody answers
            a cancel) or stall (abort half-way).
        tells: how many times the goals of navigate_to_pose still give feedback.
        code: of the result where a goal is aborted.
        asked: poses to which a path was asked for.
        sent: UUID and pose, angle, or distance back, of each motion goal that came.
        cleared: names of the costmaps that were cleared.
        cancelled: UUIDs of goals that somebody wanted cancelled.
        follows: moves the robot without a goal.
        states: in which each server says to be; one of '' does not answer.
    """

    def __init__(self, robot: 'FakeRobot', context: Context) -> None:
        super().__init__('nav2', context=context, namespace=NAMESPACE)
        self.robot = robot
        self.path = self.drive = self.turn = self.back = 'succeed'
        self.code = self.tells = 0
        self.asked: list[Pose2D] = []
        self.sent: list[tuple[str, Any]] = []
        self.cancelled: list[str] = []
        self.cleared: list[str] = []
        self._servers: list[ActionServer] = []
        self._under_way: dict[str, tuple[ServerGoalHandle, Future, Callable[[], bool]]] = {}
        self.follows: Callable[[], object] | None = None
        self.speaks: Future = Future()
        self.create_service(CancelGoal, 'follow_path/_action/cancel_goal',
                            self._cancel_following)
        for costmap in ('global', 'local'):
            self.create_service(
                ClearEntireCostmap, f'{costmap}_costmap/clear_entirely_{costmap}_costmap',
                lambda _request, response, name=costmap: (self.cleared.append(name), response)[1])
        self.states = dict.fromkeys(_SERVERS, 'active')
        for server in _SERVERS:
            service = self.create_service(
                GetState, f'{server}/get_state', partial(self._tell_state, server))
            # The events executor takes no coroutine that answers later.
            vars(service)['send_response'] = partial(self._answer, server, service.send_response)
        self.create_timer(_PERIOD_S, self._work)
        self.appear()

    def appear(self) -> None:
        """Bring the servers up."""
        self._servers = [
            self._serve(ComputePathToPose, 'compute_path_to_pose', 'path', self._plan),
            self._serve(NavigateToPose, 'navigate_to_pose', 'drive', self._navigate),
            self._serve(Spin, 'spin', 'turn', self._spin),
            self._serve(BackUp, 'backup', 'back', self._back_up)]

    def vanish(self) -> None:
        """Take the servers down, goals and all."""
        for server in self._servers:
            server.destroy()
        self._servers.clear()
        self._under_way.clear()

    def destroy_node(self) -> None:
        self.vanish()  # A node does not destroy its action servers by itself.
        super().destroy_node()

    def _serve(self, kind: Any, name: str, mode: str, execute: Any) -> ActionServer:
        async def on_goal(request: Any) -> GoalResponse:
            del request
            if getattr(self, mode) == 'mute':
                await self.speaks
            return (GoalResponse.REJECT if getattr(self, mode) == 'reject'
                    else GoalResponse.ACCEPT)

        async def on_cancel(handle: ServerGoalHandle) -> CancelResponse:
            if getattr(self, mode) == 'dead':
                await self.speaks
            self.cancelled.append(hex_of(handle))
            return (CancelResponse.REJECT if getattr(self, mode) == 'deaf'
                    else CancelResponse.ACCEPT)

        # Who is dead or mute holds nobody else up.
        return ActionServer(self, kind, name, execute_callback=execute, goal_callback=on_goal,
                            cancel_callback=on_cancel, callback_group=ReentrantCallbackGroup())

    def _tell_state(self, server: str, _request: GetState.Request,
                    response: GetState.Response) -> GetState.Response:
        label = self.states[server]
        response.current_state = State(id=_STATES.get(label, 0), label=label)
        return response

    def _answer(self, server: str, send: Callable[[Any, Any], None], *answer: Any) -> None:
        if self.states[server]:
            send(*answer)
        else:
            self.speaks.add_done_callback(lambda _: send(*answer))

    async def _plan(self, handle: ServerGoalHandle) -> Any:
        goal = pose_of(handle.request.goal)
        self.asked.append(goal)
        result = ComputePathToPose.Result()
        if await self._ended(handle, self.path, lambda: True):
            off_m = 0.6 if self.path == 'beside' else 0.0
            here = self.robot.pose
            result.path.header.frame_id = 'map'
            for share in np.linspace(0, 1, 10):
                step = PoseStamped()
                step.pose.position.x = here.x + (goal.x + off_m - here.x) * share
                step.pose.position.y = here.y + (goal.y - here.y) * share
                result.path.poses.append(step)
        elif handle.status == GoalStatus.STATUS_ABORTED:
            result.error_code = 208
        return result

    async def _navigate(self, handle: ServerGoalHandle) -> Any:
        goal = pose_of(handle.request.pose)
        self.sent.append((hex_of(handle), goal))
        self._preempt()
        if self.drive in ('runaway', 'dead'):
            self.follows = lambda: self.robot.face(self.robot.pose.yaw + 0.1)
        here = self.robot.pose
        half = Pose2D((here.x + goal.x) / 2, (here.y + goal.y) / 2, goal.yaw)
        end = half if self.drive == 'stall' else goal
        result = NavigateToPose.Result()
        if not await self._ended(handle, self.drive, lambda: self.robot.go(end)):
            result.error_code = self.code
        return result

    async def _spin(self, handle: ServerGoalHandle) -> Any:
        angle = handle.request.target_yaw
        self.sent.append((hex_of(handle), angle))
        result = Spin.Result()
        end = Pose2D(self.robot.pose.x, self.robot.pose.y, self.robot.pose.yaw + angle)
        if not await self._ended(handle, self.turn, lambda: self.robot.face(end.yaw)):
            result.error_code = self.code
        return result

    async def _back_up(self, handle: ServerGoalHandle) -> Any:
        distance_m, robot = handle.request.target.x, self.robot.pose
        self.sent.append((hex_of(handle), distance_m))
        end = Pose2D(robot.x - distance_m * math.cos(robot.yaw),
                     robot.y - distance_m * math.sin(robot.yaw), robot.yaw)
        result = BackUp.Result()
        if not await self._ended(handle, self.back, lambda: self.robot.go(end)):
            result.error_code = self.code
        return result

    async def _ended(self, handle: ServerGoalHandle, mode: str, go: Callable[[], bool]) -> bool:
        """Wait for the end of a goal and set its status; returns whether it succeeded."""
        future: Future = Future(executor=self.executor)
        steps = {'abort': lambda: True, 'runaway': lambda: True, 'hang': lambda: False,
                 'deaf': lambda: False, 'dead': lambda: False}
        self._under_way[hex_of(handle)] = (handle, future, steps.get(mode, go))
        word = await future
        if word == 'canceled':
            handle.canceled()
        elif word == 'preempted' or mode in ('abort', 'runaway', 'stall'):
            handle.abort()
        else:
            handle.succeed()
        return handle.status == GoalStatus.STATUS_SUCCEEDED

    def _preempt(self) -> None:
        """End the goal in hand: a new one takes its place."""
        for goal_id, (handle, future, _) in list(self._under_way.items()):
            if isinstance(handle.request, NavigateToPose.Goal):
                del self._under_way[goal_id]
                future.set_result('preempted')

    def _cancel_following(self, _request: CancelGoal.Request,
                          response: CancelGoal.Response) -> CancelGoal.Response:
        self.follows = None
        return response

    def _work(self) -> None:
        if self.follows is not None:
            self.follows()
        for goal_id, (handle, future, go) in list(self._under_way.items()):
            if self.tells and isinstance(handle.request, NavigateToPose.Goal):
                self.tells -= 1
                handle.publish_feedback(NavigateToPose.Feedback())
            if handle.is_cancel_requested:
                word = 'canceled'
            elif go():
                word = 'done'
            else:
                continue
            del self._under_way[goal_id]
            future.set_result(word)


class FakeRobot(Node):
    """Publishes TF, map, costmap, depth and camera_info of a robot in a room.

    Attributes:
        pose: in the map frame; the odometry agrees with it.
        silent: names of what is not published: tf, map, costmap, depth, camera, scan.
        depth_stamp: of the newest depth picture.
        calibrated: whether camera_info holds a calibration.
        encoding, depth_frame: of the depth pictures.
        ahead_s: how far the stamps of TF lie in the future.
        ranges: of the scans, all round.
        stamps_scans: their stamps are no 0.
        scan_frame: where they are measured; most tests need none.
        stamps: of the newest depth picture of each further camera.
        unmounted: further cameras whose camera_info names no frame.
    """

    def __init__(self, context: Context, room: Room, pose: Pose2D, things: tuple[Block, ...] = (),
                 others: Mapping[str, tuple[Intrinsics, Transform]] | None = None) -> None:
        super().__init__('fake_robot', context=context, namespace=NAMESPACE)
        self.room, self.pose, self._things = room, pose, things
        self.silent: set[str] = set()
        self.depth_stamp: Any = None
        self.calibrated, self.encoding, self.depth_frame = True, '16UC1', 'camera'
        self.ahead_s = 0.0
        self.speed_m = 0.1
        self.ranges, self.stamps_scans, self.scan_frame = [2.0] * 36, True, ''
        self._tf = TransformBroadcaster(self)
        self._static = StaticTransformBroadcaster(self)
        self._others = dict(others or {})
        self._static.sendTransform([
            self._transform('base_link', frame, mount) for frame, mount in (
                ('camera', base_T_CAMERA),
                *((f'{name}_frame', mount) for name, (_, mount) in self._others.items()))])
        self._of_others = {name: (
            self.create_publisher(Image, f'{name}/depth/image_raw', qos.IMAGES),
            self.create_publisher(CameraInfo, f'{name}/camera_info', qos.IMAGES))
            for name in self._others}
        self.stamps: dict[str, Any] = {}
        self.unmounted: set[str] = set()
        self._map = self.create_publisher(GridMessage, 'map', qos.STATE)
        self.costmap = self.create_publisher(GridMessage, 'global_costmap/costmap', qos.STATE)
        self.updates = self.create_publisher(
            OccupancyGridUpdate, 'global_costmap/costmap_updates', qos.EVENTS)
        self._depth = self.create_publisher(Image, 'camera/depth/image_raw', qos.IMAGES)
        self._camera = self.create_publisher(CameraInfo, 'camera/camera_info', qos.IMAGES)
        self._scan = self.create_publisher(LaserScan, 'scan', qos.IMAGES)
        self._seen: tuple[Pose2D, bytes] | None = None
        self.create_timer(_PERIOD_S, self._tell_pose)
        self.create_timer(0.1, self._tell_depth)
        self.create_timer(0.1, self._tell_others)
        self.create_timer(0.5, self._tell_costmap)
        self._map_told = False

    def go(self, goal: Pose2D) -> bool:
        """Move a step; returns whether the goal is reached."""
        left_m = self.pose.distance_to(goal.x, goal.y)
        if left_m <= self.speed_m:
            self.pose = goal
            return True
        share = self.speed_m / left_m
        self.pose = Pose2D(self.pose.x + (goal.x - self.pose.x) * share,
                           self.pose.y + (goal.y - self.pose.y) * share, self.pose.yaw)
        return False

    def face(self, yaw: float) -> bool:
        """Turn a step; returns whether the robot is turned."""
        left = math.remainder(yaw - self.pose.yaw, math.tau)
        step = max(-0.3, min(0.3, left))
        self.pose = Pose2D(self.pose.x, self.pose.y, self.pose.yaw + step)
        return step == left

    def grid_message(self, grid: OccupancyGrid) -> GridMessage:
        message = GridMessage()
        message.header.frame_id = 'map'
        message.header.stamp = self.get_clock().now().to_msg()
        message.info.resolution = grid.resolution_m
        message.info.height, message.info.width = grid.shape
        message.info.origin.position.x = grid.origin_x_m
        message.info.origin.position.y = grid.origin_y_m
        message.info.origin.orientation.w = 1.0
        message.data = grid.cells.ravel().tolist()
        return message

    def _tell_pose(self) -> None:
        if not self._map_told and 'map' not in self.silent:
            self._map_told = True
            self._map.publish(self.grid_message(self.room.map()))
            self._tell_costmap()
        if 'tf' not in self.silent:
            self._tf.sendTransform([
                self._transform('map', 'odom', Transform.identity()),
                self._transform('odom', 'base_link', Transform.from_pose(self.pose))])

    def _tell_costmap(self) -> None:
        if 'costmap' not in self.silent:
            self.costmap.publish(self.grid_message(self.room.costmap(0)))

    def _tell_depth(self) -> None:
        stamp = self.get_clock().now().to_msg()
        if 'camera' not in self.silent:
            info = _info(CAMERA) if self.calibrated else (
                CameraInfo(width=CAMERA.width_px, height=CAMERA.height_px))
            info.header.stamp, info.header.frame_id = stamp, 'camera'
            self._camera.publish(info)
        if 'scan' not in self.silent:
            scan = LaserScan(angle_min=-math.pi, angle_increment=math.tau / 36, range_min=0.1,
                             range_max=12.0, ranges=self.ranges)
            scan.header.frame_id = self.scan_frame
            if self.stamps_scans:
                scan.header.stamp = stamp
            self._scan.publish(scan)
        if 'depth' not in self.silent and self._depth.get_subscription_count() > 0:
            size = {'16UC1': 2, '32FC1': 4, 'rgb8': 3}[self.encoding]
            image = Image(height=CAMERA.height_px, width=CAMERA.width_px,
                          encoding=self.encoding, step=size * CAMERA.width_px)
            image.header.stamp, image.header.frame_id = stamp, self.depth_frame
            image.data = self._depth_bytes()
            self._depth.publish(image)
            self.depth_stamp = stamp

    def _tell_others(self) -> None:
        for name, (camera, mount) in self._others.items():
            depths, infos = self._of_others[name]
            if not depths.get_subscription_count():
                continue
            depth_mm = self.room.depth(
                Transform.from_pose(self.pose) @ mount, camera, self._things)
            image = Image(height=camera.height_px, width=camera.width_px, encoding='16UC1',
                          step=2 * camera.width_px, data=depth_mm.tobytes())
            info = _info(camera)
            for message in (image, info):
                message.header.frame_id = f'{name}_frame'
                message.header.stamp = self.get_clock().now().to_msg()
            if name in self.unmounted:
                info.header.frame_id = ''
            infos.publish(info)
            depths.publish(image)
            self.stamps[name] = image.header.stamp

    def _depth_bytes(self) -> bytes:
        if self._seen is None or self._seen[0] != self.pose:
            depth = self.room.depth(Transform.from_pose(self.pose) @ base_T_CAMERA, CAMERA,
                                    self._things)
            self._seen = (self.pose, depth.tobytes())
        return self._seen[1]

    def _transform(self, parent: str, child: str, transform: Transform) -> TransformStamped:
        message = TransformStamped(child_frame_id=child)
        message.header.frame_id = parent
        stamp = self.get_clock().now() + Duration(seconds=self.ahead_s)
        message.header.stamp = stamp.to_msg()
        t, r = message.transform.translation, message.transform.rotation
        t.x, t.y, t.z = transform.translation
        r.x, r.y, r.z, r.w = transform.rotation
        return message


def _info(camera: Intrinsics) -> CameraInfo:
    return CameraInfo(
        width=camera.width_px, height=camera.height_px,
        k=[camera.fx, 0.0, camera.cx, 0.0, camera.fy, camera.cy, 0.0, 0.0, 1.0])


def pose_of(message: PoseStamped) -> Pose2D:
    q = message.pose.orientation
    return Pose2D(message.pose.position.x, message.pose.position.y, 2 * math.atan2(q.z, q.w))


class Rig:
    """Nodes under test, the stand-ins, and a peer that plays all other nodes, in one executor.

    Attributes:
        documents: everything that the nodes under test published.
        statements: level and text of each statement on /diagnostics, by its name.
    """

    def __init__(self, context: Context, folder: Path) -> None:
        self.context = context
        self.folder = folder
        self.executor = make_executor(context)
        self.peer = Node('peer', context=context, namespace=NAMESPACE)
        self.executor.add_node(self.peer)
        self.documents: list[Document] = []
        self.statements: dict[str, tuple[int, str]] = {}
        self._nodes: list[Node] = [self.peer]
        self._publishers: dict[str, Any] = {}
        self._minted = 0
        self.peer.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics,
                                      qos.EVENTS)

    def add(self, node: Node) -> Any:
        self._nodes.append(node)
        self.executor.add_node(node)
        return node

    def make(self, kind: type[CoreNode], **parameters: Any) -> Any:
        """Return a node under test that is not configured yet."""
        values = {'journal_dir': str(self.folder), **parameters}
        return self.add(kind(context=self.context, namespace=NAMESPACE, parameter_overrides=[
            Parameter(name, value=value) for name, value in values.items()]))

    def start(self, kind: type[CoreNode], **parameters: Any) -> Any:
        """Return a node under test that is active."""
        node = self.make(kind, **parameters)
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        return node

    def listen(self, *schemas: str) -> None:
        """Collect what is published of these kinds."""
        for schema in schemas:
            self.peer.create_subscription(
                String, f'semantic_nav/{schema}',
                lambda message, schema=schema: self.documents.append(
                    decode_document(message.data, schema)), qos.OF_READER[schema])

    def publisher(self, topic: str) -> Any:
        """Return the peer's publisher once somebody listens to it."""
        if topic not in self._publishers:
            profile = qos.OF_DOCUMENT.get(topic, qos.EVENTS)
            self._publishers[topic] = self.peer.create_publisher(
                String, f'semantic_nav/{topic}', profile)
            self.until(lambda: self._publishers[topic].get_subscription_count() > 0)
        return self._publishers[topic]

    def say(self, body: Body, *, goal: str, cause: str = '', stamp: int | None = None,
            frame: str = 'map', id_: str | None = None) -> Document:
        self._minted += 1
        now = read_clocks(self.peer).clock_ns if stamp is None else stamp
        sent = Document(id_ or f'peer-s-{self._minted}', cause, goal, now, frame, body)
        self.publisher(sent.schema).publish(String(data=encode_document(sent)))
        return sent

    def words(self, topic: str, text: str) -> None:
        self.publisher(topic).publish(String(data=text))

    def until(self, condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
        end = time.monotonic() + patience_s
        while not condition():
            assert time.monotonic() < end, 'waited too long'
            self.executor.spin_once(timeout_sec=0.05)

    def spin(self, seconds: float) -> float:
        """Let time pass in which something must not happen; returns how much of it was rest.

        A rig that rests is silent, for a node that watches it as for all others.
        """
        now, rested_s = time.monotonic(), 0.0
        end = now + seconds
        while now < end:
            self.executor.spin_once(timeout_sec=0.05)
            before, now = now, time.monotonic()
            rested_s += max(0.0, now - before - _PERIOD_S)
        return rested_s

    def of(self, kind: type) -> list[Document]:
        return [one for one in self.documents if isinstance(one.body, kind)]

    def next(self, kind: type, suits: Callable[[Any], object] = lambda body: True) -> Document:
        """Return the first document of a kind that suits; it is taken out."""
        found: list[Document] = []

        def look_for() -> bool:
            found.extend(one for one in self.of(kind) if suits(one.body))
            return bool(found)

        self.until(look_for)
        self.documents.remove(found[0])
        return found[0]

    def statement(self, name: str, level: int, words: str = '') -> None:
        """Wait until the node says this on /diagnostics."""
        self.until(lambda: name in self.statements and self.statements[name][0] == level
                   and words in self.statements[name][1])

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for one in message.status:
            self.statements[one.name.removeprefix(f'{NAMESPACE}/')] = (one.level[0], one.message)

    def drop(self, node: Node) -> None:
        """End a node."""
        self._nodes.remove(node)
        drop(self.executor, node)

    def close(self) -> None:
        for node in self._nodes:
            if isinstance(node, CoreNode) and not node.ended:
                node.trigger_shutdown()
        shut_down(self.executor)
        for node in self._nodes:
            destroy(node)


@contextlib.contextmanager
def running(make: Callable[[Context, Path], R], domain: int, folder: Path) -> Iterator[R]:
    """Make a rig in a context of its own, and close both."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    made = make(context, folder)
    try:
        yield made
    finally:
        made.close()
        rclpy.shutdown(context=context)


@contextlib.contextmanager
def rig_of(context: Context, folder: Path) -> Iterator[Rig]:
    rig = Rig(context, folder)
    try:
        yield rig
    finally:
        rig.close()


def depth_stamp_of(robot: FakeRobot) -> int:
    return stamp_ns(robot.depth_stamp)
