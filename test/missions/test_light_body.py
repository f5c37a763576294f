"""Whole missions with the light body, in the small home."""

import math
from pathlib import Path

import pytest
import small_world
from bench_rig import GOAL

from semantic_nav.contracts.journal import read_lines
from semantic_nav.journal.cores import PARTS
from semantic_nav_sim.bench import body_cost
from semantic_nav_sim.bench.bodies import LIGHT
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.missions import run_case
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.bench.shell import SESSION


@pytest.fixture(scope='module')
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_world.write_world(tmp_path_factory.mktemp('home') / 'small'))


def carry_out(home: str, folder: Path, **options: object) -> list[Run]:
    case = Case(home, small_world.SEED_STOOL, GOAL, body=LIGHT, embedder='hash',
                **options)  # type: ignore[arg-type]
    return list(run_case(case, folder))


def test_two_missions_arrive_by_the_truth(home: str, tmp_path: Path) -> None:
    for run in carry_out(home, tmp_path / 'case'):
        assert run.reached, (run.outcome, run.reason, run.words)
        assert run.path_m > 2.0, 'the mug stands in the other room'
        assert (run.unvetted, run.collisions) == ((), 0)


def test_what_moved_between_two_missions_is_found_where_it_is_now(
        home: str, tmp_path: Path) -> None:
    first, second = carry_out(home, tmp_path / 'case', moved=1.0)
    assert first.reached and second.reached, (second.outcome, second.reason)
    assert first.target is not None and second.target is not None
    assert math.dist(first.target, second.target) > 1.0


def test_the_same_seed_gives_the_same_journals(home: str, tmp_path: Path) -> None:
    for name in ('one', 'other'):
        carry_out(home, tmp_path / name, runs=1, robot_profile='harsh', moving_doors=True)
    for part in PARTS:
        one, other = (list(read_lines(tmp_path / name / 'journal1' / SESSION / f'{part}.jsonl'))
                      for name in ('one', 'other'))
        assert one == other


def test_cost_of_the_body_is_a_part_of_the_mission(home: str) -> None:
    alone, slowest, whole = body_cost.measure(home, GOAL, 2, small_world.SEED_STOOL)
    assert alone.figure >= slowest.figure > whole.figure > 0.0
    assert alone.holds is (alone.figure >= 200.0)
