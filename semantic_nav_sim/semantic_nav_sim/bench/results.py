"""What came of many cases, as it comes in and in the order of the cases."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from semantic_nav_sim.bench.carrying import Crashed, LeftOut, Told
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.runs import Run


@dataclass
class Results:
    """All that was told so far.

    Attributes:
        cases: all that are to be carried out.
        left_out, crashed: why, by the place of the case.
    """

    cases: Sequence[Case]
    left_out: dict[int, str] = field(default_factory=dict)
    crashed: dict[int, str] = field(default_factory=dict)
    _runs: dict[tuple[int, int], Run] = field(default_factory=dict)

    def take(self, index: int, told: Told) -> None:
        """Take note of what was told of the case at a place."""
        if isinstance(told, Run):
            self._runs[index, told.number] = told
        elif isinstance(told, LeftOut):
            self.left_out[index] = told.why
        elif isinstance(told, Crashed):
            self.crashed[index] = told.why

    @property
    def runs(self) -> list[Run]:
        """What came of the missions, in the order of the cases, whichever ended first."""
        return [run for _, run in sorted(self._runs.items(), key=lambda item: item[0])]

    def missing(self) -> list[int]:
        """Return the places of the cases that are still to be carried out."""
        return [index for index, case in enumerate(self.cases) if index not in self.left_out
                and any((index, number) not in self._runs for number in range(1, case.runs + 1))]

    @property
    def settled(self) -> int:
        """Of how many missions it is known what came of them, or that nothing will."""
        given_up = {*self.left_out, *self.crashed}
        return (sum(self.cases[index].runs for index in given_up)
                + sum(index not in given_up for index, _ in self._runs))
