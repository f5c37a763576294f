"""The results of many cases, as they arrive and in the order of the cases."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from semantic_nav_sim.bench.carrying import Crashed, LeftOut, Told
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.runs import Run


@dataclass
class Results:
    """All results so far.

    Attributes:
        cases: all cases of the benchmark.
        left_out, crashed: reasons, by the index of the case.
    """

    cases: Sequence[Case]
    left_out: dict[int, str] = field(default_factory=dict)
    crashed: dict[int, str] = field(default_factory=dict)
    _runs: dict[tuple[int, int], Run] = field(default_factory=dict)

    def take(self, index: int, told: Told) -> None:
        """Take in a report on the case at an index."""
        if isinstance(told, Run):
            self._runs[index, told.number] = told
        elif isinstance(told, LeftOut):
            self.left_out[index] = told.why
        elif isinstance(told, Crashed):
            self.crashed[index] = told.why

    @property
    def runs(self) -> list[Run]:
        """The runs in the order of the cases, whichever ended first."""
        return [run for _, run in sorted(self._runs.items(), key=lambda item: item[0])]

    def missing(self) -> list[int]:
        """The indices of the cases that are still to be carried out."""
        return [index for index, case in enumerate(self.cases) if index not in self.left_out
                and any((index, number) not in self._runs for number in range(1, case.runs + 1))]

    @property
    def settled(self) -> int:
        """The number of missions that have ended or will never be carried out."""
        given_up = {*self.left_out, *self.crashed}
        return (sum(self.cases[index].runs for index in given_up)
                + sum(index not in given_up for index, _ in self._runs))
