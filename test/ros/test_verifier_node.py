"""The verifier node with real topics, TF and actions; Nav2 and the robot do as they are told."""

import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import (
    CAMERA,
    GOAL_ID,
    Block,
    Room,
    act_request,
    base_T_CAMERA,
    box_of,
    candidate,
    candidates,
    canonical,
    look_request,
    meta,
)
from fake_nav2 import (
    NAMESPACE,
    PATIENT,
    FakeNav2,
    FakeRobot,
    Rig,
    depth_stamp_of,
    pose_of,
    running,
    words_of,
)
from full_disk import full_disk
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn
from std_srvs.srv import Empty
from visualization_msgs.msg import MarkerArray

from semantic_nav.cli.replay import replay
from semantic_nav.contracts.documents import (
    Document,
    Hypothesis,
    Look,
    Observation,
    RobotPose,
    Step,
    ToolQuery,
    ToolReply,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import NavigationGoal
from semantic_nav.contracts.journal import JournalWriter, read_lines
from semantic_nav.contracts.vocabulary import ActOutcome, Code, QueryTool, Source, StepKind
from semantic_nav.journal.files import audit
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.verifier import VerifierNode
from semantic_nav.verify.effects import ClearCostmaps, StopNav
from semantic_nav.verify.floor.scan_agreement import PLACES
from semantic_nav.verify.floor.surroundings import Surroundings

OK, WARN, ERROR = 0, 1, 2
TABLE = Block((4.0, 4.8), (2.6, 3.4), (0.0, 0.75))
MUG = Block((4.2, 4.3), (2.95, 3.05), (0.75, 0.87))
START = Pose2D(2.0, 3.0, 0.0)
BOX = box_of(Transform.from_pose(START) @ base_T_CAMERA, CAMERA, MUG)
APPROACH = canonical('approach', seen='visible', target_box=BOX)


class Bench(Rig):
    """The verifier, a robot before a table with a mug, and Nav2."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(blocks=[TABLE]), START, (MUG,)))
        self.nav2 = self.add(FakeNav2(self.robot, context))
        self.listen('observation', 'verdict', 'pose')
        self.node: Any = None

    def up(self, **parameters: Any) -> Any:
        """Start the verifier and wait until it knows all that it needs."""
        self.node = self.start(VerifierNode, **{**PATIENT, **parameters})
        self.ready()
        return self.node

    def ready(self) -> None:
        self.until(lambda: self.known.map is not None and self.node._grids.costmap_came
                   and self.node._navigation.state()[1] == 'ready')

    @property
    def known(self) -> Surroundings:
        """What the core knows of the robot's surroundings."""
        return self.node.core._surroundings

    def begin(self, goal: str = GOAL_ID) -> None:
        """Open a goal, and wait until depth flows and the robot is known to stand."""
        self.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=goal)
        before = self.robot.depth_stamp
        self.until(lambda: self.robot.depth_stamp is not None
                   and self.robot.depth_stamp != before)
        self.until(lambda: self.known.costmap is not None and self.known.robot.pose is not None)
        self.until(lambda: self.node.core._driver._halt.stands)

    def look(self, proposal: Any, goal: str = GOAL_ID, blind: str = ''
             ) -> tuple[Document, Observation]:
        """Look at what the camera sees now; returns hypothesis and observation.

        Where the rig rests, depth or transforms of a picture are lost, or late: then it looks
        again, until the verifier sees, or is blind for a reason with these words.
        """
        while True:
            sent, observation = self._look(proposal, goal)
            if blind in observation.ungrounded_reason if blind else observation.pose is not None:
                return sent, observation

    def _look(self, proposal: Any, goal: str) -> tuple[Document, Observation]:
        before = self.robot.depth_stamp
        self.until(lambda: self.robot.depth_stamp != before)
        look = self.say(Look(True, '', CAMERA.width_px, CAMERA.height_px), goal=goal,
                        stamp=depth_stamp_of(self.robot), frame='camera')
        sent = self.say(Hypothesis('belief-s-1', Source.MODEL, proposal, meta()), goal=goal,
                        cause=look.id, stamp=look.stamp_ns)
        observed = self.next(Observation)
        assert observed.cause_id == sent.id
        return sent, observed.body

    def act(self, hypothesis: Document, goal: str = GOAL_ID, **fields: Any) -> Document:
        return self.say(Step(StepKind.ACT, 'find the mug',
                             act=act_request(hypothesis.id, **fields)), goal=goal)

    def stop(self, goal: str = GOAL_ID) -> None:
        self.say(Step(StepKind.STOP, 'find the mug', reason='enough'), goal=goal)

    def approach(self, goal: str = GOAL_ID, **fields: Any) -> Document:
        """See the mug and act; returns the step."""
        hypothesis, observation = self.look(APPROACH, goal)
        assert observation.track is not None, observation
        return self.act(hypothesis, goal, **fields)

    def writer(self) -> JournalWriter:
        return self.node._journal._writer

    def decided(self) -> Any:
        return self.next(Verdict, lambda verdict: verdict.decision is not None).body.decision

    def hanging_drive(self) -> Any:
        """Return the decision of a drive that Nav2 has taken and does not end."""
        self.nav2.drive = 'hang'
        self.approach()
        decision = self.decided()
        self.until(lambda: self.nav2.sent)
        return decision

    def resulted(self) -> Any:
        return self.next(Verdict, lambda verdict: verdict.result is not None).body.result


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


# The straight way

def test_approach_from_the_look_to_the_arrival(bench: Bench, tmp_path: Path) -> None:
    shown: list[PoseStamped] = []
    markers: list[MarkerArray] = []
    bench.peer.create_subscription(PoseStamped, 'semantic_nav/verified_goal', shown.append,
                                   qos.DISPLAY)
    bench.peer.create_subscription(MarkerArray, 'semantic_nav/markers/verifier', markers.append,
                                   qos.STATE)
    bench.up(journal_blobs=True)
    bench.begin()
    step = bench.approach()
    decision = bench.decided()
    assert decision.code is Code.OK
    result = bench.resulted()
    assert result.outcome.value == 'arrived' and result.nav_status == 'succeeded'
    uuid, goal = bench.nav2.sent[0]
    assert uuid == decision.nav_goal_id
    assert goal.distance_to(decision.goal.x, decision.goal.y) < 1e-6
    assert bench.nav2.asked[0].distance_to(goal.x, goal.y) < 1e-6
    assert 0.55 <= bench.robot.pose.distance_to(4.2, 3.0) <= 0.95
    assert abs(bench.robot.pose.bearing_to(4.2, 3.0)) < 0.2
    bench.until(lambda: shown and markers)
    assert pose_of(shown[0]).distance_to(goal.x, goal.y) < 1e-6
    assert any(marker.text == 'target' for marker in markers[-1].markers)
    assert bench.of(RobotPose), 'the pose is told'
    assert step.goal_id == GOAL_ID
    (journal,) = tmp_path.glob('*/verifier.jsonl')
    audited = audit(journal)
    assert audited.sent >= 1 and not audited.unvetted
    assert all(step is None for step in replay(journal, 'verifier', tmp_path / 'blobs'))


def test_poses_of_a_robot_that_rests_are_in_no_journal(bench: Bench, tmp_path: Path) -> None:
    """And a mission that follows can be replayed all the same."""
    bench.up(journal_blobs=True)
    bench.until(lambda: bench.node.core._driver._halt.stands)
    assert bench.node._watched.pose_kept_back_s > 0
    (journal,) = tmp_path.glob('*/verifier.jsonl')

    def written() -> int:
        return sum(line['event']['type'] == 'PoseResolved' for line in read_lines(journal)
                   if 'event' in line)

    before = written()
    for _ in range(3):
        resolved_at = bench.node._resolved_at
        bench.until(lambda at=resolved_at: bench.node._resolved_at > at)
    assert written() == before
    bench.robot.pose = Pose2D(START.x - 0.3, START.y, START.yaw)
    bench.until(lambda: written() > before)
    bench.robot.pose = START
    bench.begin()
    bench.approach()
    assert bench.decided().code is Code.OK
    assert bench.resulted().outcome.value == 'arrived'
    assert all(step is None for step in replay(journal, 'verifier', tmp_path / 'blobs'))


def test_turn_goes_to_the_spin_action(bench: Bench) -> None:
    bench.up()
    bench.begin()
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    decision = bench.decided()
    assert bench.resulted().outcome.value == 'arrived'
    ((uuid, angle),) = bench.nav2.sent
    assert uuid == decision.nav_goal_id and angle == pytest.approx(1.0)
    assert bench.robot.pose.yaw == pytest.approx(1.0)


def test_pose_that_is_refused_is_not_shown_as_verified(bench: Bench) -> None:
    shown: list[PoseStamped] = []
    bench.peer.create_subscription(PoseStamped, 'semantic_nav/verified_goal', shown.append,
                                   qos.DISPLAY)
    bench.up()
    bench.begin()
    outside = canonical('approach', seen='visible',
                        navigation_goal=NavigationGoal('map', 50.0, 3.0, 0.0))
    hypothesis, _ = bench.look(outside)
    bench.act(hypothesis)
    refused = bench.decided()
    assert refused.code is Code.NOT_GROUNDED and refused.goal is not None
    bench.spin(0.3)
    assert shown == []


def test_depth_is_listened_to_only_while_a_goal_is_open(bench: Bench) -> None:
    depth = bench.robot._depth
    node = bench.up()
    bench.statement('verifier: proof', OK)
    bench.until(lambda: depth.get_subscription_count() == 0)
    bench.begin()
    node.trigger_deactivate()
    bench.until(lambda: depth.get_subscription_count() == 0)


def test_look_is_tried_after_the_start_and_what_is_wrong_is_told(bench: Bench) -> None:
    robot = bench.robot
    robot.silent |= {'camera'}
    robot.calibrated, robot.depth_frame = False, 'depth_of_another'
    bench.node = bench.start(VerifierNode, **PATIENT)
    bench.statement('verifier: proof', WARN, 'nothing has come on /robot/camera/camera_info')
    robot.silent.clear()
    bench.statement('verifier: proof', WARN, "in the frame 'depth_of_another'")
    robot.depth_frame = 'camera'
    bench.statement('verifier: proof', WARN, 'the camera is not calibrated')
    robot.calibrated = True
    bench.statement('verifier: proof', OK, 'fits together')
    assert bench.node.core._surroundings.sensors == {}, 'nothing of it reaches the core'


def test_who_asks_where_it_could_drive_is_answered_without_nav2(bench: Bench) -> None:
    bench.listen('reply')
    bench.up()
    bench.begin()
    for x, y, code in ((2.0, 4.5, Code.OK), (4.4, 3.0, Code.COLLISION_DETECTED)):
        asked = bench.say(ToolQuery(QueryTool.CHECK_REACHABLE, {'x': x, 'y': y}, 5.0),
                          goal=GOAL_ID)
        answer = bench.next(ToolReply)
        assert answer.cause_id == asked.id and answer.body.reach.code is code
    assert bench.nav2.asked == [] and bench.nav2.sent == []


@pytest.mark.parametrize('encoding', ['16UC1', '32FC1'])
def test_depth_comes_in_millimetres_or_metres(bench: Bench, encoding: str) -> None:
    millimetres = bench.robot._depth_bytes
    if encoding == '32FC1':
        def metres() -> bytes:
            depth = np.frombuffer(millimetres(), np.uint16).astype(np.float32) / 1000
            depth[:200] = math.nan
            depth[200:300] = math.inf
            depth[300:400] = -1.0
            return depth.tobytes()

        bench.robot._depth_bytes = metres
    bench.robot.encoding = encoding
    bench.up()
    bench.begin()
    _, observation = bench.look(APPROACH)
    assert observation.track is not None, observation.ungrounded_reason
    np.testing.assert_allclose(observation.track.position, (4.2, 3.0, 0.81), atol=0.06)


# What is missing

def test_what_is_waited_for_is_told_and_acts_are_refused(bench: Bench) -> None:
    bench.robot.silent |= {'map', 'costmap', 'tf'}
    bench.nav2.vanish()
    bench.node = bench.start(VerifierNode, **PATIENT)
    bench.statement('verifier: map', WARN, 'waiting for /robot/map')
    bench.statement('verifier: costmap', WARN, 'waiting for /robot/global_costmap/costmap')
    bench.statement('verifier: pose', WARN, 'waiting for TF map -> base_link')
    bench.statement('verifier: nav2', WARN, 'compute_path_to_pose, navigate_to_pose, spin')
    bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=GOAL_ID)
    hypothesis = bench.say(
        Hypothesis('belief-s-1', Source.MODEL, canonical('explore'), meta()), goal=GOAL_ID,
        cause='look-never-taken')
    assert 'not held' in bench.next(Observation).body.ungrounded_reason
    for part, code in (('tf', Code.POSE_UNAVAILABLE), ('map', Code.MAP_UNAVAILABLE),
                       ('costmap', Code.MAP_UNAVAILABLE)):
        bench.act(hypothesis)
        assert bench.decided().code is code
        bench.robot.silent.discard(part)
        name = 'pose' if part == 'tf' else part
        bench.statement(f'verifier: {name}', OK)
    bench.nav2.appear()
    bench.statement('verifier: nav2', OK, 'ready')
    bench.until(lambda: bench.node.core._driver._halt.stands)
    bench.act(hypothesis)
    assert bench.decided().code is Code.OK


def test_costmap_that_comes_no_more_is_told(bench: Bench) -> None:
    bench.up(costmap_max_age_s=1.0)
    bench.statement('verifier: costmap', OK, 'received')
    bench.robot.silent.add('costmap')
    bench.statement('verifier: costmap', WARN, 'older than 1 s: ')
    bench.statement('verifier: costmap', WARN,
                    'publishes /robot/global_costmap/costmap, and nothing arrives: see whether')
    bench.robot.silent.discard('costmap')
    bench.statement('verifier: costmap', OK, 'received')


def test_server_that_rejects_goals_is_told_until_it_takes_one(bench: Bench) -> None:
    bench.up()
    bench.begin()
    for mood, level in (('reject', WARN), ('succeed', OK)):
        bench.nav2.path = mood
        bench.approach()
        bench.decided()
        bench.statement('verifier: nav2', level,
                        'compute_path_to_pose rejected' if level == WARN else 'ready')


def test_localisation_that_is_silent_while_the_robot_stands_is_asked_for_an_update(
        bench: Bench) -> None:
    """AMCL publishes with each update of its filter, so it says nothing where nothing moves."""
    localisation = bench.peer.create_publisher(PoseWithCovarianceStamped, 'amcl_pose', qos.STATE)
    updates: list[Empty.Request] = []
    bench.peer.create_service(Empty, 'request_nomotion_update',
                              lambda request, answer: (updates.append(request), answer)[1])

    def tell(variance: float) -> None:
        told = PoseWithCovarianceStamped()
        told.pose.covariance[0] = told.pose.covariance[7] = told.pose.covariance[35] = variance
        localisation.publish(told)

    tell(16.0)
    bench.up(localisation_topic='amcl_pose')
    bench.statement('verifier: localisation', OK, 'known')
    bench.begin()
    bench.approach()
    decision = bench.decided()
    assert decision.code is Code.POSE_UNAVAILABLE and 'uncertain by 4.00 m' in decision.reason
    bench.until(lambda: len(updates) >= 2)
    tell(0.04)
    bench.until(lambda: bench.node.core._surroundings.uncertainty.position_m == 0.2)
    bench.approach()
    assert bench.decided().code is Code.OK


def test_robot_whose_scans_contradict_the_map_is_not_driven(bench: Bench, tmp_path: Path) -> None:
    updates: list[Empty.Request] = []
    bench.peer.create_service(Empty, 'request_nomotion_update',
                              lambda request, answer: (updates.append(request), answer)[1])
    # Through the walls of the room, and out of the map.
    bench.robot.ranges, bench.robot.scan_frame = [4.5] * 36, 'base_link'
    bench.up(journal_blobs=True)
    bench.begin()
    for place in range(PLACES):
        bench.robot.pose = Pose2D(START.x, START.y - 0.32 * place, 0.0)
        bench.until(lambda place=place: len(bench.known.agreement.scans) > place)
    bench.statement('verifier: scan on map', WARN, '2D Pose Estimate')
    bench.act(bench.look(APPROACH, blind='contradict the map')[0])
    decision = bench.decided()
    assert decision.code is Code.POSE_UNAVAILABLE and 'contradict the map' in decision.reason
    bench.until(lambda: updates)
    # The robot is put where it believed to be, and has not moved for all that is known.
    bench.robot.ranges = [1.0] * 36
    bench.statement('verifier: scan on map', OK, 'do not contradict')
    (journal,) = tmp_path.glob('*/verifier.jsonl')
    assert sum(line['event']['type'] == 'ScanTaken' for line in read_lines(journal)
               if 'event' in line) >= PLACES
    assert all(step is None for step in replay(journal, 'verifier', tmp_path / 'blobs'))


@pytest.mark.parametrize(('frame', 'parameters'), [
    ('', {}), ('nowhere', {}), ('base_link', {'map_is_live': True}),
    ('base_link', {'scan_topic': ''})], ids=['no frame', 'no TF', 'live map', 'no scanner'])
def test_scans_that_cannot_be_compared_say_nothing(bench: Bench, frame: str,
                                                   parameters: dict[str, Any]) -> None:
    bench.robot.ranges, bench.robot.scan_frame = [4.5] * 36, frame
    bench.up(**parameters)
    bench.begin()
    bench.approach()
    assert bench.decided().code is Code.OK
    assert bench.known.agreement.scans == ()


def test_look_without_depth_is_observed_blind(bench: Bench) -> None:
    bench.robot.silent.add('depth')
    bench.up(freeze_wait_s=0.3)
    bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=GOAL_ID)
    look = bench.say(Look(True, '', 160, 120), goal=GOAL_ID, frame='camera')
    bench.say(Hypothesis('belief-s-1', Source.MODEL, APPROACH, meta()), goal=GOAL_ID,
              cause=look.id)
    observation = bench.next(Observation).body
    assert observation.pose is None and 'no depth picture' in observation.ungrounded_reason


def test_uncalibrated_camera_is_observed_blind(bench: Bench) -> None:
    bench.robot.calibrated = False
    bench.up(freeze_wait_s=0.3)
    bench.begin()
    _, observation = bench.look(APPROACH, blind='calibrat')
    assert observation.track is None


def test_colours_where_depth_is_expected_are_observed_blind(bench: Bench) -> None:
    bench.robot.encoding = 'rgb8'
    bench.robot._depth_bytes = lambda: bytes(3 * CAMERA.width_px * CAMERA.height_px)
    bench.up(freeze_wait_s=0.3)
    bench.begin()
    _, observation = bench.look(APPROACH, blind="'rgb8'")
    assert observation.track is None
    assert '/robot/camera/depth/image_raw' in observation.ungrounded_reason


def test_transforms_from_before_a_jump_of_the_clock_are_forgotten(
        bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    """They are newer than all that comes, which tf2 would drop as too old."""
    bench.up()
    bench.begin()
    bench.robot.ahead_s = 100.0
    # First as a jump of its own clock, then, as it stays, as that of the base.
    bench.statement('verifier: pose', WARN, 'ahead of')
    bench.spin(1.0)
    bench.robot.ahead_s = 0.0
    bench.statement('verifier: pose', OK)
    _, observation = bench.look(APPROACH)
    assert observation.track is not None, observation.ungrounded_reason
    assert capfd.readouterr().err.count('ahead of the clock') == 1, 'told once'


# Nav2 in its moods

def test_planner_in_every_mood(bench: Bench) -> None:
    bench.up()
    for mood, code, words in (
            ('reject', Code.NAV_UNAVAILABLE, 'rejected'), ('abort', Code.PATH_INVALID, 'code 208'),
            ('beside', Code.PATH_INVALID, '0.60 m beside'),
            ('vanish', Code.NAV_UNAVAILABLE, 'the planner is not there')):
        goal = f'goal-{mood}'
        bench.begin(goal)
        if mood == 'vanish':
            bench.nav2.vanish()
            bench.until(lambda: 'compute_path_to_pose, navigate_to_pose, spin' in
                        bench.node._navigation.state()[1])
        else:
            bench.nav2.path = mood
        bench.approach(goal)
        decision = bench.decided()
        assert decision.code is code and words in decision.reason
    bench.spin(0.3)
    assert bench.nav2.sent == []


def test_planner_that_does_not_answer_in_time(bench: Bench) -> None:
    bench.up(path_timeout_s=0.5)
    bench.begin()
    bench.nav2.path = 'hang'
    bench.approach()
    decision = bench.decided()
    assert decision.code is Code.NAV_UNAVAILABLE and 'path_timeout_s' in decision.reason
    bench.until(lambda: len(bench.nav2.cancelled) == 1)


def test_navigator_in_every_bad_mood(bench: Bench) -> None:
    bench.up()
    bench.nav2.code = 105
    for mood, outcome, words in (
            ('reject', 'unavailable', 'rejected'), ('abort', 'aborted', '(code 105)'),
            ('vanish', 'unavailable', 'went away')):
        goal = f'goal-{mood}'
        bench.begin(goal)
        bench.nav2.drive = 'hang' if mood == 'vanish' else mood
        bench.approach(goal)
        decision = bench.decided()
        assert decision.code is Code.OK
        if mood == 'vanish':
            bench.until(lambda uuid=decision.nav_goal_id: bench.nav2.sent[-1][0] == uuid)
            bench.nav2.vanish()
        result = bench.resulted()
        assert result.outcome.value == outcome and words in result.reason


def test_server_of_nav2_that_died_or_is_inactive_is_named(bench: Bench) -> None:
    bench.up()
    for what, mood, server, state, words in (
            ('path', 'reject', 'planner_server', 'inactive', 'planner_server is inactive'),
            ('drive', 'reject', 'bt_navigator', 'inactive', 'bt_navigator is inactive'),
            ('drive', 'abort', 'controller_server', '', 'controller_server does not answer')):
        goal = f'goal-{what}-{mood}'
        bench.begin(goal)
        setattr(bench.nav2, what, mood)
        bench.nav2.states[server] = state
        bench.approach(goal)
        decision = bench.decided()
        told = decision if what == 'path' else bench.resulted()
        assert words in told.reason
        bench.statement('verifier: nav2', WARN, words)
        setattr(bench.nav2, what, 'succeed')
        bench.nav2.states[server] = 'active'
        bench.until(lambda: not bench.node._navigation._servers.fault)


def test_goal_that_nobody_answers_is_lost_and_taken_back_when_it_is_accepted(
        bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.nav2.drive, bench.nav2.states['bt_navigator'] = 'mute', ''
    bench.approach()
    lost = bench.decided().nav_goal_id
    result = bench.resulted()
    assert result.outcome.value == 'unavailable' and result.nav_status.value == 'lost'
    assert 'navigate_to_pose (bt_navigator) did not answer within 3 s' in result.reason
    assert 'bt_navigator does not answer' in result.reason
    bench.nav2.drive = 'hang'
    bench.nav2.speaks.set_result(None)
    bench.until(lambda: lost in bench.nav2.cancelled)


def test_robot_that_drives_on_after_the_abort_is_stopped(bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.nav2.drive, bench.nav2.code = 'runaway', 0
    bench.approach()
    assert bench.decided().code is Code.OK
    result = bench.resulted()
    assert result.outcome.value == 'aborted' and '(code 0)' in result.reason
    assert bench.nav2.follows is None
    here = bench.robot.pose
    bench.nav2.drive = 'succeed'
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    assert bench.robot.pose == here
    bench.act(hypothesis)
    assert bench.decided().code is Code.OK
    assert bench.resulted().outcome.value == 'arrived'


def test_navigator_that_says_no_more_is_dead_and_what_it_drives_is_stopped(bench: Bench) -> None:
    bench.up(stuck_s=600.0)
    bench.begin()
    bench.nav2.drive, bench.nav2.tells = 'dead', 5
    bench.approach()
    assert bench.decided().code is Code.OK
    result = bench.resulted()
    assert (result.outcome.value, result.nav_status.value) == ('unavailable', 'lost')
    assert bench.nav2.tells == 0 and bench.nav2.follows is None


def test_cancel_that_nobody_answers_goes_to_the_follower_too(bench: Bench) -> None:
    bench.up(cancel_max_s=60.0)
    bench.begin()
    bench.nav2.drive, bench.nav2.tells = 'dead', 100_000
    bench.approach()
    bench.decided()
    bench.until(lambda: bench.nav2.follows is not None)
    bench.stop()
    bench.until(lambda: bench.nav2.follows is None)


def test_robot_that_got_stuck_clears_the_costmaps_and_backs_off(
        bench: Bench, tmp_path: Path) -> None:
    bench.up()
    bench.begin()
    bench.nav2.drive, bench.nav2.code = 'stall', 105
    bench.approach()
    assert bench.decided().code is Code.OK
    decision = bench.decided()
    assert decision.code is Code.OK and decision.back_up_m
    bench.until(lambda: bench.nav2.sent[-1] == (decision.nav_goal_id, decision.back_up_m))
    assert sorted(bench.nav2.cleared) == ['global', 'local']
    stuck = bench.robot.pose
    result = bench.resulted()
    assert result.outcome.value == 'aborted' and result.nav_code == 105
    assert bench.robot.pose.x == pytest.approx(stuck.x - decision.back_up_m, abs=0.02)
    bench.drop(bench.node)
    (journal,) = tmp_path.glob('*/verifier.jsonl')
    received = [goal_id for goal_id, _ in bench.nav2.sent]
    assert (len(received), audit(journal, received).unvetted) == (2, ())


def test_costmaps_are_cleared_as_the_effect_says(bench: Bench) -> None:
    bench.up()
    bench.node._navigation.clear(ClearCostmaps())
    bench.until(lambda: len(bench.nav2.cleared) == 2)
    assert sorted(bench.nav2.cleared) == ['global', 'local']
    bench.nav2.cleared.clear()
    # A request to the other one, sent with the first, would be there before the third.
    for number in range(3):
        bench.node._navigation.clear(ClearCostmaps(local=False))
        bench.until(lambda number=number: bench.nav2.cleared.count('global') > number)
    assert set(bench.nav2.cleared) == {'global'}


def test_stop_cancels_the_way_back(bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.nav2.drive, bench.nav2.back, bench.nav2.code = 'stall', 'hang', 105
    bench.approach()
    bench.decided()
    back = bench.decided().nav_goal_id
    bench.until(lambda: bench.nav2.sent[-1][0] == back)
    bench.stop()
    assert bench.resulted().outcome.value == 'cancelled'
    assert back in bench.nav2.cancelled


def test_server_that_vanished_before_the_goal_was_sent(bench: Bench) -> None:
    bench.up()
    bench.begin()
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.nav2.vanish()
    bench.until(lambda: 'compute_path_to_pose, navigate_to_pose, spin' in
                bench.node._navigation.state()[1])
    bench.act(hypothesis)
    assert bench.decided().code is Code.OK
    result = bench.resulted()
    assert result.outcome.value == 'unavailable' and 'not there' in result.reason


def test_stop_cancels_the_goal_that_was_announced(bench: Bench) -> None:
    bench.up()
    bench.begin()
    decision = bench.hanging_drive()
    bench.stop()
    assert bench.resulted().outcome.value == 'cancelled'
    assert bench.nav2.cancelled == [decision.nav_goal_id]


def test_stop_right_after_the_announcement_still_cancels(bench: Bench) -> None:
    """The goal may not have been accepted yet."""
    bench.up()
    bench.begin()
    bench.nav2.turn = 'hang'
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    bench.stop()
    decision = bench.decided()
    assert bench.resulted().outcome.value == 'cancelled'
    assert set(bench.nav2.cancelled) == {decision.nav_goal_id}


def test_drive_that_takes_too_long_is_cancelled(bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.nav2.drive = 'hang'
    bench.approach(drive_budget_s=1.0)
    decision = bench.decided()
    result = bench.resulted()
    assert result.outcome.value == 'cancelled' and '1 s' in result.reason
    assert bench.nav2.cancelled == [decision.nav_goal_id]


def test_cancel_that_nav2_refuses_is_repeated_by_the_next_stop(bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.nav2.drive = 'deaf'
    bench.approach()
    bench.decided()
    bench.until(lambda: bench.nav2.sent)
    bench.stop()
    bench.until(lambda: len(bench.nav2.cancelled) == 1)
    bench.nav2.drive = 'hang'
    bench.stop()
    assert bench.resulted().outcome.value == 'cancelled'


# The journal

def test_disk_that_is_full_starts_no_drive_and_room_again_lets_it_start(
        bench: Bench, tmp_path: Path) -> None:
    bench.up()
    with full_disk(bench.writer()):
        bench.begin('goal-full')
        hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0), 'goal-full')
        bench.act(hypothesis, 'goal-full')
        assert bench.decided().code is Code.OK
        result = bench.resulted()
        assert result.outcome.value == 'unavailable' and 'No space left' in result.reason
        assert 'navigator' not in result.reason, 'it never heard of the goal'
        bench.statement('verifier: journal', ERROR, 'No space left')
        assert bench.nav2.sent == []
    bench.begin('goal-room-again')
    bench.approach('goal-room-again')
    assert bench.decided().code is Code.OK
    assert bench.resulted().outcome.value == 'arrived'
    bench.statement('verifier: journal', WARN, 'records missing')
    (journal,) = tmp_path.glob('*/verifier.jsonl')
    audited = audit(journal, [uuid for uuid, _ in bench.nav2.sent])
    assert audited.missing > 0 and (audited.sent, audited.unvetted) == (1, ())


def test_disk_that_fills_up_on_the_way_lets_the_drive_be_cancelled(bench: Bench) -> None:
    bench.up()
    bench.begin()
    decision = bench.hanging_drive()
    with full_disk(bench.writer()):
        bench.stop()
        assert bench.resulted().outcome.value == 'cancelled'
        assert bench.node.trigger_shutdown() == TransitionCallbackReturn.SUCCESS
    assert bench.nav2.cancelled == [decision.nav_goal_id]


def test_who_wants_no_journal_drives_without(bench: Bench) -> None:
    bench.up(journal=False)
    bench.begin()
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    assert bench.decided().code is Code.OK
    assert bench.resulted().outcome.value == 'arrived'
    assert 'verifier: journal' not in bench.statements


def test_goal_that_nav2_never_answers_is_forgotten(bench: Bench) -> None:
    node = bench.up(cancel_max_s=0.2)
    bench.begin()
    bench.nav2.turn = 'mute'
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    decision = bench.decided()
    bench.stop()
    assert bench.resulted().outcome.value == 'cancelled'
    bench.until(node.settled)
    bench.nav2.turn = 'hang'
    bench.nav2.speaks.set_result(None)
    bench.until(lambda: bench.nav2.cancelled == [decision.nav_goal_id])


def test_goal_that_nav2_never_ends_is_forgotten(bench: Bench) -> None:
    node = bench.up(cancel_max_s=0.2)
    bench.begin()
    bench.nav2.turn = 'deaf'
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    assert bench.decided().code is Code.OK
    bench.until(lambda: bench.nav2.sent)
    bench.stop()
    assert bench.resulted().outcome.value == 'cancelled'
    bench.until(node.settled)


def test_nothing_pends_where_nobody_is_told_to_stop(bench: Bench) -> None:
    node = bench.up()
    bench.drop(bench.nav2)
    bench.until(lambda: not any(client.service_is_ready() for client in node.clients))
    node._navigation.stop(StopNav())
    assert not any(client._pending_requests for client in node.clients)


# The costmap

def test_update_of_the_costmap_closes_a_way(bench: Bench) -> None:
    bench.robot.silent.add('costmap')
    bench.robot._tell_costmap()
    bench.robot.costmap.publish(bench.robot.grid_message(bench.robot.room.costmap(0)))
    bench.up()
    bench.begin()
    hypothesis, _ = bench.look(canonical('goto_node', node_id='n'))
    bench.say(candidates(candidate('n', Pose2D(6.5, 1.5, 0.0))), goal=GOAL_ID)
    update = OccupancyGridUpdate(x=60, y=0, width=6, height=120, data=[100] * 720)
    update.header.stamp = bench.peer.get_clock().now().to_msg()
    update.header.frame_id = 'map'
    bench.until(lambda: bench.robot.updates.get_subscription_count() > 0)
    bench.robot.updates.publish(update)
    bench.until(lambda: bench.known.costmap.cells[60, 62] == 100)
    bench.act(hypothesis)
    assert bench.decided().code is Code.UNREACHABLE


def spoilt_grids(robot: FakeRobot) -> dict[str, GridMessage]:
    """Return grids that no honest publisher sends."""
    def spoilt(**changes: Any) -> GridMessage:
        message = robot.grid_message(robot.room.costmap(0))
        for name, value in changes.items():
            if name == 'data':
                message.data = value
            elif name == 'turn':
                message.info.origin.orientation.z = value
            elif name == 'frame':
                message.header.frame_id = value
            elif name == 'x':
                message.info.origin.position.x = value
            else:
                setattr(message.info, name, value)
        return message

    return {'no resolution': spoilt(resolution=0.0), 'less than none': spoilt(resolution=-1.0),
            'no number': spoilt(resolution=math.nan), 'too short': spoilt(data=[0] * 7),
            'empty': spoilt(width=0, height=0, data=[]), 'elsewhere': spoilt(frame='odom'),
            'nowhere': spoilt(frame=''), 'beyond all numbers': spoilt(x=1e308),
            'no place': spoilt(x=math.nan), 'dust': spoilt(resolution=1e-6),
            'turned by nothing': spoilt(turn=math.nan), 'turned': spoilt(turn=0.5)}


def test_spoilt_grids_are_told_and_end_nothing(bench: Bench) -> None:
    bench.up()
    bench.robot.silent.add('costmap')
    publishers = {'map': bench.robot._map, 'costmap': bench.robot.costmap}
    for topic, publisher in publishers.items():
        for message in spoilt_grids(bench.robot).values():
            bench.node._grids.spoilt.clear()
            publisher.publish(message)
            bench.until(lambda topic=topic: topic in bench.node._grids.spoilt)
    for topic in publishers:
        bench.statement(f'verifier: {topic}', ERROR, 'its origin is turned')
    bench.robot.silent.discard('costmap')
    bench.robot._map.publish(bench.robot.grid_message(bench.robot.room.map()))
    for topic in publishers:
        bench.statement(f'verifier: {topic}', OK)
    bench.begin()
    bench.approach()
    assert bench.decided().code is Code.OK


def test_update_in_another_frame_is_told_and_refused(bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.robot.silent.add('costmap')

    def say(frame: str, cost: int) -> None:
        update = OccupancyGridUpdate(x=60, y=60, width=1, height=1, data=[cost])
        update.header.stamp = bench.peer.get_clock().now().to_msg()
        update.header.frame_id = frame
        bench.robot.updates.publish(update)

    bench.until(lambda: bench.robot.updates.get_subscription_count() > 0)
    for frame in ('odom', ''):
        say(frame, 55)
        bench.statement('verifier: costmap', ERROR, f"the frame {frame!r}, but map_frame is 'map'")
        assert bench.known.costmap.cells[60, 60] != 55
    say('/map', 77)
    bench.until(lambda: bench.known.costmap.cells[60, 60] == 77)
    bench.statement('verifier: costmap', OK)


def test_spoilt_update_is_dropped(bench: Bench) -> None:
    bench.up()
    bench.begin()
    bench.until(lambda: bench.robot.updates.get_subscription_count() > 0)
    for update in (OccupancyGridUpdate(x=0, y=0, width=5, height=5, data=[0] * 7),
                   OccupancyGridUpdate(x=155, y=0, width=9, height=1, data=[0] * 9),
                   OccupancyGridUpdate(x=-1, y=0, width=1, height=1, data=[0])):
        update.header.frame_id = 'map'
        bench.robot.updates.publish(update)
    bench.approach()
    assert bench.decided().code is Code.OK


def test_garbage_on_every_topic_is_dropped(bench: Bench) -> None:
    bench.up()
    for topic in VerifierNode.reads:
        for text in ('', '{', '[' * 100_000, 'x' * 300_000, '{"a": NaN}', '{"schema": "step"}'):
            bench.words(topic, text)
    bench.begin()
    bench.approach()
    assert bench.decided().code is Code.OK


# Lifecycle

def test_step_while_inactive_drives_nothing(bench: Bench) -> None:
    node = bench.up()
    bench.begin()
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    bench.documents.clear()
    bench.act(hypothesis)
    bench.spin(0.5)
    assert bench.nav2.sent == [] and bench.of(Verdict) == []
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    bench.until(lambda: bench.publisher('step').get_subscription_count() > 0)
    bench.spin(0.3)
    assert bench.nav2.sent == [], 'what was said before does not count'


def test_deactivation_cancels_the_drive(bench: Bench) -> None:
    node = bench.up()
    bench.begin()
    decision = bench.hanging_drive()
    assert not node.settled()
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    bench.until(lambda: bench.nav2.cancelled == [decision.nav_goal_id])
    bench.until(node.settled)
    bench.statement('verifier: lifecycle', WARN, 'inactive')


def test_node_that_says_good_bye_takes_no_step_but_the_answers_of_nav2(bench: Bench) -> None:
    node = bench.up()
    bench.begin()
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.nav2.turn = 'deaf'
    bench.act(hypothesis)
    bench.until(lambda: bench.nav2.sent)
    node.say_goodbye()
    bench.until(lambda: bench.nav2.cancelled)
    bench.documents.clear()
    bench.act(hypothesis)
    bench.act(hypothesis, 'goal-late')
    bench.spin(1.0)
    assert bench.of(Verdict) == [] and len(bench.nav2.sent) == 1
    assert not node.settled()
    bench.nav2.vanish()
    bench.until(node.settled)


def test_node_lives_through_all_transitions_twice(bench: Bench) -> None:
    bench.nav2.turn = 'succeed'
    node = bench.node = bench.make(VerifierNode, **PATIENT)
    left = []
    for number in range(2):
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        bench.ready()
        bench.until(lambda: bench.publisher('step').get_subscription_count() == 1)
        goal = f'goal-s-{number}'
        bench.begin(goal)
        hypothesis, _ = bench.look(canonical('rotate', rotate_rad=0.5), goal)
        bench.act(hypothesis, goal)
        assert bench.decided().code is Code.OK
        assert bench.resulted().outcome.value == 'arrived'
        assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
        assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
        left.append((len(list(node.subscriptions)), len(list(node.publishers)),
                     len(list(node.timers)), len(list(node.clients)), len(list(node.waitables))))
    assert left[0] == left[1], 'something is left behind'


def test_wrong_parameter_is_told_with_name_value_and_range(
        bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    for name, value, told in (
            ('min_confidence', 1.5, '0 to 1'), ('path_tries', 0, '1 to 20'),
            ('depth_tolerance_s', -1.0, '0 to 5'), ('map_topic', 3, 'expected str')):
        node = bench.make(VerifierNode, **{name: value})
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
        error = capfd.readouterr().err
        assert name in error and repr(value) in error and told in error
        bench.drop(node)


def test_configuration_that_failed_can_be_repeated(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    node = bench.node = bench.make(VerifierNode, journal_dir=str(tmp_path / 'file'))

    def held() -> tuple[int, ...]:
        return tuple(len(list(things)) for things in (
            node.clients, node.publishers, node.subscriptions))

    def waited_for() -> int:
        return len(list(node.waitables))

    before = held()
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert held() == before, 'something is left behind'
    # What lasts is made once (`nodes/ros/lasting.py`).
    lasting = waited_for()
    (tmp_path / 'file').unlink()
    for _ in range(2):
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert held() > before and waited_for() > lasting
        node.trigger_cleanup()
        assert held() == before and waited_for() <= lasting, 'something is left behind'


#: The verifier, whose core fails for good as soon as the navigator answers.
FAILING = """
import sys
from semantic_nav.nodes.verifier import main
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.events import NavAnswered
handle, failed = VerifierCore.handle, []

def fail(core, event, now):
    if failed or isinstance(event, NavAnswered):
        failed.append(event)
        raise RuntimeError('the core failed')
    return handle(core, event, now)

VerifierCore.handle = fail
sys.exit(main(sys.argv))
"""


@pytest.mark.parametrize('end', ['SIGINT', 'core'])
def test_process_that_ends_cancels_its_drive(bench: Bench, tmp_path: Path, end: str) -> None:
    bench.nav2.turn = 'hang'
    program = ['-m', 'semantic_nav.nodes.verifier'] if end == 'SIGINT' else ['-c', FAILING]
    process = subprocess.Popen([
        sys.executable, *program, '--ros-args', '-r', f'__ns:=/{NAMESPACE}',
        *words_of({**PATIENT, 'journal_dir': tmp_path})])
    try:
        for name in ('map', 'costmap', 'pose', 'nav2'):
            bench.statement(f'verifier: {name}', OK)
        bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=GOAL_ID)
        bench.until(lambda: bench.robot.depth_stamp is not None)
        hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
        bench.act(hypothesis)
        decision = bench.decided()
        bench.until(lambda: bench.nav2.sent)
        if end == 'SIGINT':
            process.send_signal(signal.SIGINT)
        bench.until(lambda: bench.nav2.cancelled == [decision.nav_goal_id])
        bench.until(lambda: process.poll() is not None)
        assert process.returncode == (0 if end == 'SIGINT' else 1)
    finally:
        process.kill()
        process.wait()
    (journal,) = tmp_path.glob('*/verifier.jsonl')
    audited = audit(journal)
    assert audited.sent == 1 and not audited.unvetted



# Watchdogs

def test_sensor_that_was_never_heard_is_named(bench: Bench) -> None:
    bench.robot.silent.add('scan')
    bench.up()
    bench.begin()
    bench.statement('verifier: depth picture', OK, 'heard')
    bench.statement('verifier: laser scan', WARN, 'nothing has come on scan')
    bench.robot.silent.discard('scan')
    bench.statement('verifier: laser scan', OK, 'heard')


def test_scans_without_a_stamp_are_as_old_as_their_arrival_and_named(bench: Bench) -> None:
    bench.robot.stamps_scans = False
    bench.up()
    bench.begin()
    bench.statement('verifier: laser scan', WARN, 'its stamp is 0: let its driver stamp it')
    bench.approach()
    assert bench.decided().code is Code.OK


def test_scanner_that_meets_nothing_between_walls_is_named_and_ends_a_drive(
        bench: Bench) -> None:
    bench.up(scan_max_age_s=3.0, settle_max_s=1.0)
    bench.begin()
    goal_id = bench.hanging_drive().nav_goal_id
    bench.robot.ranges = [math.inf] * 36
    result = bench.resulted()
    assert bench.nav2.cancelled[0] == goal_id
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.SENSOR_UNAVAILABLE)
    assert 'none of 36 rays met anything within 12 m' in result.reason
    bench.statement('verifier: laser scan', WARN, 'none of 36 rays met anything within 12 m')


@pytest.mark.parametrize(('silent', 'code'), [
    ('tf', Code.POSE_UNAVAILABLE), ('costmap', Code.MAP_UNAVAILABLE),
    ('depth', Code.SENSOR_UNAVAILABLE), ('scan', Code.SENSOR_UNAVAILABLE)])
def test_drive_ends_at_once_where_what_it_needs_falls_silent(bench: Bench, silent: str,
                                                             code: Code) -> None:
    limits = {'tf': 'pose_max_age_s', 'costmap': 'costmap_max_age_s', 'depth': 'depth_max_age_s',
              'scan': 'scan_max_age_s'}
    bench.up(**{limits[silent]: 3.0, 'settle_max_s': 1.0})
    bench.begin()
    goal_id = bench.hanging_drive().nav_goal_id
    assert bench.spin(3.5) > 1.0 or bench.nav2.cancelled == []
    bench.robot.silent.add(silent)
    result = bench.resulted()
    assert bench.nav2.cancelled[0] == goal_id
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, code)
