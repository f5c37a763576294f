"""The table of many missions: how many succeed, how straight the way, at what cost."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from semantic_nav.bench.runs import Run
from semantic_nav.bench.table import Measure, at_least, at_most

#: A second mission is worth its memory if its way is at most this share of the first.
SECOND_SHARE = 0.7


@dataclass
class Summary:
    """What is made a table of.

    Attributes:
        runs: what came of the missions.
        left_out: how many cases nobody could judge.
        crashed: how many ended before their missions did.
    """

    runs: Sequence[Run]
    left_out: int = 0
    crashed: int = 0

    def measures(self) -> list[Measure]:
        """Return the table."""
        first = [run for run in self.runs if run.number == 1]
        refusals: Counter[str] = Counter()
        for run in self.runs:
            refusals.update(run.refusals)
        shares = self._second_shares()
        absent = [run.success for run in first if run.absent]
        spls = [run.spl for run in first if run.spl is not None]
        table = [
            at_least('success, first mission [share]', mean(run.success for run in first), 0.8),
            *([Measure('success where the target is absent [share]', mean(absent))]
              if absent else []),
            Measure('SPL, first mission', mean(spls) if spls else math.nan),
            Measure('SPL undefined, first mission', len(first) - len(spls)),
            Measure('simulated time, first mission, median [s]',
                    median(run.simulated_s for run in first)),
            Measure('model calls, first mission, median',
                    median(run.model_calls for run in first)),
            at_least('says arrived and not here only where it is so [share]',
                     mean(run.honest for run in self.runs), 1.0),
            at_most('collisions a mission, mean', mean(run.collisions for run in self.runs), 0.5),
            at_most('unvetted goals', sum(len(run.unvetted) for run in self.runs), 0),
            Measure('times real time, median', median(run.speed for run in self.runs)),
            *([Measure('left out, for nobody could judge', self.left_out)]
              if self.left_out else []),
            *([at_most('crashed cases', self.crashed, 0)] if self.crashed else []),
        ]
        if shares:
            good = mean(share <= SECOND_SHARE for share in shares)
            table += [
                at_least(f'second way <= {SECOND_SHARE} of the first [share]', good, 0.7),
                Measure('second way / first, median', median(shares)),
            ]
        return table + [Measure(f'refusals {code}', count)
                        for code, count in sorted(refusals.items())]

    def _second_shares(self) -> list[float]:
        """Return second way / first of each case in which both missions had somewhere to go."""
        second = {run.case: run for run in self.runs if run.number == 2}
        pairs = [(run, second[run.case]) for run in self.runs
                 if run.number == 1 and not run.absent and run.case in second]
        return [two.path_m / one.path_m if one.reached and two.reached else float('inf')
                for one, two in pairs]
