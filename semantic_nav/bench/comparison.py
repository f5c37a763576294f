"""How policies compare, and robots that lack a part, in the same homes with the same goals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from semantic_nav.bench.intervals import Values, by_home, interval_of
from semantic_nav.bench.runs import Run
from semantic_nav.bench.table import Measure

Pair = tuple[Run, Run]


def compared(groups: Mapping[str, Sequence[Run]]) -> list[Measure]:
    """Return how each compares with the first that differs in policy or a missing part alone."""
    table = []
    bases: dict[object, Sequence[Run]] = {}
    for name, runs in groups.items():
        options = runs[0].options
        alike = replace(options, policy='', without='')
        base = bases.setdefault(alike, runs)
        if base is not runs:
            other = base[0].options
            against = ', '.join(first for first, second in (
                (other.policy, options.policy), (other.without, options.without))
                if first != second)
            table += [replace(one, group=f'{name} / {against}')
                      for one in _ratios(_pairs(base, runs))]
    return table


def _pairs(base: Sequence[Run], runs: Sequence[Run]) -> list[Pair]:
    """Return the first missions that both carried out."""
    first = {run.case: run for run in base if run.number == 1}
    return [(first[run.case], run) for run in runs if run.number == 1 and run.case in first]


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
