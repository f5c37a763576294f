"""Carries a case out: its missions one after the other, each judged by the truth."""

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.bench.ablations import ABLATIONS
from semantic_nav.bench.bodies import LIGHT, MakeBody, open_home
from semantic_nav.bench.bound import bound_of
from semantic_nav.bench.cases import INFORMED, Case
from semantic_nav.bench.driven_way import NOTE_S, DrivenWay, room_crossings
from semantic_nav.bench.labels import fitting
from semantic_nav.bench.mission import Mission, Setup
from semantic_nav.bench.optimal import shortest_way_m
from semantic_nav.bench.runs import Run, judgement
from semantic_nav.bench.shell import SESSION
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.journals import audit, merge_journals
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.sim.judge import Judge
from semantic_nav.sim.model.profile import ModelProfile
from semantic_nav.sim.navigator.profile import NavigatorProfile
from semantic_nav.sim.profiles import load_profile
from semantic_nav.sim.robot.body import Body
from semantic_nav.sim.robot.frame_memory import FrameMemory
from semantic_nav.sim.robot.profile import RobotProfile
from semantic_nav.sim.robot.shape import USUAL, Shape, shape_of
from semantic_nav.sim.robot.truth import Truth
from semantic_nav.verify.config import VerifierConfig

_LIMIT_SLACK_S = 30.0
#: Without depth a target may be so much farther off than it is measured to be.
_BEARINGS_ERR_M = 0.15


def run_case(case: Case, folder: Path) -> Iterator[Run]:
    """Carry the missions of a case out.

    Args:
        case: what.
        folder: for journals and memory; is made, and must not be there yet.

    Raises:
        Unjudged: nobody can say what the goal means; nothing was carried out.
        ConfigError: the world or a profile makes no sense.
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


def _targets(case: Case, judge: Judge, truth: Truth, body: Body) -> list[dict[str, Any]]:
    """Return the objects of which any will do for the goal; none where nothing is there.

    Raises:
        Unjudged: the goal has no label, and names no kind of thing that is known.
    """
    if case.fits is not None:
        return fitting(case.fits, truth.world()['objects'], body.stage.scene.world)
    return judge.targets_of(case.goal)


def configs_for(shape: Shape) -> dict[str, Any]:
    """Return what belief and verifier are told of a body, as an operator would.

    Stand-offs are measured from the middle of the robot: the nose of one that is not round takes
    more.
    """
    verifier, belief = VerifierConfig(), BeliefConfig()
    longer_m = max(0.0, max((x for x, _ in shape.corners), default=0.0) - USUAL.radius_m)
    return {'belief': replace(belief, stand_off_m=belief.stand_off_m + longer_m),
            'verifier': replace(verifier, **shape.told, **{
                name: getattr(verifier, name) + longer_m for name in (
                    'stand_off_near_m', 'stand_off_best_m', 'stand_off_far_m',
                    'stand_off_last_m')})}


def _bound(case: Case, number: int, make_body: MakeBody) -> Run:
    """Return what comes of a mission without a robot, which has the same home all the same."""
    shape = shape_of(case.body_shape)
    body = make_body(case.seed, shape=shape, moved=_moved(case, number))
    try:
        truth = Truth(body, FrameMemory(), lambda: 0)
        targets = _targets(case, Judge(truth.ask), truth, body)
        return bound_of(case, number, body.stage, targets,
                        configs_for(shape)['belief'].stand_off_m)
    finally:
        body.close()


def _moved(case: Case, number: int) -> float:
    return case.moved if number > 1 else 0.0


def _run(case: Case, number: int, folder: Path, known: OccupancyGrid | None,
         make_body: MakeBody) -> tuple[Run, OccupancyGrid]:
    journals, shape = folder / f'journal{number}', shape_of(case.body_shape)
    configs, profile = configs_for(shape), load_profile(RobotProfile, case.robot_profile)
    configs['verifier'] = replace(configs['verifier'], policy=case.policy)
    configs['belief'] = replace(configs['belief'], **ABLATIONS[case.without])
    stand_off_m = configs['belief'].stand_off_m
    if profile.camera.no_depth:
        configs['belief'] = replace(configs['belief'],
                                    stand_off_m=stand_off_m - _BEARINGS_ERR_M)
    setup = Setup(
        case.goal, case.seed, folder / 'memory.sqlite', journals / SESSION,
        load_profile(ModelProfile, case.model_profile),
        load_profile(NavigatorProfile, case.navigator_profile), known, mapping=True,
        configs={'memory': MemoryConfig(embedder=case.embedder), **configs})
    body = make_body(case.seed, profile=profile, people=case.people,
                     moving_doors=case.moving_doors, shape=shape, moved=_moved(case, number))
    try:
        truth = Truth(body, FrameMemory(), lambda: 0)
        judge = Judge(truth.ask)
        targets = _targets(case, judge, truth, body)
        mission, way = Mission(body, setup), DrivenWay(body)
        mission.scheduler.every(NOTE_S, way.note)
        try:
            record = mission.run(BeliefConfig().time_limit_s + _LIMIT_SLACK_S)
        finally:
            mission.close()
        ruling, shortest_m, left_m = judge.rule_any(targets, stand_off_m), math.inf, math.inf
        if targets:
            shortest_m = shortest_way_m(body.stage, targets, stand_off_m)
            left_m = shortest_way_m(body.stage, targets, stand_off_m, ruling.robot)
    finally:
        body.close()
    merged = folder / f'journal{number}.jsonl'
    merge_journals(journals, merged)
    goals = audit(merged, mission.navigator.received)
    belief = record.belief
    outcome = belief.outcome if belief is not None else None
    run = Run(
        **asdict(judgement(outcome, ruling, shortest_m, left_m, absent=not targets)),
        world=case.world, seed=case.seed, goal=case.goal, number=number,
        outcome=outcome.value if outcome is not None else 'timeout',
        reason=belief.reason if belief is not None else 'no belief came',
        words=ruling.words, path_m=ruling.driven_m, shortest_m=shortest_m,
        model_calls=mission.model.calls,
        refusals={code.value: count for code, count in sorted(record.refusals.items())},
        collisions=ruling.collisions, goals_sent=goals.sent, unvetted=goals.unvetted,
        simulated_s=record.simulated_s, wall_s=record.wall_s,
        room_crossings=room_crossings(way.points, body.stage.scene.world.rooms),
        options=case.options,
        p_here=belief.p_here if belief is not None else None,
        driven=tuple(way.points), stands=(ruling.robot.x, ruling.robot.y, ruling.robot.yaw),
        target=ruling.target[:2] if ruling.target is not None else None)
    return run, mission.robot.map
