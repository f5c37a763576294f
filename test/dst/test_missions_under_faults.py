"""Whole missions while everything goes wrong: the part that is run each time (`make dst`)."""

import faults
import pytest
from nightly import seeds_of_tonight, some
from plan import LIVENESS_S, SAFETY_S, Fault, draw
from run import Home, command, judge
from shrink import shrink

#: Seeds a test: enough that a worker is busy, few enough that one that fails is found soon.
_SEEDS = 10
_SAFETY, _LIVENESS = some((20, 10), (240, 60))


def firsts(count: int) -> list[int]:
    """Return the first seed of each test: the usual ones, and as many new ones each night."""
    return [*range(1, count + 1, _SEEDS), *seeds_of_tonight(count)[::_SEEDS]]


def broken(seeds: range, mode: str, where: Home) -> list[str]:
    """Return what seeds break, with the commands that replay it."""
    return [f'{words}: {command(seed, mode)}' for seed in seeds
            for words in judge(seed, mode, where)['broken'].values()]


@pytest.mark.parametrize('first', firsts(_SAFETY))
def test_nothing_unsafe_happens_whatever_goes_wrong(first: int, where: Home) -> None:
    assert broken(range(first, first + _SEEDS), 'safety', where) == []


@pytest.mark.parametrize('first', firsts(_LIVENESS))
def test_missions_end_well_once_all_is_well_again(first: int, where: Home) -> None:
    assert broken(range(first, first + _SEEDS), 'liveness', where) == []


def test_a_seed_fixes_the_plan() -> None:
    assert draw(7, 'safety') == draw(7, 'safety') != draw(8, 'safety')


def test_faults_heal_for_good_in_liveness_mode() -> None:
    for seed in range(200):
        plan = draw(seed, 'liveness')
        assert 0.0 < plan.heal_s <= LIVENESS_S + 10.0
        assert all(one.at_s + one.for_s <= plan.heal_s + 0.001 for one in plan.faults)
        assert not plan.has('cancel', 'goal')


def test_seeds_differ_in_what_goes_wrong() -> None:
    kinds = [frozenset(one.kind for one in draw(seed, 'safety').faults) for seed in range(200)]
    assert len(set(kinds)) > 120
    assert len(frozenset.union(*kinds)) >= 20
    assert all(one.at_s <= SAFETY_S for seed in range(50)
               for one in draw(seed, 'safety').faults if one.kind != 'resume')


def test_fault_of_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match='frost'):
        faults.begin(None, Fault('frost', 0.0))


def test_what_fails_is_shrunk_to_what_it_takes() -> None:
    assert shrink(range(20), lambda numbers: {3, 17} <= set(numbers)) == (3, 17)
    assert shrink(range(20), lambda numbers: 5 in numbers) == (5,)
    assert shrink(range(20), lambda numbers: True) == ()
