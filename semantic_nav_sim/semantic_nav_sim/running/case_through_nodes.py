"""Carries out a case of the benchmark through the nodes, beside the simulator, in real time."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from semantic_nav.client.narrator import Narrator
from semantic_nav.journal.files import audit, how_often, merge_journals
from semantic_nav.vlm.events import AskModel
from semantic_nav_sim.bench.ablations import memory_file
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.driven_way import NOTE_S, DrivenWay
from semantic_nav_sim.bench.judging import Carried, Standing, run_of, targets_of
from semantic_nav_sim.bench.mission import Record
from semantic_nav_sim.bench.missions import LIMIT_S
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.case_settings import nav_settings, sim_settings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import SimulatedRobot, simulated_robot
from semantic_nav_sim.running.supervisor import ProcessDied
from semantic_nav_sim.truth_client import SimulatorGone
from semantic_nav_sim.world.scene import Stage, stage
from semantic_nav_sim.world.scene_cache import load_scene


def run_case_through_nodes(case: Case, folder: Path, limit_s: float = LIMIT_S) -> Iterator[Run]:
    """Carry out the missions of a case; all processes are ended in any event.

    Args:
        case: the case.
        folder: for journals, logs, maps and memory; is made, and must not exist yet.
        limit_s: time limit of a mission.

    Raises:
        Unjudged: the meaning of the goal is unknown; nothing was started.
        ConfigError: the world or a profile is invalid.
        ProcessDied: a process ended.
        NotReady: the processes did not come up in time.
    """
    folder.mkdir(parents=True)
    staged = stage(load_scene(case.world), case.seed, usual=case.usual_places)
    objects = [asdict(one) for one in staged.truth()]
    targets = targets_of(case, lambda name: {'objects': objects}, staged.scene.world)
    for number in range(1, case.runs + 1):
        settings = sim_settings(case, folder / f'map{number - 1}' if number > 1 else None,
                                folder / f'map{number}')
        run = RunFolder(folder / f'mission{number}', memory_file(case.without, folder, number))
        yield _mission(case, number, run, settings, staged, targets, limit_s)


def _mission(case: Case, number: int, run: RunFolder, settings: SimSettings, staged: Stage,
             targets: list[dict[str, Any]], limit_s: float) -> Run:
    began, record, narrator = time.monotonic(), Record(), Narrator(lambda line: None)
    with simulated_robot(run, settings, narrator, nav_settings(case)) as robot:
        robot.listener = record.take
        way = DrivenWay(staged.start, robot.judge.pose)
        robot.operator.create_timer(NOTE_S, _noting(way))
        robot.say(case.goal)
        said = time.monotonic()
        robot.until_over(limit_s)
        record.simulated_s = time.monotonic() - said
        robot.hear_out()
        standing = Standing.of(case, robot.judge, targets, staged)
        _check_whole(robot)
    record.wall_s = time.monotonic() - began
    merged = run.folder.with_name(f'journal{number}.jsonl')
    merge_journals(run.journals, merged)
    carried = Carried(
        narrator.belief, record.refused, how_often(merged, AskModel),
        audit(merged, robot.witness.received, robot.witness.in_drive), way.points,
        record.simulated_s, record.wall_s)
    return run_of(case, number, carried, standing, staged.scene.world)


def _noting(way: DrivenWay) -> Callable[[], None]:
    def note() -> None:
        # The supervisor reports a simulator that has ended.
        with suppress(SimulatorGone):
            way.note()

    return note


def _check_whole(robot: SimulatedRobot) -> None:
    """Check that no optional process of the mission was lost.

    Raises:
        ProcessDied: one was lost; the cores would not have lacked it.
    """
    if robot.lost:
        raise ProcessDied('; '.join(robot.lost))
