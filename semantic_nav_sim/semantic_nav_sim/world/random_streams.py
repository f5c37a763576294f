"""Seeded streams of random numbers, one for each purpose, so that none disturbs another."""

import zlib

import numpy as np


def stream(seed: int, purpose: str) -> np.random.Generator:
    """The random generator of one purpose.

    Args:
        seed: the run's seed, not negative.
        purpose: use of the numbers, such as 'placement' or 'scan noise'.
    """
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])
