"""The table rows for the runs of one robot."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median

import numpy as np

from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.show.table import Measure, at_least, at_most
from semantic_nav_sim.bench.cases import INFORMED
from semantic_nav_sim.bench.intervals import Values, by_home, interval_of
from semantic_nav_sim.bench.runs import Run

#: Largest length of the second way, as a share of the first, at which the memory was worth it.
SECOND_SHARE = 0.7
#: Shortest way to the target, in metres, for which that share means anything.
_SOME_WAY_M = 1.0


@dataclass(frozen=True)
class Bars:
    """Limits for the figures of a robot.

    Attributes:
        success: least share of first missions that succeed.
        honest: least share of missions without a false claim about the place of the target.
        collisions: most collisions a mission, on average.
        second: least share of second missions whose memory was worth it, see SECOND_SHARE.
        alike: least share of first missions that end alike through the nodes and the cores.
    """

    success: float = 0.8
    honest: float = 1.0
    collisions: float = 0.5
    second: float = 0.7
    alike: float = 0.9


def block_of(runs: Sequence[Run], bars: Bars) -> list[Measure]:
    """The table rows for missions, some of which are first ones.

    The bound is no robot: it has fewer rows and no limits.
    """
    first = [run for run in runs if run.number == 1]
    if first and first[0].options.policy == INFORMED:
        return [replace(one, bar='', holds=None) for one in _first_missions(first, bars)]
    return [
        *_first_missions(first, bars),
        Measure('model calls, first mission, median',
                median(run.model_calls for run in first)),
        at_least('says arrived and not here only where it is so [share]',
                 mean(run.honest for run in runs), bars.honest),
        Measure('stops before a wrong object', sum(run.wrong_object for run in runs)),
        Measure('false not here', sum(run.false_not_here for run in runs)),
        *_not_here(runs), *_brier(runs),
        at_most('collisions a mission, mean', mean(run.collisions for run in runs),
                bars.collisions),
        at_most('unvetted goals', sum(len(run.unvetted) for run in runs), 0),
        Measure('room crossings, first mission, mean',
                mean(run.room_crossings for run in first)),
        Measure('times real time, median', median(run.speed for run in runs)),
        *_second_missions(runs, bars.second), *_refusals(runs)]


def _first_missions(first: Sequence[Run], bars: Bars) -> list[Measure]:
    """Rows for success, path length and time of first missions."""
    absent = [run.success for run in first if run.absent]
    undefined = sum(run.spl is None for run in first)
    return [
        at_least('success, first mission [share]', mean(run.success for run in first),
                 bars.success, _interval(first, lambda run: float(run.success), _mean)),
        *([Measure('success where the target is absent [share]', mean(absent))]
          if absent else []),
        _measured('SPL, first mission', first, lambda run: run.spl, _mean),
        _measured('soft-SPL, first mission', first, lambda run: run.soft_spl, _mean),
        Measure('SPL undefined, first mission', undefined),
        _measured('way, first mission, 95th percentile [m]', first, lambda run: run.path_m,
                  _percentile),
        Measure('simulated time, first mission, median [s]',
                median(run.simulated_s for run in first))]


def _measured(name: str, runs: Sequence[Run], value: Callable[[Run], float | None],
              figure: Callable[[Values], float]) -> Measure:
    """A figure of the runs that have a value, with its confidence interval."""
    values = [one for run in runs if (one := value(run)) is not None]
    return Measure(name, figure(np.array(values)) if values else math.nan,
                   interval=_interval(runs, value, figure))


def _interval(runs: Sequence[Run], value: Callable[[Run], float | None],
              figure: Callable[[Values], float]) -> tuple[float, float] | None:
    return interval_of(by_home([(run.home, one) for run in runs
                                if (one := value(run)) is not None]), figure)


def _mean(values: Values) -> float:
    return float(values.mean())


def _percentile(values: Values) -> float:
    return float(np.percentile(values, 95))


def _not_here(runs: Sequence[Run]) -> list[Measure]:
    """Precision and recall of *not here*, if the target is absent in some runs.

    For a target that is present but out of reach, *not here* is right. It counts for the precision
    but not for the recall.
    """
    absent = [run.success for run in runs if run.absent]
    said = [not run.false_not_here for run in runs if run.outcome == Outcome.NOT_HERE.value]
    if not absent:
        return []
    return [Measure('not here, precision', mean(said) if said else math.nan),
            Measure('not here, recall', mean(absent))]


def _brier(runs: Sequence[Run]) -> list[Measure]:
    """Mean squared error of P(here) (Brier, 1950), over the runs that state it."""
    errors = [(run.p_here - (not run.absent)) ** 2 for run in runs if run.p_here is not None]
    return [Measure('Brier score of P(here)', mean(errors))] if errors else []


def _second_missions(runs: Sequence[Run], bar: float) -> list[Measure]:
    shares = _second_shares(runs)
    if not shares:
        return []
    good = mean(share <= SECOND_SHARE for share in shares)
    return [at_least(f'second way <= {SECOND_SHARE} of the first [share]', good, bar),
            Measure('second way / first, median', median(shares))]


def _second_shares(runs: Sequence[Run]) -> list[float]:
    """Length of the second way over the first, for cases with some way to go in the first."""
    second = {run.case: run for run in runs if run.number == 2}
    pairs = [(run, second[run.case]) for run in runs
             if run.number == 1 and run.case in second
             and _SOME_WAY_M <= run.shortest_m < math.inf]
    return [two.path_m / one.path_m if one.reached and two.reached else float('inf')
            for one, two in pairs]


def _refusals(runs: Sequence[Run]) -> list[Measure]:
    refusals: Counter[str] = Counter()
    for run in runs:
        refusals.update(run.refusals)
    return [Measure(f'refusals {code}', count) for code, count in sorted(refusals.items())]
