"""What the commands have in common on their command lines."""

import argparse
import math
import os
from pathlib import Path
from typing import NoReturn

from semantic_nav.contracts.errors import ConfigError

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


def check_writable(folder: Path) -> None:
    """Make sure that a folder can be made, without making it.

    Raises:
        ConfigError: something else lies there, or nothing may be written there.
    """
    there = first_there(folder)
    if not there.is_dir():
        raise ConfigError(f'{there} is no folder')
    if not os.access(there, os.W_OK | os.X_OK):
        raise ConfigError(f'nothing may be written in {there}')


def first_there(folder: Path) -> Path:
    """Return the folder, or else the nearest above it that is there."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents)
                if path.exists() or path.is_symlink())


def check_new(folder: Path) -> None:
    """Make sure that a folder can be made or is empty, without making it.

    Raises:
        ConfigError: something lies in it, or nothing may be written there.
    """
    check_writable(folder)
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f'{folder} is not empty: name a folder that is, or a new one')


def check_new_file(path: Path) -> None:
    """Make sure that a file can be written, with its folder, without writing over another.

    What is neither file nor folder, such as /dev/stdout, may be written to.

    Raises:
        ConfigError: it is there already or a folder, or nothing may be written there.
    """
    if path.is_dir():
        raise ConfigError(f'{path} is a folder')
    if path.is_file() or (path.is_symlink() and not path.exists()):
        raise ConfigError(f'{path} is there already, and is not written over: name a new file')
    check_writable(path.parent)
