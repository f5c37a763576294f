"""The lines of the table for the runs of one robot."""

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

#: A second mission is worth its memory if its way is at most this share of the first.
SECOND_SHARE = 0.7
#: Of a shorter way than this to the target, in metres, a share says nothing.
_SOME_WAY_M = 1.0


@dataclass(frozen=True)
class Bars:
    """What the figures of a robot are held to.

    Attributes:
        success: least share of first missions.
        honest: least share of missions that say nothing false of where the target is.
        collisions: most of them a mission, on average.
        second: least share of second ways that are worth the memory.
        alike: least share of first missions that end through the nodes as through the cores.
    """

    success: float = 0.8
    honest: float = 1.0
    collisions: float = 0.5
    second: float = 0.7
    alike: float = 0.9


def block_of(runs: Sequence[Run], bars: Bars) -> list[Measure]:
    """Return the lines of the table for missions of which some are first ones.

    Of a bound, which is no robot, there is less to tell, and it is held to nothing.
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
    """Return how often they succeed, by what way and in what time."""
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
    """Return a figure of those runs that have a value, and how sure it is."""
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
    """Return how well *not here* tells absent targets from others, where some are absent.

    One that is there but that no way leads to is rightly said not to be here, and is no absent
    one: it counts for the precision and not for the recall.
    """
    absent = [run.success for run in runs if run.absent]
    said = [not run.false_not_here for run in runs if run.outcome == Outcome.NOT_HERE.value]
    if not absent:
        return []
    return [Measure('not here, precision', mean(said) if said else math.nan),
            Measure('not here, recall', mean(absent))]


def _brier(runs: Sequence[Run]) -> list[Measure]:
    """Return the mean squared error of P(here) (Brier, 1950), where robots tell it."""
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
    """Return second way / first of each case in which the first had some way to go."""
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
