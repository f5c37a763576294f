"""Lines that an operator types while a command goes on."""

import select
import sys


class Typed:
    """Reads typed lines without blocking."""

    def __init__(self) -> None:
        """Read the standard input."""
        self._goes_on = sys.stdin is not None and sys.stdin.readable()

    @property
    def by_a_person(self) -> bool:
        """Tell whether a person can be asked."""
        return self._goes_on and sys.stdin.isatty()

    @property
    def over(self) -> bool:
        """Tell whether the input has ended."""
        return not self._goes_on

    def line(self) -> str | None:
        """The line that was typed; None for none."""
        if not self._goes_on or not select.select([sys.stdin], [], [], 0)[0]:
            return None
        line = sys.stdin.readline()
        self._goes_on = bool(line)
        return line.strip() if line else None
