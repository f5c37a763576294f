"""What all commands have in common, under `python -m semantic_nav` and `ros2 run` alike."""

import functools
import sys
from collections.abc import Callable

from semantic_nav.contracts.errors import SemanticNavError


def command(main: Callable[[list[str] | None], int]) -> Callable[..., int]:
    """Make a known error of a command one line and exit code 1.

    A command takes its arguments, or None for those of the process.
    """
    name = main.__module__.rpartition('.')[2]

    @functools.wraps(main)
    def run(args: list[str] | None = None) -> int:
        try:
            return main(args)
        except SemanticNavError as error:
            print(f'{name}: {error}', file=sys.stderr)
            return 1

    return run
