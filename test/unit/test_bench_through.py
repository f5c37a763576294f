"""Cases through the nodes beside those through the cores: what is planned, refused and counted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from bench_runs import GOOD, LOST

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.show.table import Measure
from semantic_nav.verify.config import VerifierConfig
from semantic_nav_sim.bench.cases import CORES, NODES, Case, Options, check_case
from semantic_nav_sim.bench.comparison import compared
from semantic_nav_sim.bench.groups import named_groups
from semantic_nav_sim.bench.plan import load_preset
from semantic_nav_sim.bench.robot_configs import configs_of
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.bench.summary import Summary
from semantic_nav_sim.cli import bench
from semantic_nav_sim.cli.bench import parse
from semantic_nav_sim.cli.bench_missions import plan_of
from semantic_nav_sim.running.case_settings import nav_settings, sim_settings

CASE = Case('generated:1:4', 1, 'find it', through=NODES)
ALIKE = 'pairs that ended alike'


def runs_of(through: str, *runs: Run, **options: str) -> list[Run]:
    return [replace(run, seed=seed, options=Options(through=through, **options))
            for seed, run in enumerate(runs)]


def figures_of(runs: list[Run]) -> dict[tuple[str, str], Measure]:
    return {(one.group, one.name): one for one in compared(named_groups(runs))}


# What is carried out

def test_each_robot_but_the_bound_is_carried_out_both_ways() -> None:
    plan = plan_of(parse(['missions', '--ros', '--policy', 'sweep', '--policy', 'informed']))
    assert [(one.policy, one.through) for one in plan.robots()] == [
        ('sweep', CORES), ('sweep', NODES), ('informed', CORES)]
    assert {one.through for one in plan_of(parse(['missions'])).robots()} == {CORES}


def test_a_preset_may_ask_for_it(tmp_path: Path) -> None:
    path = tmp_path / 'pairs.yaml'
    path.write_text(yaml.safe_dump({
        'description': 'pairs', 'budget_s': 60, 'worlds': ['apartment'], 'seeds': [1],
        'goals': [{'words': 'find it'}], 'ros': True, 'bars': {'alike': 0.5}}))
    plan = load_preset(str(path))
    assert [case.through for case in plan.cases()] == [CORES, NODES]
    assert plan.bars.alike == 0.5


@pytest.mark.parametrize(('change', 'said'), [
    ({'body': 'light'}, 'leave --body light out'), ({'moved': 0.5}, 'leave --moved out'),
    ({'policy': 'informed'}, 'informed is a bound')])
def test_what_the_nodes_cannot_do_is_refused(change: dict[str, Any], said: str) -> None:
    check_case(CASE)
    check_case(replace(CASE, **change, through=CORES))
    with pytest.raises(ConfigError, match=said):
        check_case(replace(CASE, **change))


def test_nothing_is_carried_out_beside_real_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(['missions', '--ros', '--jobs', '2']) == 1
    said = capsys.readouterr()
    assert said.out == '' and said.err.endswith('with --ros say --jobs 1\n')


# What the processes are told

@pytest.mark.parametrize('options', [
    {}, {'policy': 'sweep'}, {'without': 'second_view'}, {'embedder': 'hash'},
    {'body_shape': 'rectangle:0.7x0.5'}, {'robot_profile': 'default+no_depth'}])
def test_nodes_are_told_what_the_cores_are(options: dict[str, str]) -> None:
    """But that a map is published again and again."""
    case = replace(CASE, **options)  # type: ignore[arg-type]
    told, configs = nav_settings(case).of_node, configs_of(case)
    assert build(BeliefConfig, told['belief']) == configs['belief']
    assert build(MemoryConfig, told['memory']) == configs['memory']
    assert build(VerifierConfig, told['verifier']) == replace(
        configs['verifier'], map_is_live=True)


def test_the_second_mission_begins_with_the_map_of_the_first(tmp_path: Path) -> None:
    case = replace(CASE, people=2, robot_profile='harsh', usual_places=True)
    first = sim_settings(case, None, tmp_path / 'map1')
    second = sim_settings(case, tmp_path / 'map1', tmp_path / 'map2')
    assert (first.saved_map, second.saved_map) == ('', f'{first.save_map_to}/map.yaml')
    assert first.mapping and first.usual_places
    assert (first.people, first.robot_profile) == (2, 'harsh')


# What is counted

def test_pairs_that_ended_alike_are_counted() -> None:
    """The third gave up once only; the fourth stands before the target once only."""
    figures = figures_of(
        runs_of(CORES, GOOD, LOST, GOOD, GOOD)
        + runs_of(NODES, GOOD, LOST, LOST, replace(GOOD, success=False), GOOD))
    group = 'through nodes / cores'
    assert figures[group, 'pairs'].figure == 4
    assert figures[group, ALIKE].figure == 2
    share = figures[group, f'{ALIKE} [share]']
    assert (share.figure, share.bar, share.holds) == (0.5, '>= 0.9', False)
    assert figures[group, 'simulated time, ratio of means'].figure == 1.0


def test_eighteen_of_twenty_reach_the_bar() -> None:
    for lost, holds in ((2, True), (3, False)):
        table = Summary(runs_of(CORES, *[GOOD] * 20)
                        + runs_of(NODES, *[GOOD] * (20 - lost), *[LOST] * lost)).measures()
        [share] = [one for one in table if one.name == f'{ALIKE} [share]']
        assert share.holds is holds


def test_pairs_are_of_one_policy_and_policies_are_compared_through_one_way() -> None:
    runs = [run for policy in ('sweep', 'likely_first') for through, came in (
        (CORES, GOOD), (NODES, LOST)) for run in runs_of(through, came, policy=policy)]
    groups = {group for group, name in figures_of(runs) if name.startswith('way')}
    assert groups == {
        'policy sweep, through nodes / cores', 'policy likely_first, through cores / sweep',
        'policy likely_first, through nodes / sweep',
        'policy likely_first, through nodes / cores'}
    assert {group for group, name in figures_of(runs) if name == ALIKE} == {
        'policy sweep, through nodes / cores', 'policy likely_first, through nodes / cores'}


def test_no_pair_tells_nothing() -> None:
    assert figures_of(runs_of(CORES, GOOD) + [replace(one, seed=9) for one in runs_of(
        NODES, GOOD)]) == {}
