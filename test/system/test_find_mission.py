"""A whole mission through the action `find`: the client is a program that knows nothing else."""

from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from exit_codes import assert_in_order
from rclpy.action import ActionClient
from semantic_nav_msgs.action import Find

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.vocabulary import Phase
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import SimulatedRobot, simulated_robot

#: Missions on a busy machine, with the world built before them.
pytestmark = pytest.mark.timeout(1800)
GOAL = 'find the red mug'
#: Of a mission, beyond its own limit, and of everything else.
MISSION_S, PATIENCE_S = 1000.0, 60.0


def done(robot: SimulatedRobot, future: Any, timeout_s: float) -> Any:
    assert robot.until(future.done, timeout_s)
    return future.result()


def test_a_program_finds_it_and_takes_the_next_goal_back(tmp_path: Path) -> None:
    # With eyes that mistake nothing, and a target that is near: what is tested is the action.
    with simulated_robot(RunFolder(tmp_path), SimSettings(seed=5, model_profile='none'),
                         Narrator(print)) as robot:
        client = ActionClient(robot.operator, Find, 'semantic_nav/find')
        assert robot.until(client.server_is_ready, PATIENCE_S)
        heard: list[Any] = []

        def send(words: str) -> Any:
            heard.clear()
            return done(robot, client.send_goal_async(
                Find.Goal(goal_text=words),
                lambda message: heard.append(message.feedback)), PATIENCE_S)

        ended = done(robot, send(GOAL).get_result_async(), MISSION_S)
        result = ended.result
        assert (ended.status, result.outcome) == (
            GoalStatus.STATUS_SUCCEEDED, Find.Result.ARRIVED), result
        ruling = robot.judge.rule_any(robot.judge.targets_of(GOAL), BeliefConfig().stand_off_m)
        assert ruling.reached, ruling.words
        assert ruling.target is not None
        for told, true in ((result.target_pose, ruling.target[:2]),
                           (result.robot_pose, (ruling.robot.x, ruling.robot.y))):
            assert told.header.frame_id == 'map' and told.header.stamp.sec > 0
            assert (told.pose.position.x, told.pose.position.y) == pytest.approx(true, abs=0.5)
        assert result.p_here == 1.0 and 'the model says visible' in result.evidence
        assert {one.state for one in heard} >= {Phase.LOOKING, Phase.DRIVING}
        assert heard[-1].model_calls > 0 and heard[-1].distance_m > 0.0

        other = send('find the laptop')
        assert robot.until(lambda: any(one.state == Phase.LOOKING for one in heard), PATIENCE_S)
        other.cancel_goal_async()
        ended = done(robot, other.get_result_async(), PATIENCE_S)
        assert (ended.status, ended.result.outcome, ended.result.stands) == (
            GoalStatus.STATUS_CANCELED, Find.Result.CANCELLED, True), ended.result
        client.destroy()
    assert_in_order(robot.exit_codes)
