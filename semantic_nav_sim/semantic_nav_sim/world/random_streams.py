"""Seeded streams of random numbers, one for each purpose, so that none disturbs another."""

import zlib

import numpy as np


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Return the generator of one purpose.

    Args:
        seed: the run's seed, not negative.
        purpose: what the numbers are for, such as 'placement' or 'scan noise'.
    """
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])
