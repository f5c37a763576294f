"""The measured world beside the default one, with the same robot, seeds and goals."""

from collections.abc import Iterator, Sequence

from semantic_nav.show.table import Measure, aligned, cells_of
from semantic_nav_sim.bench.block import Bars, block_of
from semantic_nav_sim.bench.comparison import WORLD, alike
from semantic_nav_sim.bench.groups import named_groups
from semantic_nav_sim.bench.runs import Run


def both_worlds(runs: Sequence[Run], bars: Bars) -> Iterator[list[str]]:
    """Yield a table for each robot that ran in both worlds, of the missions that ended in both.

    Args:
        runs: of all robots.
        bars: limits of the figures, which this table leaves out.
    """
    others: dict[object, tuple[str, Sequence[Run]]] = {}
    for name, those in named_groups(runs).items():
        key = alike(those[0].options, WORLD)
        other, base = others.setdefault(key, (name, those))
        if base[0].options.usual_places == those[0].options.usual_places:
            continue
        shared = {_mission(run) for run in base} & {_mission(run) for run in those}
        if shared:
            columns = [{one.name: one for one in block_of(
                [run for run in group if _mission(run) in shared], bars)}
                for group in (base, those)]
            yield aligned([(f'{len(shared)} missions in each', other, '95 %', name, '95 %'),
                           *_rows(*columns)])


def _mission(run: Run) -> tuple[object, int]:
    return run.case, run.number


def _rows(one: dict[str, Measure], other: dict[str, Measure]) -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys([*one, *other]):
        yield (name, *(cell for column in (one, other) for cell in (
            cells_of(column[name])[1:3] if name in column else ('', ''))))
