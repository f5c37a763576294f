"""Sizes of tests: small for each change, whole for `make test-nightly`, which sets NIGHTLY=1."""

import os
from datetime import date
from typing import TypeVar

T = TypeVar('T')
NIGHTLY = os.environ.get('NIGHTLY', '') not in ('', '0')


def some(each_time: T, nightly: T) -> T:
    """Return the size that fits the run."""
    return nightly if NIGHTLY else each_time


def seeds_of_tonight(count: int) -> range:
    """Return seeds that nobody tried before, none for each change; other ones each night.

    Args:
        count: how many.
    """
    first = date.today().toordinal() * 1000
    return range(first, first + some(0, count))
