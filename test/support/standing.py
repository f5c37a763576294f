"""What a core has its shell do until it says otherwise, kept apart from what it does now."""

from collections.abc import Sequence

from semantic_nav.contracts.core import Output, Report, Ticking


class Standing:
    """What holds after the outputs so far.

    Attributes:
        ticking: whether the core wants to be ticked.
        reports: what the core says of its health, by subject.
    """

    def __init__(self) -> None:
        self.ticking = False
        self.reports: dict[str, Report] = {}

    def take(self, outputs: Sequence[Output]) -> list[Output]:
        """Take the standing effects out of some outputs, and return the others."""
        for output in outputs:
            if isinstance(output, Ticking):
                self.ticking = output.wanted
            elif isinstance(output, Report):
                self.reports[output.subject] = output
        return [output for output in outputs if not isinstance(output, Ticking | Report)]

    @property
    def dropped(self) -> int:
        """How much came too late or belonged to no goal in hand."""
        return dict(self.reports['dropped'].figures)['dropped']
