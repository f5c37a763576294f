"""Whole missions: simulator, stand-ins and all four nodes as processes over real DDS."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from semantic_nav.cli.narrator import Narrator
from semantic_nav.cli.simulated import RunFolder, SimulatedRobot, simulated_robot
from semantic_nav.contracts.documents import Outcome, Phase
from semantic_nav.journals import audit, merge_journals
from semantic_nav.processes import SimSettings

#: A mission on a busy machine, with the world built before it.
pytestmark = pytest.mark.timeout(1200)


def demo(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict]:
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'demo', '--out', str(folder), *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout)
    return done, json.loads((folder / 'summary.json').read_text(encoding='utf-8'))


@pytest.fixture(scope='module')
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, dict, Path]:
    folder = tmp_path_factory.mktemp('demo')
    done, summary = demo(folder)
    return done.stdout, done.returncode, summary, folder


def test_demo_arrives(finished: tuple[str, int, dict, Path]) -> None:
    output, code, summary, _ = finished
    assert code == 0, output
    assert summary['reached'] and summary['outcome'] == Outcome.ARRIVED
    assert 'VLM=VALID verdict=OK belief=' in output


def test_demo_sends_nothing_unvetted(finished: tuple[str, int, dict, Path]) -> None:
    _, _, summary, folder = finished
    goals = audit(folder / 'journal.jsonl')
    assert goals.sent == summary['goals_sent'] > 0
    assert summary['goals_received'] == goals.sent
    assert goals.unvetted == ()
    assert summary['unvetted'] == []


def test_audit_finds_a_goal_that_nobody_vetted(finished: tuple[str, int, dict, Path]) -> None:
    *_, folder = finished
    stranger = 'f' * 32
    assert audit(folder / 'journal.jsonl', [stranger]).unvetted == (stranger,)


def test_demo_leaves_pictures(finished: tuple[str, int, dict, Path]) -> None:
    *_, folder = finished
    for name in ('map.png', 'arrival.png'):
        with Image.open(folder / name) as picture:
            colours = picture.convert('RGB').getcolors(picture.width * picture.height)
            assert min(picture.size) > 200 and len(colours) > 1000, name


def test_demo_journal_replays(finished: tuple[str, int, dict, Path]) -> None:
    *_, folder = finished
    done = subprocess.run([sys.executable, '-m', 'semantic_nav', 'replay', str(folder)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for node in ('hypothesis', 'memory', 'belief', 'verifier'):
        assert f'{node}: ' in done.stdout


def test_changed_journal_does_not_replay(finished: tuple[str, int, dict, Path],
                                         tmp_path: Path) -> None:
    *_, folder = finished
    journal = (folder / 'journal.jsonl').read_text(encoding='utf-8')
    changed = tmp_path / 'journal.jsonl'
    changed.write_text(journal.replace('"confidence":0.', '"confidence":0.1', 1),
                       encoding='utf-8')
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'replay', str(changed),
         '--blobs', str(folder / 'journal' / 'blobs')],
        capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'differs' in done.stdout


def test_without_a_model_server_it_gives_up_and_says_why(tmp_path: Path) -> None:
    done, summary = demo(tmp_path, '--model-profile', 'default+down')
    assert summary['unvetted'] == []
    assert 'VLM=FALLBACK' in done.stdout
    if summary['outcome'] != Outcome.ARRIVED:
        assert done.returncode == 1
        assert summary['outcome'] == Outcome.GAVE_UP
        assert 'the model did not answer' in done.stdout


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[SimulatedRobot]:
    with simulated_robot(RunFolder(tmp_path), SimSettings(), Narrator(print)) as simulated:
        yield simulated


def test_cancel_in_mid_drive_stops_the_robot(robot: SimulatedRobot) -> None:
    narrator, judge = robot.narrator, robot.judge
    robot.say('find the red mug')
    before = judge.pose()

    def drives() -> bool:
        phase = narrator.belief.phase if narrator.belief is not None else None
        here = judge.pose()
        return phase is Phase.DRIVING and here.distance_to(before.x, before.y) > 0.2

    assert robot.until(drives, 300.0), 'the robot never drove'
    robot.operator.cancel()
    assert robot.until(lambda: narrator.outcome is not None, 10.0), 'the mission did not end'
    assert narrator.outcome is Outcome.CANCELLED

    last = [judge.pose()]

    def stands() -> bool:
        for _ in range(5):
            robot.spin()
        here = judge.pose()
        moved_m = here.distance_to(last[0].x, last[0].y)
        last[0] = here
        return moved_m < 0.005

    assert robot.until(stands, 10.0), 'the robot drives on after the cancellation'
    journal = robot.run.folder / 'journal.jsonl'
    merge_journals(robot.run.journals, journal)
    assert audit(journal, robot.witness.received).unvetted == ()


def test_all_processes_end_cleanly(tmp_path: Path) -> None:
    with simulated_robot(RunFolder(tmp_path), SimSettings(), Narrator(print)) as robot:
        robot.spin()
    assert set(robot.exit_codes.values()) == {0}, robot.exit_codes
