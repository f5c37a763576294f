"""Several robots in one table: a block for each, and policies compared in the same homes."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench_runs import GOOD, LOST

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.show.table import Measure, lines_of
from semantic_nav_sim.bench.ablations import ABLATIONS, FORGETFUL, WHOLE, memory_file
from semantic_nav_sim.bench.block import Bars
from semantic_nav_sim.bench.both_worlds import both_worlds
from semantic_nav_sim.bench.cases import MEASURED, Options
from semantic_nav_sim.bench.comparison import compared
from semantic_nav_sim.bench.groups import named_groups
from semantic_nav_sim.bench.intervals import by_home, interval_of
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.bench.summary import Summary
from semantic_nav_sim.cli.bench import parse
from semantic_nav_sim.cli.bench_missions import plan_of

SWEEP, LIKELY = Options(policy='sweep'), Options(policy='likely_first')
HARDER = replace(LIKELY, model_profile=MEASURED, usual_places=True)
HARSH = Options(policy='likely_first', model_profile='harsh')


def runs_of(options: Options, *spls: float | None, path_m: float = 10.0) -> list[Run]:
    return [replace(GOOD, seed=seed, spl=spl, options=options, path_m=path_m)
            for seed, spl in enumerate(spls)]


def test_one_robot_needs_no_name() -> None:
    runs = runs_of(SWEEP, 0.5, 0.7)
    assert named_groups(runs) == {'': runs}
    assert {one.group for one in Summary(runs).measures()} == {''}


def test_robots_are_named_by_what_tells_them_apart() -> None:
    runs = [run for one in (SWEEP, LIKELY, HARSH) for run in runs_of(one, 0.5)]
    assert list(named_groups(runs)) == [
        'model_profile default, policy sweep', 'model_profile default, policy likely_first',
        'model_profile harsh, policy likely_first']


def test_each_robot_has_a_block_of_its_own() -> None:
    runs = runs_of(SWEEP, 0.4, 0.6) + [replace(one, success=False) for one in runs_of(
        LIKELY, 0.8, 1.0)]
    table = Summary(runs, left_out=1, crashed=2).measures()
    figures = {(one.group, one.name): one.figure for one in table}
    assert figures['policy sweep', 'SPL, first mission'] == 0.5
    assert figures['policy likely_first', 'SPL, first mission'] == 0.9
    assert figures['policy likely_first', 'success, first mission [share]'] == 0.0
    assert figures['all', 'crashed cases'] == 2
    lines = lines_of(table)
    assert lines[1:3] == ['', '[policy sweep]'] and '[policy likely_first / sweep]' in lines


def test_policies_are_compared_pair_by_pair() -> None:
    """Where one of the two has no SPL the pair counts for nothing."""
    groups = named_groups(runs_of(SWEEP, 0.4, 0.6, None, 0.5)
                          + runs_of(LIKELY, 0.8, 0.4, 1.0, path_m=5.0))
    spl, way, time = compared(groups)
    assert spl.name == 'SPL, ratio of means over 2 pairs'
    assert spl.figure == pytest.approx(1.2)
    assert spl.interval == pytest.approx((0.4 / 0.6, 2.0))
    assert (way.figure, way.interval) == (0.5, (0.5, 0.5))
    assert time.figure == 1.0


def test_robot_that_lacks_a_part_is_compared_with_the_whole() -> None:
    lacking = replace(SWEEP, without='second_view')
    spl, *_ = compared(named_groups(runs_of(SWEEP, 0.4) + runs_of(lacking, 0.2)))
    assert (spl.group, spl.figure) == ('without second_view / nothing', 0.5)


@pytest.mark.parametrize('part', ABLATIONS)
def test_what_is_left_out_changes_what_the_nodes_are_told(part: str) -> None:
    told = BeliefConfig()
    assert (replace(told, **ABLATIONS[part]) == told) == (part in (WHOLE, FORGETFUL))


def test_what_forgets_has_a_memory_for_each_mission() -> None:
    folder = Path('case')
    assert len({memory_file(FORGETFUL, folder, number) for number in (1, 2)}) == 2
    assert len({memory_file(WHOLE, folder, number) for number in (1, 2)}) == 1


def test_each_part_that_is_left_out_is_carried_out_beside_the_whole() -> None:
    plan = plan_of(parse(['missions', '--without', 'second_view', '--without', 'second_looks']))
    assert [one.without for one in plan.robots()] == ['nothing', 'second_view', 'second_looks']


def test_only_what_differs_in_nothing_but_the_policy_is_compared() -> None:
    assert compared(named_groups(runs_of(SWEEP, 0.4) + runs_of(HARSH, 0.6))) == []


def test_a_policy_that_never_arrives_is_no_basis() -> None:
    spl, *_ = compared(named_groups(runs_of(SWEEP, 0.0, 0.0) + runs_of(LIKELY, 0.5, 0.5)))
    assert spl.figure == math.inf


def test_an_interval_is_of_homes_not_of_missions() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.5, 0.1, 40)
    alone = interval_of([np.array([value]) for value in values], lambda v: float(v.mean()))
    low, high = alone or (0.0, 0.0)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / math.sqrt(40), rel=0.15)
    again = interval_of([np.full(9, value) for value in values], lambda v: float(v.mean()))
    assert again == pytest.approx(alone), 'nine alike missions in a home tell no more than one'


@pytest.mark.parametrize('homes', [[], [[0.5, 0.7]], [[0.5], []]])
def test_one_home_tells_of_no_other(homes: list[list[float]]) -> None:
    assert interval_of([np.array(one) for one in homes], np.mean) is None


def test_values_are_put_together_by_home() -> None:
    assert [one.tolist() for one in by_home([('a', 1.0), ('b', 2.0), ('a', 3.0)])] == [
        [1.0, 3.0], [2.0]]


def test_a_table_shows_how_sure_a_figure_is() -> None:
    assert lines_of([Measure('SPL', 0.5, interval=(0.4123, 0.6)), Measure('calls', 9.0)]) == [
        'measure | figure | 95 %         | bar | holds',
        'SPL     | 0.5    | 0.412 to 0.6 |     |',
        'calls   | 9      |              |     |']


def test_robots_of_a_command_line_are_side_by_side() -> None:
    chosen = parse(['missions', '--policy', 'sweep', '--policy', 'likely_first', '--policy',
                    'sweep', '--model-profile', 'default', '--model-profile', 'harsh'])
    plan = plan_of(chosen)
    assert [(one.model_profile, one.policy) for one in plan.robots()] == [
        ('default', 'sweep'), ('default', 'likely_first'),
        ('harsh', 'sweep'), ('harsh', 'likely_first')]
    cases = replace(plan, seeds=(1, 2), model_profiles=('default',)).cases()
    assert [(case.policy, case.seed) for case in cases] == [
        ('sweep', 1), ('sweep', 2), ('likely_first', 1), ('likely_first', 2)]


def test_of_one_robot_lost_missions_widen_the_interval() -> None:
    table = {one.name: one for one in Summary(
        [replace(GOOD, seed=seed) for seed in range(8)]
        + [replace(LOST, seed=seed) for seed in (8, 9)]).measures()}
    success = table['success, first mission [share]']
    assert success.figure == 0.8 and success.holds
    assert success.interval == pytest.approx((0.5, 1.0), abs=0.101)


def test_both_worlds_stand_beside_each_other_over_the_missions_that_ended_in_both() -> None:
    kind, harder = runs_of(LIKELY, 0.8, 0.6, 0.4), runs_of(HARDER, 0.4, 0.3)
    harder[1] = replace(harder[1], success=False)
    [table] = both_worlds([*kind, *harder, *runs_of(HARSH, 0.1)], Bars())
    head, *rows = [[cell.strip() for cell in line.split('|')] for line in table]
    assert head[0] == '2 missions in each' and head[2] == '95 %' and MEASURED in head[3]
    found = {name.partition(' [')[0]: cells for name, *cells in rows}
    assert [found['SPL, first mission'][at] for at in (0, 2)] == ['0.7', '0.35']
    assert [found['success, first mission'][at] for at in (0, 2)] == ['1', '0.5']
    assert found['success, first mission'][3] == '0 to 1'


def test_one_world_stands_beside_nothing() -> None:
    for runs in ([], runs_of(LIKELY, 0.8), runs_of(HARDER, 0.8),
                 [*runs_of(LIKELY, 0.8), *runs_of(SWEEP, 0.8), *runs_of(HARSH, 0.8)],
                 [*runs_of(LIKELY, 0.8), *(replace(run, seed=7) for run in runs_of(HARDER, 0.8))]):
        assert list(both_worlds(runs, Bars())) == []


def test_the_measured_world_is_compared_with_the_other_in_pairs() -> None:
    kind, harder = runs_of(LIKELY, 0.8, 0.4), runs_of(HARDER, 0.4, 0.2)
    harder[1] = replace(harder[1], success=False)
    table = {one.name: one for one in compared({'kind': kind, 'harder': harder})}
    assert {one.group for one in table.values()} == {'harder / default, usual_places False'}
    assert table['success, difference over 2 pairs'].figure == -0.5
    assert table['success, difference over 2 pairs'].interval == (-1.0, 0.0)
    assert table['SPL, ratio of means over 2 pairs'].figure == pytest.approx(0.5)
    assert compared({'kind': kind, 'harsh': runs_of(HARSH, 0.4, 0.2)}) == []


def test_each_robot_is_carried_out_in_both_worlds_with_the_same_seeds_and_goals() -> None:
    plan = plan_of(parse(['missions', '--measured', '--policy', 'sweep', '--policy',
                          'likely_first', '--seed', '1-3']))
    robots = plan.robots()
    assert [(one.policy, one.model_profile, one.usual_places) for one in robots] == [
        ('sweep', 'default', False), ('likely_first', 'default', False),
        ('sweep', MEASURED, True), ('likely_first', MEASURED, True)]
    cases = plan.cases()
    assert len({(case.world, case.seed, case.goal) for case in cases}) == 3
    assert len(cases) == 3 * len(robots)
    faulty = plan_of(parse(['missions', '--measured', '--model-profile', 'default+half_silent']))
    assert [one.model_profile for one in faulty.robots()] == [
        'default+half_silent', f'{MEASURED}+half_silent']
    assert plan_of(parse(['missions', '--usual-places'])).robots() == [
        replace(Options(), usual_places=True)]
