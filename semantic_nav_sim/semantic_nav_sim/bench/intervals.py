"""Confidence intervals of figures over several homes, by bootstrap.

Homes are drawn with replacement, each with all its values. Missions in one home have more in
common than those in different homes, and drawing missions one by one would make the interval too
narrow (a cluster bootstrap; Davison and Hinkley, Bootstrap Methods and their Application, 1997,
3.8).
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.show.table import Interval

#: Fixed, so that a report can be reproduced.
_SEED = 0
_DRAWS = 2000
_LEVEL = 0.95

Values = NDArray[np.float64]


def interval_of(homes: Sequence[Values], figure: Callable[[Values], float]) -> Interval | None:
    """The 95 % percentile interval of a figure; None with fewer than two homes.

    Args:
        homes: values of each home, shape (values,) or (values, 2) for pairs; a home without values
            does not count.
        figure: of all values together, in the same shape.
    """
    # SciPy's statistics take most of a second to load, and nothing else needs them.
    from scipy import stats
    counted = [values for values in homes if len(values)]
    if len(counted) < 2:
        return None
    # It also computes a standard error of the draws, some of which may be infinite.
    with np.errstate(invalid='ignore'):
        drawn = stats.bootstrap(
            (np.arange(len(counted)),),
            lambda picks: figure(np.concatenate([counted[pick] for pick in picks])),
            n_resamples=_DRAWS, vectorized=False, confidence_level=_LEVEL, method='percentile',
            random_state=np.random.default_rng(_SEED)).confidence_interval
    return float(drawn.low), float(drawn.high)


def by_home(values: Sequence[tuple[Hashable, float | Sequence[float]]]) -> list[Values]:
    """Group values by the home that each was measured in."""
    homes: dict[Hashable, list[float | Sequence[float]]] = {}
    for home, value in values:
        homes.setdefault(home, []).append(value)
    return [np.array(together, np.float64) for together in homes.values()]
