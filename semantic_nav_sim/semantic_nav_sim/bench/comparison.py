"""Comparison of robots that differ in one thing, in the same homes with the same goals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from semantic_nav.show.table import Measure, at_least
from semantic_nav_sim.bench.block import Bars
from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.bench.intervals import Values, by_home, interval_of
from semantic_nav_sim.bench.runs import Run

Pair = tuple[Run, Run]
#: Options in which compared robots may differ, for each kind of comparison.
_POLICY, _THROUGH = ('policy', 'without'), ('through',)
WORLD = ('model_profile', 'usual_places')


def compared(groups: Mapping[str, Sequence[Run]], bar: float = Bars.alike) -> list[Measure]:
    """Compare each robot with the first one that differs in policy or a left-out part alone.

    Robots in the measured world are compared with those in the default world in the same way.

    If missions were also carried out through the nodes, the table tells how many of them ended
    like those of the same robot through the cores.
    """
    table = []
    bases: dict[object, Sequence[Run]] = {}
    for name, runs in groups.items():
        for differing in (_POLICY, _THROUGH, WORLD):
            base = bases.setdefault(alike(runs[0].options, differing), runs)
            if base is runs or (differing is WORLD and _same_places(base, runs)):
                continue
            one, other = vars(base[0].options), vars(runs[0].options)
            against = ', '.join(one[what] if isinstance(one[what], str) else f'{what} {one[what]}'
                                for what in differing if one[what] != other[what])
            pairs = _pairs(base, runs)
            table += [replace(measure, group=f'{name} / {against}') for measure in (
                *(_ended_alike(pairs, bar) if differing is _THROUGH else ()),
                *(_gained(pairs) if differing is WORLD else ()),
                *_ratios(pairs))]
    return table


def _same_places(one: Sequence[Run], other: Sequence[Run]) -> bool:
    return one[0].options.usual_places == other[0].options.usual_places


def alike(options: Options, differing: tuple[str, ...]) -> object:
    """Key that all robots of a comparison share."""
    return differing, *(value for name, value in vars(options).items() if name not in differing)


def _pairs(base: Sequence[Run], runs: Sequence[Run]) -> list[Pair]:
    """Pairs of the first missions that both robots carried out."""
    first = {run.case: run for run in base if run.number == 1}
    return [(first[run.case], run) for run in runs if run.number == 1 and run.case in first]


def _ended_alike(pairs: Sequence[Pair], bar: float) -> list[Measure]:
    """Number of pairs with the same outcome of which both are right or both are wrong."""
    if not pairs:
        return []
    alike = [(one.outcome, one.success) == (other.outcome, other.success) for one, other in pairs]
    return [Measure('pairs', len(pairs)), Measure('pairs that ended alike', sum(alike)),
            at_least('pairs that ended alike [share]', mean(alike), bar)]


def _gained(pairs: Sequence[Pair]) -> list[Measure]:
    """Gain in success of the second of each pair over the first."""
    homes = by_home([(run.home, float(run.success) - float(base.success)) for base, run in pairs])
    if not homes:
        return []
    return [Measure(f'success, difference over {len(pairs)} pairs', _mean(np.concatenate(homes)),
                    interval=interval_of(homes, _mean))]


def _mean(values: Values) -> float:
    return float(values.mean())


def _ratios(pairs: Sequence[Pair]) -> list[Measure]:
    spls = by_home([(run.home, [base.spl, run.spl]) for base, run in pairs
                    if base.spl is not None and run.spl is not None])
    ways = by_home([(run.home, [base.path_m, run.path_m]) for base, run in pairs])
    times = by_home([(run.home, [base.simulated_s, run.simulated_s]) for base, run in pairs])
    return [Measure(name, figure(np.concatenate(homes)), interval=interval_of(homes, figure))
            for name, homes, figure in (
                (f'SPL, ratio of means over {sum(map(len, spls))} pairs', spls, _of_means),
                ('way, ratio of 95th percentiles', ways, _of_percentiles),
                ('simulated time, ratio of means', times, _of_means)) if homes]


def _of_means(pairs: Values) -> float:
    return _over(*pairs.mean(axis=0))


def _of_percentiles(pairs: Values) -> float:
    return _over(*np.percentile(pairs, 95, axis=0))


def _over(base: float, other: float) -> float:
    if base:
        return float(other / base)
    return math.inf if other else math.nan
