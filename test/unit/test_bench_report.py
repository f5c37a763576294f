"""What the benchmark makes of its runs: the least way there is, the table, the bars."""

import copy
import json
import math
import signal
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import small_world
from bench_runs import ABSENT, GOOD, LOST, SECOND

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.show.table import Measure, at_least, at_most, lines_of
from semantic_nav.verify.config import VerifierConfig
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.optimal import shortest_way_m
from semantic_nav_sim.bench.robot_configs import configs_for
from semantic_nav_sim.bench.runs import Run, describe, judgement
from semantic_nav_sim.bench.summary import Summary
from semantic_nav_sim.cli import bench, bench_missions
from semantic_nav_sim.judge import Ruling
from semantic_nav_sim.robot.shape import shape_of
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.scene import Stage, build_scene, stage

STAND_OFF_M = 1.2
#: Before the target, and elsewhere.
HERE = Ruling(True, '0.9 m from it', (3.0, 4.0, 0.8), Pose2D(2.0, 4.0, 0.0), 0, 10.0)
ELSEWHERE = replace(HERE, reached=False)
#: A little too far away, or not quite turned to it.
SHORT = replace(ELSEWHERE, near=True)
HONESTY = 'says arrived and not here only where it is so'


def measured(*runs: Run) -> dict[str, Measure]:
    return {measure.name.partition(' [')[0]: measure for measure in Summary([*runs]).measures()}


def short(*runs: Run) -> set[str]:
    """Return the names of what falls short of its bar."""
    return {name for name, measure in measured(*runs).items() if measure.holds is False}


# The table

def test_a_bar_is_reached_from_its_own_side() -> None:
    assert [at_least('x', figure, 0.8).holds for figure in (0.79, 0.8, 0.81)] == [
        False, True, True]
    assert [at_most('x', figure, 0).holds for figure in (0, 1)] == [True, False]
    assert Measure('x', 1.0).holds is None
    assert at_least('x', math.nan, 0.8).holds is False


def test_the_table_is_aligned() -> None:
    assert lines_of([at_least('success', 1.0, 0.8), at_most('collisions', 12.34567, 0.5),
                     Measure('way [m]', 3.0)]) == [
        'measure    | figure | bar    | holds',
        'success    | 1      | >= 0.8 | yes',
        'collisions | 12.35  | <= 0.5 | NO',
        'way [m]    | 3      |        |']


# The report

def test_good_runs_hold_every_bar() -> None:
    table = measured(GOOD, SECOND)
    assert short(GOOD, SECOND) == set()
    assert sum(measure.holds is True for measure in table.values()) == 5
    assert table['success, first mission'].figure == 1.0
    assert table['SPL, first mission'].figure == 0.8
    assert table['times real time, median'].figure == 20.0
    assert table['second way / first, median'].figure == 0.7


@pytest.mark.parametrize(('runs', 'name'), [
    ([GOOD, LOST], 'success, first mission'),
    ([replace(GOOD, honest=False)], HONESTY),
    ([GOOD, replace(SECOND, honest=False)], HONESTY),
    ([replace(GOOD, collisions=1)], 'collisions a mission, mean'),
    ([GOOD, replace(SECOND, unvetted=('ab' * 16,))], 'unvetted goals'),
    ([GOOD, replace(SECOND, path_m=7.1)], 'second way <= 0.7 of the first')])
def test_each_bar_can_fall_short(runs: list[Run], name: str) -> None:
    assert short(*runs) == {name}


def test_a_slow_machine_is_no_failure() -> None:
    slow = replace(GOOD, wall_s=1200.0)
    assert measured(slow)['times real time, median'] == Measure('times real time, median', 0.1)
    assert short(slow) == set()


@pytest.mark.parametrize(('outcome', 'ruling', 'shortest_m', 'judged'), [
    (Outcome.ARRIVED, HERE, 8.0, (True, True, True, 0.8)),
    (Outcome.ARRIVED, HERE, 12.0, (True, True, True, 1.0)),
    (Outcome.ARRIVED, HERE, 0.0, (True, True, True, None)),
    (Outcome.ARRIVED, ELSEWHERE, 8.0, (False, False, False, 0.0)),
    (Outcome.GAVE_UP, HERE, 8.0, (False, False, True, 0.0)),
    (Outcome.NOT_HERE, ELSEWHERE, 8.0, (False, False, False, 0.0)),
    (Outcome.NOT_HERE, ELSEWHERE, math.inf, (False, False, True, None)),
    (None, ELSEWHERE, 8.0, (False, False, True, 0.0))])
def test_an_outcome_is_judged_by_the_truth(
        outcome: Outcome | None, ruling: Ruling, shortest_m: float,
        judged: tuple[bool, bool, bool, float | None]) -> None:
    found = judgement(outcome, ruling, shortest_m, 4.0, absent=False)
    assert (found.reached, found.success, found.honest, found.spl) == judged
    assert not found.absent


@pytest.mark.parametrize(('ruling', 'shortest_m', 'left_m', 'soft_spl'), [
    (HERE, 8.0, 0.3, 0.8),  # where it is reached no way is left
    (ELSEWHERE, 8.0, 2.0, 0.75 * 0.8), (ELSEWHERE, 12.0, 3.0, 0.75),
    (ELSEWHERE, 8.0, 9.0, 0.0), (ELSEWHERE, 8.0, math.inf, 0.0),
    (ELSEWHERE, 0.0, 1.0, None), (ELSEWHERE, math.inf, math.inf, None)])
def test_soft_spl_is_the_share_of_the_way_that_was_made_up_for(
        ruling: Ruling, shortest_m: float, left_m: float, soft_spl: float | None) -> None:
    for outcome in (Outcome.ARRIVED, Outcome.GAVE_UP, None):
        found = judgement(outcome, ruling, shortest_m, left_m, absent=False)
        assert found.soft_spl == pytest.approx(soft_spl)


@pytest.mark.parametrize(('outcome', 'ruling', 'absent', 'wrong'), [
    (Outcome.ARRIVED, HERE, False, False), (Outcome.ARRIVED, SHORT, False, False),
    (Outcome.ARRIVED, ELSEWHERE, False, True), (Outcome.ARRIVED, ELSEWHERE, True, True),
    (Outcome.GAVE_UP, ELSEWHERE, False, False), (Outcome.NOT_HERE, ELSEWHERE, True, False)])
def test_whoever_stops_short_of_it_stands_before_nothing_else(
        outcome: Outcome, ruling: Ruling, absent: bool, wrong: bool) -> None:
    assert judgement(outcome, ruling, 8.0, 2.0, absent=absent).wrong_object is wrong


@pytest.mark.parametrize(('outcome', 'success', 'honest'), [
    (Outcome.NOT_HERE, True, True), (Outcome.ARRIVED, False, False),
    (Outcome.GAVE_UP, False, True)])
def test_what_is_not_there_is_rightly_not_found(outcome: Outcome, success: bool,
                                                honest: bool) -> None:
    found = judgement(outcome, ELSEWHERE, math.inf, math.inf, absent=True)
    assert (found.success, found.honest, found.reached, found.spl) == (
        success, honest, False, None)


def test_an_undefined_spl_is_left_out_of_the_mean_and_counted() -> None:
    there_already = replace(GOOD, seed=2, shortest_m=0.0, spl=None)
    table = measured(GOOD, there_already)
    assert table['SPL, first mission'].figure == 0.8
    assert table['SPL undefined, first mission'].figure == 1
    assert math.isnan(measured(there_already)['SPL, first mission'].figure)


def test_absent_goals_are_part_of_the_success_and_have_a_line_of_their_own() -> None:
    table = measured(GOOD, ABSENT, replace(ABSENT, seed=3, success=False))
    assert table['success, first mission'].figure == pytest.approx(2 / 3)
    assert table['success where the target is absent'].figure == 0.5
    assert 'success where the target is absent' not in measured(GOOD)


def test_not_here_is_measured_where_something_is_absent() -> None:
    overlooked = replace(LOST, seed=3, outcome='not_here', honest=False, false_not_here=True)
    walled_in = replace(LOST, seed=4, outcome='not_here', shortest_m=math.inf, spl=None)
    given_up = replace(ABSENT, seed=5, outcome='gave_up', success=False)
    table = measured(GOOD, ABSENT, overlooked, walled_in, given_up)
    assert table['false not here'].figure == 1
    assert table['not here, precision'].figure == pytest.approx(2 / 3)
    assert table['not here, recall'].figure == 0.5
    assert 'not here, recall' not in measured(GOOD, overlooked)
    assert math.isnan(measured(given_up)['not here, precision'].figure)


def test_stops_and_crossings_are_told() -> None:
    table = measured(GOOD, replace(LOST, seed=3, wrong_object=True, room_crossings=5))
    assert table['stops before a wrong object'].figure == 1
    assert table['room crossings, first mission, mean'].figure == 3.5
    assert table['soft-SPL, first mission'].figure == pytest.approx(0.6)


def test_a_brier_score_is_told_only_where_probabilities_are() -> None:
    name = 'Brier score of P'
    assert not any(name in one for one in measured(GOOD, ABSENT))
    table = measured(replace(GOOD, p_here=0.9), replace(ABSENT, p_here=0.3), GOOD)
    assert table['Brier score of P(here)'].figure == pytest.approx((0.01 + 0.09) / 2)


def test_no_second_way_is_compared_where_there_is_nowhere_to_go() -> None:
    again = replace(ABSENT, number=2)
    assert not any('second' in name for name in measured(ABSENT, again))
    assert measured(GOOD, SECOND, ABSENT, again)['second way / first, median'].figure == 0.7


def test_second_missions_count_in_no_first_figure() -> None:
    lost_again = replace(SECOND, reached=False, spl=0.0, model_calls=99)
    table = measured(GOOD, lost_again)
    assert table['success, first mission'].figure == 1.0
    assert table['model calls, first mission, median'].figure == 12


def test_without_second_missions_nothing_is_said_of_them() -> None:
    assert not any('second' in name for name in measured(GOOD))


def test_each_second_way_is_compared_with_the_first_of_its_home() -> None:
    long, short_way = replace(GOOD, seed=2, path_m=100.0), replace(SECOND, seed=2, path_m=50.0)
    table = measured(GOOD, long, short_way, SECOND)
    assert table['second way / first, median'].figure == pytest.approx((0.7 + 0.5) / 2)
    for other in (replace(SECOND, world='generated:1:5'), replace(SECOND, goal='find that')):
        assert 'second way / first, median' not in measured(GOOD, other)


@pytest.mark.parametrize('runs', [
    (LOST, SECOND), (GOOD, replace(SECOND, reached=False))])
def test_a_second_way_to_nowhere_is_no_short_one(runs: tuple[Run, ...]) -> None:
    assert measured(*runs)['second way / first, median'].figure == math.inf


def test_crashes_fall_short() -> None:
    table = {one.name: one for one in Summary([GOOD], crashed=1).measures()}
    assert table['crashed cases'].holds is False
    assert 'crashed cases' not in measured(GOOD)


def test_refusals_are_added_up() -> None:
    table = measured(GOOD, replace(SECOND, refusals={'UNREACHABLE': 1, 'STALE': 4}))
    assert (table['refusals UNREACHABLE'].figure, table['refusals STALE'].figure) == (3, 4)
    assert list(table)[-2:] == ['refusals STALE', 'refusals UNREACHABLE']


def test_a_run_is_one_line() -> None:
    said = describe(replace(LOST, reason='the time is used up'))
    assert '\n' not in said
    for part in ("generated:1 seed 1 mission 1, 'find it'",
                 'NOT REACHED, gave_up (the time is used up)',
                 '10.0 m driven of 8.0 m', '12 calls', '120 s at 20.0x'):
        assert part in said
    assert ': reached, arrived' in describe(GOOD)
    assert ': rightly not found, not_here' in describe(ABSENT)
    assert 'driven of no way' in describe(ABSENT)


# The least way

def staged(seed: int, document: dict[str, Any] = small_world.DOCUMENT) -> Stage:
    return stage(build_scene(world_from(copy.deepcopy(document))), seed)


def mug_of(there: Stage) -> dict[str, Any]:
    return next(asdict(truth) for truth in there.truth() if truth.id == 'red_mug')


def test_the_shortest_way_leads_through_the_door() -> None:
    there = staged(small_world.SEED_STOOL)
    mug, start = mug_of(there), there.start
    straight_m = start.distance_to(*mug['position'][:2])
    door = (3.0, 1.25)  # as far to the right in it as the robot fits
    around_m = start.distance_to(*door) + math.dist(door, mug['position'][:2])
    way_m = shortest_way_m(there, [mug], STAND_OFF_M)
    # Ways of a grid are up to 8 % longer than straight ones.
    assert straight_m - STAND_OFF_M - 0.1 <= way_m <= 1.09 * (around_m - STAND_OFF_M) + 0.2


@pytest.mark.parametrize('gap_m', [0.0, 0.3])
def test_a_wall_is_one_where_furniture_stands_against_its_far_side(gap_m: float) -> None:
    document = small_world.document()
    document['furniture'] = [{
        'id': 'table', 'kind': 'dining table', 'name': 'table', 'colour': 'brown',
        'at_m': [3.25 + gap_m, 2.5], 'size_m': [0.4, 0.6, 0.75]}]
    document['objects'] = document['objects'][:1]
    document['placements'][0]['alternatives'] = [{'support': 'table'}]
    there = staged(small_world.SEED_TABLE, document)
    mug = mug_of(there)
    way_m = shortest_way_m(there, [mug], STAND_OFF_M)
    # Whoever stands before the table in its own room has come through the door.
    into_the_doorway_m = there.start.distance_to(2.95, 1.45)
    assert way_m >= into_the_doorway_m - 0.2
    assert way_m < math.inf


def test_a_wider_stand_off_is_a_shorter_way() -> None:
    there = staged(small_world.SEED_STOOL)
    near, far = (shortest_way_m(there, [mug_of(there)], stand_off) for stand_off in (0.8, 1.3))
    assert near - far == pytest.approx(0.5, abs=0.1)


def test_of_several_the_nearest_is_the_least_way() -> None:
    there = staged(small_world.SEED_STOOL)
    items = {truth.id: asdict(truth) for truth in there.truth()}
    ways = {name: shortest_way_m(there, [items[name]], STAND_OFF_M)
            for name in ('table', 'red_mug')}
    both = [items['red_mug'], items['table']]
    assert shortest_way_m(there, both, STAND_OFF_M) == ways['table'] < ways['red_mug']
    assert shortest_way_m(there, [], STAND_OFF_M) == math.inf


def test_from_nearer_less_is_left() -> None:
    there = staged(small_world.SEED_STOOL)
    mug = mug_of(there)
    door = Pose2D(3.3, 1.45, 0.0)
    whole_m, left_m = (shortest_way_m(there, [mug], STAND_OFF_M, begin) for begin in (None, door))
    assert 0.0 < left_m < whole_m - 1.5


def test_who_stands_there_already_need_not_drive() -> None:
    there = staged(small_world.SEED_TABLE)
    here = {**mug_of(there), 'position': (there.start.x, there.start.y, 0.5)}
    assert shortest_way_m(there, [here], STAND_OFF_M) == 0.0


def test_no_way_leads_through_a_wall() -> None:
    document = small_world.document()
    del document['walls'][-1]['openings']
    there = staged(small_world.SEED_STOOL, document)
    assert shortest_way_m(there, [mug_of(there)], STAND_OFF_M) == math.inf


def test_the_reason_is_told_whole() -> None:
    reason = 'looked everywhere: ' + 'and here too, ' * 20 + 'and not here'
    assert reason in describe(replace(LOST, reason=reason))


def test_ctrl_c_leaves_the_table_of_what_was_finished(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Two missions end; in the third somebody presses Ctrl-C."""
    def ended(case: Case, folder: Path) -> Iterator[Run]:
        del folder
        if case.seed == 3:
            signal.raise_signal(signal.SIGINT)
        yield replace(GOOD, seed=case.seed)

    monkeypatch.setattr(bench_missions, 'run_case', ended)
    file = tmp_path / 'figures.json'
    assert bench.main(['missions', '--seed', '1-4', '--runs', '1', '--json', str(file)]) == 130
    said = capsys.readouterr()
    assert said.err.endswith('bench: interrupted; the table is of what was finished\n')
    assert said.out.count(': reached, arrived') == 2
    assert 'success, first mission [share]' in said.out
    assert len(json.loads(file.read_text())['runs']) == 2


def test_ctrl_c_before_a_mission_was_finished_leaves_no_table(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(case: Case, folder: Path) -> Iterator[Run]:
        del case, folder
        signal.raise_signal(signal.SIGINT)
        yield GOOD

    monkeypatch.setattr(bench_missions, 'run_case', pressed)
    assert bench.main(['missions', '--seed', '1', '--runs', '1']) == 130
    said = capsys.readouterr()
    assert said.out == '' and said.err.endswith('bench: interrupted\n')


def test_long_robot_stands_farther_off_by_its_nose() -> None:
    for name, radius_m in (('', 0.22), ('round:0.28', 0.325)):
        told = configs_for(shape_of(name))
        assert (told['belief'], told['verifier']) == (
            BeliefConfig(), VerifierConfig(robot_radius=radius_m))
    long = configs_for(shape_of('rectangle:0.7x0.5'))
    assert long['belief'].stand_off_m == pytest.approx(1.35)
    assert long['verifier'].stand_off_last_m == pytest.approx(1.25)
    assert long['verifier'].footprint == shape_of('rectangle:0.7x0.5').footprint != ''
