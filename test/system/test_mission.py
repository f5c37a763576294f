"""Whole missions: simulator, stand-ins and all four nodes as processes over real DDS."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exit_codes import assert_in_order
from PIL import Image

from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.grid import FREE
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.journal import read_lines
from semantic_nav.contracts.map_file import load_map
from semantic_nav.contracts.vocabulary import Code, Outcome, Phase
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import audit, merge_journals
from semantic_nav_sim.cli.defaults import HOME
from semantic_nav_sim.cli.demo import SEED
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import SimulatedRobot, simulated_robot

#: A mission on a busy machine, with the world built before it.
pytestmark = pytest.mark.timeout(1800)
PATIENCE_S = 60.0
#: The folders of a demonstration.
MISSIONS = ('first', 'second')


@dataclass(frozen=True)
class Demo:
    """A demonstration that is over.

    Attributes:
        output: its lines.
        missions: the reports of its summary.
    """

    output: str
    code: int
    world: str
    missions: list[dict[str, Any]]
    folder: Path


def demo(folder: Path, *options: str) -> Demo:
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'demo', '--out', str(folder), *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout)
    run = folder / 'latest'
    summary = json.loads((run / 'summary.json').read_text(encoding='utf-8'))
    return Demo(done.stdout, done.returncode, summary['world'], summary['missions'], run)


def replayed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'semantic_nav', 'replay', *arguments],
                          capture_output=True, text=True, check=False)


def decisions(journal: Path) -> Iterator[dict[str, Any]]:
    """Yield the verifier's verdicts that decide, in their order."""
    for line in read_lines(journal):
        for output in line.get('outputs', ()):
            if (output['type'] == 'Document' and output['schema'] == 'verdict'
                    and output['body']['decision'] is not None):
                yield output['body']


@pytest.fixture(scope='module')
def finished(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    # With eyes that mistake nothing: what is tested is the robot, not its luck with look-alikes.
    return demo(tmp_path_factory.mktemp('demo'), '--model-profile', 'none')


@pytest.fixture(params=MISSIONS)
def mission(request: pytest.FixtureRequest, finished: Demo) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the report of each mission of the demonstration."""
    number = MISSIONS.index(request.param)
    assert len(finished.missions) > number, finished.output
    return finished.folder / request.param, finished.missions[number]


def test_demo_arrives_twice(finished: Demo) -> None:
    assert finished.code == 0, finished.output
    assert finished.world == HOME.format(seed=SEED)
    assert [(report['reached'], report['outcome']) for report in finished.missions] == [
        (True, Outcome.ARRIVED)] * 2
    assert 'the model does not see it: ' in finished.output
    assert finished.output.count('SUCCESS') == 2


def test_demo_tells_what_it_cost(finished: Demo) -> None:
    for process in ('sim_mapper', 'verifier', 'together'):
        assert f'cost      {process} ' in finished.output
    for report in finished.missions:
        assert report['cost']['verifier']['cpu_s'] > 0.0


def test_demo_sends_nothing_unvetted(mission: tuple[Path, dict[str, Any]]) -> None:
    folder, report = mission
    goals = audit(folder / 'journal.jsonl')
    assert goals.sent == report['goals_sent'] > 0
    assert report['goals_received'] == goals.sent
    assert goals.unvetted == ()
    assert report['unvetted'] == []


def test_audit_finds_a_goal_that_nobody_vetted(mission: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = mission
    stranger = 'f' * 32
    assert audit(folder / 'journal.jsonl', [stranger]).unvetted == (stranger,)


def test_demo_leaves_pictures(mission: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = mission
    for name in ('map.png', 'arrival.png', 'seen.png'):
        with Image.open(folder / name) as picture:
            colours = picture.convert('RGB').getcolors(picture.width * picture.height)
            assert min(picture.size) > 200 and len(colours) > 1000, name
    answers = sum(1 for line in read_lines(folder / 'journal.jsonl')
                  for output in line.get('outputs', ())
                  if output['type'] == 'Document' and output['schema'] == 'hypothesis')
    with Image.open(folder / 'mission.gif') as film:
        assert answers < film.n_frames, 'it shows the way between the looks, too'


def test_demo_journal_replays(mission: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = mission
    done = replayed(str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    for node in PARTS:
        assert f'{node}: ' in done.stdout


def test_changed_journal_does_not_replay(finished: Demo, tmp_path: Path) -> None:
    folder = finished.folder / MISSIONS[-1]
    journal = (folder / 'journal.jsonl').read_text(encoding='utf-8')
    changed = tmp_path / 'journal.jsonl'
    changed.write_text(journal.replace('"confidence":0.', '"confidence":0.1', 1),
                       encoding='utf-8')
    done = replayed(str(changed), '--blobs', str(folder / 'journal' / 'blobs'))
    assert done.returncode == 1
    assert 'differs' in done.stdout


def test_the_robot_has_mapped_its_home(finished: Demo) -> None:
    saved = load_map(finished.folder / 'map' / 'map.yaml')
    free_m2 = np.count_nonzero(saved.cells == FREE) * saved.resolution_m ** 2
    assert free_m2 > 10.0
    first_maps, second_maps = (
        [line['event']['grid']['cells']['blob']
         for line in read_lines(finished.folder / name / 'journal.jsonl')
         if line.get('event', {}).get('type') == 'MapReceived'] for name in MISSIONS)
    assert len(set(first_maps)) > 1, 'it grew'
    assert first_maps[0] not in second_maps, 'the second mission begins with more'


def test_second_mission_goes_to_a_remembered_place_and_looks_less(finished: Demo) -> None:
    first, second = finished.missions
    taken = next(verdict for verdict in decisions(finished.folder / 'second' / 'journal.jsonl')
                 if verdict['decision']['code'] == Code.OK)
    assert taken['action'] == Action.GOTO_NODE
    # The first way may be lucky, but it needs more looks.
    assert second['cycles'] < first['cycles']


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[SimulatedRobot]:
    with simulated_robot(RunFolder(tmp_path), SimSettings(), Narrator(print)) as simulated:
        yield simulated
    assert_in_order(simulated.exit_codes)


def test_cancel_in_mid_drive_stops_the_robot(robot: SimulatedRobot) -> None:
    narrator, judge = robot.narrator, robot.judge
    robot.say('find the red mug')
    before = judge.pose()

    def drives() -> bool:
        phase = narrator.belief.phase if narrator.belief is not None else None
        here = judge.pose()
        return phase is Phase.DRIVING and here.distance_to(before.x, before.y) > 0.2

    assert robot.until(drives, 300.0), 'the robot never drove'
    robot.operator.request('cancel')
    assert robot.until(lambda: narrator.outcome is not None, PATIENCE_S), 'the mission did not end'
    assert narrator.outcome is Outcome.CANCELLED

    last = [judge.pose()]

    def stands() -> bool:
        for _ in range(5):
            robot.spin()
        here = judge.pose()
        moved_m = here.distance_to(last[0].x, last[0].y)
        last[0] = here
        return moved_m < 0.005

    assert robot.until(stands, PATIENCE_S), 'the robot drives on after the cancellation'
    journal = robot.run.folder / 'journal.jsonl'
    merge_journals(robot.run.journals, journal)
    assert audit(journal, robot.witness.received, robot.witness.in_drive).unvetted == ()
