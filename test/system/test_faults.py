"""Missions with a model that fails, one of them in a namespace: real processes, real DDS."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from exit_codes import assert_in_order

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.bringup.processes import NavSettings
from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.journal import read_lines
from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journal.files import audit, merge_journals
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import simulated_robot

#: A mission on a busy machine, with the world built before it.
pytestmark = pytest.mark.timeout(1200)
GOAL = 'find the red mug'
#: Far beyond the time limit that each mission is given.
PATIENCE_S = 600.0
#: Which messages the displays of RViz take.
DISPLAYED = {'Map': 'nav_msgs/msg/OccupancyGrid', 'LaserScan': 'sensor_msgs/msg/LaserScan',
             'MarkerArray': 'visualization_msgs/msg/MarkerArray',
             'Polygon': 'geometry_msgs/msg/PolygonStamped',
             'Pose': 'geometry_msgs/msg/PoseStamped', 'Path': 'nav_msgs/msg/Path',
             'Image': 'sensor_msgs/msg/Image'}


@dataclass
class Mission:
    """What came of a mission.

    Attributes:
        told: the lines of its narrator.
        reached: the robot truly stands in front of the target.
        answers: the hypotheses, as plain JSON.
        topics: what the graph held while it ran, each with its types.
        published: those of them that somebody publishes.
    """

    outcome: Outcome | None
    reason: str
    reached: bool
    told: list[str]
    topics: dict[str, list[str]] = field(default_factory=dict)
    published: set[str] = field(default_factory=set)
    answers: list[dict[str, Any]] = field(default_factory=list)


def mission(folder: Path, profile: str, *, namespace: str = '',
            enough: Callable[[list[str]], bool] = lambda told: False, **belief: float) -> Mission:
    """Carry a mission out, and make sure of what must hold of every one.

    It is cancelled as soon as `enough` was told.
    """
    told: list[str] = []
    narrator = Narrator(told.append)
    with simulated_robot(RunFolder(folder), SimSettings(model_profile=profile), narrator,
                         NavSettings(of_node={'belief': dict(belief)}), namespace) as robot:
        targets = robot.judge.targets_of(GOAL)
        robot.say(GOAL)
        ended = robot.until(lambda: narrator.outcome is not None or enough(told), PATIENCE_S)
        if ended and narrator.outcome is None:
            robot.operator.request('cancel')
            ended = robot.until(lambda: narrator.outcome is not None, PATIENCE_S)
        robot.spin()  # Raises where a process has ended.
        assert ended and narrator.belief is not None, told
        topics = dict(robot.operator.get_topic_names_and_types())
        published = {name for name in topics if robot.operator.count_publishers(name)}
        result = Mission(narrator.outcome, narrator.belief.reason,
                         robot.judge.rule_any(targets, BeliefConfig().stand_off_m).reached, told,
                         topics, published)
    print('\n'.join(told))
    assert_in_order(robot.exit_codes)
    journal = folder / 'journal.jsonl'
    merge_journals(folder / 'journal', journal)
    assert audit(journal, robot.witness.received, robot.witness.in_drive).unvetted == ()
    result.answers = [output['body'] for line in read_lines(journal)
                      for output in line.get('outputs', ())
                      if output['type'] == 'Document' and output['schema'] == 'hypothesis']
    assert result.answers
    if result.outcome is Outcome.ARRIVED:
        assert result.reached, 'it said that it had arrived'
    else:
        assert result.outcome is (Outcome.CANCELLED if enough(told) else Outcome.GAVE_UP), told
    return result


def errors(found: Mission) -> set[str]:
    return {answer['meta']['vlm_error'].partition(' ')[0] for answer in found.answers}


def test_a_model_that_hangs_is_waited_for_until_the_time_is_used_up(tmp_path: Path) -> None:
    found = mission(tmp_path, 'default+hang', look_deadline_s=2.0, time_limit_s=30.0)
    assert found.outcome is Outcome.GAVE_UP
    assert found.reason.startswith('the time is used up (30 s); the model has not answered for')
    assert errors(found) == {'timeout', 'circuit_open'}


def test_a_model_that_takes_its_time_is_waited_for_and_all_works_in_a_namespace(
        tmp_path: Path) -> None:
    answered = 'the model does not see it: '
    found = mission(tmp_path, 'default+slow', namespace='robot1',
                    enough=lambda told: any(answered in line for line in told))
    latencies_ms = [answer['meta']['vlm_latency_ms'] for answer in found.answers
                    if answer['source'] == 'model']
    assert latencies_ms and min(latencies_ms) >= 20_000
    assert answered in '\n'.join(found.told)
    # What belongs to the whole system has these names with Nav2, too.
    shared = {'/parameter_events', '/rosout', '/clock', '/diagnostics'}
    assert [name for name in found.topics
            if name not in shared and not name.startswith('/robot1/')] == []
    assert {'/robot1/tf', '/robot1/semantic_nav/step'} <= set(found.topics)
    for topic, of_type in shown_by_rviz().items():
        assert f'/robot1/{topic}' in found.published, topic
        assert found.topics[f'/robot1/{topic}'] == [of_type]


def shown_by_rviz() -> dict[str, str]:
    """Return the topics that RViz is set up to show, with the type that each display takes."""
    config = yaml.safe_load(share_path('config', 'semantic_nav.rviz').read_text())
    return {display['Topic']['Value']: DISPLAYED[display['Class'].rpartition('/')[2]]
            for display in config['Visualization Manager']['Displays'] if 'Topic' in display}
