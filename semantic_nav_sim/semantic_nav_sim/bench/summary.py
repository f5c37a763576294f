"""The table of many missions: a block for each robot, then the comparison of policies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from semantic_nav.show.table import Measure, at_most
from semantic_nav_sim.bench.block import Bars, block_of
from semantic_nav_sim.bench.comparison import compared
from semantic_nav_sim.bench.groups import named_groups
from semantic_nav_sim.bench.runs import Run

#: Heading of the rows that belong to no block.
ALL = 'all'


@dataclass
class Summary:
    """The input of the table.

    Attributes:
        runs: results of the missions.
        left_out: number of cases that could not be judged.
        crashed: number of cases that failed before their missions ended.
        bars: limits of the figures.
    """

    runs: Sequence[Run]
    left_out: int = 0
    crashed: int = 0
    bars: Bars = Bars()

    def measures(self) -> list[Measure]:
        """The table."""
        groups = named_groups(self.runs)
        table = [replace(one, group=name) for name, runs in groups.items()
                 for one in block_of(runs, self.bars)]
        table += compared(groups, self.bars.alike)
        of_all = ALL if len(groups) > 1 else ''
        if self.left_out:
            table.append(Measure('left out, for nobody could judge', self.left_out, group=of_all))
        if self.crashed:
            table.append(replace(at_most('crashed cases', self.crashed, 0), group=of_all))
        return table
