"""Lines of a mission, and on a terminal a status line below them."""

from typing import TextIO

from tqdm import tqdm

from semantic_nav.client.narrator import harmless
from semantic_nav.contracts.documents import Belief
from semantic_nav.contracts.vocabulary import Phase

#: Phases without a status line: nothing goes on, or the operator types.
_SILENT = (Phase.ASKING, Phase.FINISHED)


class StatusLine:
    """Prints lines, and keeps a status line below them on a terminal."""

    def __init__(self, lines: TextIO) -> None:
        """Write to a file or a terminal."""
        self._lines = lines
        self._below = tqdm(total=0, bar_format='{desc}', leave=False, file=lines,
                           dynamic_ncols=True) if lines.isatty() else None

    def say(self, line: str) -> None:
        """Print a line above the status line."""
        if self._below is None:
            print(line, flush=True, file=self._lines)
        else:
            tqdm.write(line, file=self._lines)

    def show(self, belief: Belief | None) -> None:
        """Show the mission's state in the status line, if it is known."""
        if self._below is not None:
            silent = belief is None or belief.phase in _SILENT
            self._below.set_description_str('' if silent else harmless(words_of(belief)))

    def close(self) -> None:
        """Remove the status line."""
        if self._below is not None:
            self._below.close()


def words_of(belief: Belief) -> str:
    """The mission's action and its used budgets, in one line."""
    used = belief.budgets
    here = '' if belief.p_here is None else f' | likely here: {belief.p_here:.0%}'
    return (f'{belief.phase.value}: {belief.next_action} | {used.time_s:.0f} of '
            f'{used.time_limit_s:.0f} s, {used.distance_m:.1f} of {used.distance_limit_m:.0f} m, '
            f'{used.model_calls} of {used.model_calls_limit} calls of the model{here}')
