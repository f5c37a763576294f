"""Waiting for something while a node is spun."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], spin: Callable[[], None], timeout_s: float) -> bool:
    """Spin until a condition holds, and return True; return False after the timeout."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        spin()
    return True
