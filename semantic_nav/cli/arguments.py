"""Command-line parsing that the commands share."""

import argparse
import math
import os
from pathlib import Path
from typing import NoReturn

from semantic_nav.contracts.errors import ConfigError

#: Largest count of numbers in a span; more is taken for a typing error.
_MOST_NUMBERS = 100_000


class Parser(argparse.ArgumentParser):
    """Reports a wrong command line in one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """End the process with the error."""
        self.exit(2, f'{self.prog}: {message} ({self.prog} --help tells more)\n')


def number(words: str) -> int:
    """A whole number from 0, such as a seed."""
    if not (words.isascii() and words.isdecimal()):
        raise argparse.ArgumentTypeError(f'{words!r} is no whole number from 0')
    return int(words)


def numbers(words: str) -> list[int]:
    """The numbers of '1-3,7'."""
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
    """A number; NaN for words that are none."""
    try:
        return float(words)
    except ValueError:
        return math.nan


def duration(words: str) -> float:
    """A time in s, positive and finite."""
    value = _real(words)
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f'{words!r} is no time in s')
    return value


def share(words: str) -> float:
    """A share of a whole, 0 to 1."""
    value = _real(words)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f'{words!r} is no share of 0 to 1')
    return value


def location(words: str) -> Path:
    """A path; an empty one is refused, as it would mean the current folder."""
    if not words.strip():
        raise argparse.ArgumentTypeError(f'{words!r} names no file or folder')
    return Path(words)


def check_file(path: Path) -> None:
    """Make sure that a new file could be written into an existing folder.

    Raises:
        ConfigError: its folder is missing or not writable, or the path is an existing file or a
            folder.
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
    """The folder, or else the nearest existing path above it."""
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
    """Make sure that a file and its folder can be written, without overwriting another file.

    A path that is neither file nor folder, such as /dev/stdout, may be written to.

    Raises:
        ConfigError: it is an existing file or a folder, or nothing may be written there.
    """
    if path.is_dir():
        raise ConfigError(f'{path} is a folder')
    if path.is_file() or (path.is_symlink() and not path.exists()):
        raise ConfigError(f'{path} is there already, and is not written over: name a new file')
    check_writable(path.parent)
