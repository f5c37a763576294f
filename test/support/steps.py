"""Counts what the product does, so that a test can tell an endless loop from a long one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import semantic_nav

_ROOT = str(Path(semantic_nav.__file__).parent)


class TooManySteps(BaseException):
    """No `Exception`, so that nothing that fails closed takes it for one of its own."""


@contextmanager
def at_most(limit: int) -> Iterator[None]:
    """Raise TooManySteps once more lines of the product have run than this."""
    steps, before = 0, sys.gettrace()

    def count(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        del argument
        if event == 'call' and not frame.f_code.co_filename.startswith(_ROOT):
            return None
        steps += 1
        if steps > limit:
            sys.settrace(before)
            raise TooManySteps(f'more than {limit} lines have run')
        return count

    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
