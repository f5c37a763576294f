"""A model's box convention, found on labelled pictures by asking for each one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import mean

from semantic_nav.cli.vlm_look import looker_of
from semantic_nav.show.table import aligned
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.looker import Looker

#: Mean overlap of boxes and labels from which a convention fits.
_FITS = 0.3
#: Margin by which another convention must fit better than that in use.
_BETTER = 0.1


def overlaps(config: HypothesisConfig, deadline_s: float,
             looks: Sequence[Callable[[Looker], float]]) -> dict[BoxConvention, float]:
    """The mean overlap of boxes and labels for each convention.

    Args:
        config: the other parameters.
        deadline_s: for a look.
        looks: each looks at a labelled picture and returns the overlap over the union, 0 to 1.

    Raises:
        ModelUnavailable: a question would not be answered.
    """
    found = {}
    for boxes in BoxConvention:
        looker = looker_of(replace(config, box_convention=boxes), deadline_s)
        looker.ready()
        found[boxes] = mean(look(looker) for look in looks)
    return found


def verdict(found: Mapping[BoxConvention, float], used: BoxConvention) -> list[str]:
    """The overlaps and the convention that fits, in words.

    Args:
        found: mean overlap of each convention.
        used: the convention in use.
    """
    rows = aligned([('boxes asked for as', 'mean overlap'),
                    *((boxes.value, f'{overlap:.2f}') for boxes, overlap in found.items())])
    best = max(found, key=lambda boxes: found[boxes])
    if found[best] < _FITS:
        words = (f'boxes fit no convention (the best is {best}, overlap {found[best]:.2f}): this '
                 f'model does not find what the labels show')
    elif found[best] - found[used] < _BETTER:
        words = f'boxes fit {used}, which is in use'
    else:
        words = (f'boxes fit {best} (overlap {found[best]:.2f}) and not {used} '
                 f'({found[used]:.2f}), which is in use: set box_convention: {best}')
    return [*rows, words]
