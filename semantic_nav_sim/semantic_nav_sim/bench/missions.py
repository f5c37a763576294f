"""Carries out a case: its missions one after the other, each judged by the truth."""

from collections.abc import Iterator
from pathlib import Path

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.journal.files import audit, merge_journals
from semantic_nav_sim.bench.ablations import memory_file
from semantic_nav_sim.bench.bodies import LIGHT, MakeBody, open_home
from semantic_nav_sim.bench.bound import bound_of
from semantic_nav_sim.bench.cases import INFORMED, Case
from semantic_nav_sim.bench.driven_way import NOTE_S, DrivenWay
from semantic_nav_sim.bench.judging import Carried, Standing, run_of, targets_of
from semantic_nav_sim.bench.mission import Mission, Setup
from semantic_nav_sim.bench.robot_configs import configs_of, stand_off_m
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.profile_files import AMCL, SLAM, robot_choice
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import shape_of
from semantic_nav_sim.robot.truth import Truth

#: Time limit of a mission, which exceeds the mission's own.
LIMIT_S = BeliefConfig().time_limit_s + 30.0


def run_case(case: Case, folder: Path) -> Iterator[Run]:
    """Carry out the missions of a case.

    Args:
        case: goal, home and robot.
        folder: for journals and memory; is made, and must not exist yet.

    Raises:
        Unjudged: the meaning of the goal is unknown; nothing was carried out.
        ConfigError: the world or a profile is invalid.
    """
    folder.mkdir(parents=True)
    known: OccupancyGrid | None = None
    informed = case.policy == INFORMED
    with open_home(case.world, LIGHT if informed else case.body) as make_body:
        for number in range(1, case.runs + 1):
            if informed:
                yield _bound(case, number, make_body)
                continue
            run, known = _run(case, number, folder, known, make_body)
            yield run


def _bound(case: Case, number: int, make_body: MakeBody) -> Run:
    """The run of the informed search, which uses the same home but no robot."""
    body = make_body(case.seed, shape=shape_of(case.body_shape), moved=_moved(case, number),
                     usual=case.usual_places)
    try:
        truth = Truth(body, FrameMemory(), lambda: 0)
        return bound_of(case, number, body.stage,
                        targets_of(case, truth.ask, body.stage.scene.world), stand_off_m(case))
    finally:
        body.close()


def _moved(case: Case, number: int) -> float:
    return case.moved if number > 1 else 0.0


def _run(case: Case, number: int, folder: Path, known: OccupancyGrid | None,
         make_body: MakeBody) -> tuple[Run, OccupancyGrid]:
    journals = folder / f'journal{number}'
    setup = Setup(
        case.goal, case.seed, memory_file(case.without, folder, number), journals / SESSION,
        load_profile(ModelProfile, case.model_profile),
        load_profile(NavigatorProfile, case.navigator_profile), known, mapping=True,
        configs=configs_of(case))
    robot = robot_choice(case.robot_profile, SLAM if known is None else AMCL)
    body = make_body(case.seed, profile=load_profile(RobotProfile, robot),
                     people=case.people, moving_doors=case.moving_doors,
                     shape=shape_of(case.body_shape), moved=_moved(case, number),
                     usual=case.usual_places)
    world = body.stage.scene.world
    try:
        truth = Truth(body, FrameMemory(), lambda: 0)
        targets = targets_of(case, truth.ask, world)
        mission = Mission(body, setup)
        way = DrivenWay(body.stage.start, lambda: body.snapshot().true)
        mission.scheduler.every(NOTE_S, way.note)
        try:
            record = mission.run(LIMIT_S)
        finally:
            mission.close()
        standing = Standing.of(case, Judge(truth.ask), targets, body.stage)
    finally:
        body.close()
    merged = folder / f'journal{number}.jsonl'
    merge_journals(journals, merged)
    carried = Carried(
        record.belief, record.refused, mission.model.calls,
        audit(merged, mission.navigator.received), way.points, record.simulated_s, record.wall_s)
    return run_of(case, number, carried, standing, world), mission.robot.map
