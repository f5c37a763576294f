"""What the commands have in common on their command lines."""

import argparse
import math
from pathlib import Path
from typing import NoReturn

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.running.run_folder import check_new_file

#: Where missions take place when no world is named: six rooms leave something to look for.
HOME = 'generated:{seed}:6'
#: What is sought there when no goal is named: every generated home has one.
GOAL = 'find the red mug'
#: More numbers than anybody waits for are a slip of the hand.
_MOST_NUMBERS = 100_000


class Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line in one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """End the process."""
        self.exit(2, f'{self.prog}: {message} ({self.prog} --help tells more)\n')


def number(words: str) -> int:
    """Return a whole number from 0, such as a seed."""
    if not (words.isascii() and words.isdecimal()):
        raise argparse.ArgumentTypeError(f'{words!r} is no whole number from 0')
    return int(words)


def numbers(words: str) -> list[int]:
    """Return the numbers of '1-3,7'."""
    found: list[int] = []
    for part in words.split(','):
        first, dash, last = part.partition('-')
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise argparse.ArgumentTypeError(
                f"{words!r}: write numbers such as '1-20' or '3,7,9'")
        span = range(int(first), int(last or first) + 1)
        if not span:
            raise argparse.ArgumentTypeError(f'{words!r}: {part} names no number')
        if span.stop - span.start > _MOST_NUMBERS:
            raise argparse.ArgumentTypeError(
                f'{words!r}: {part} names more than {_MOST_NUMBERS} numbers')
        found += span
    return found


def _real(words: str) -> float:
    """Return a number; what is none is not a number."""
    try:
        return float(words)
    except ValueError:
        return math.nan


def duration(words: str) -> float:
    """Return a time in seconds, longer than none and shorter than for ever."""
    value = _real(words)
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f'{words!r} is no time in s')
    return value


def share(words: str) -> float:
    """Return a share of a whole, 0 to 1."""
    value = _real(words)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f'{words!r} is no share of 0 to 1')
    return value


def location(words: str) -> Path:
    """Return a path; no words are none, though they would name the folder one is in."""
    if not words.strip():
        raise argparse.ArgumentTypeError(f'{words!r} names no file or folder')
    return Path(words)


def check_file(path: Path) -> None:
    """Make sure that a new file could be written.

    Raises:
        ConfigError: its folder is not there or takes nothing, or it is a folder itself, or there
            already.
    """
    if not path.is_dir() and not path.parent.is_dir():
        raise ConfigError(f'{path.parent} is no folder')
    check_new_file(path)
