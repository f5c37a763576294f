"""Corrections of mistyped names."""

import difflib
from collections.abc import Iterable

#: Share of two names that must agree: with less, any word resembles some command.
_ALIKE = 0.75

def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like this one; empty if none is like it."""
    return next(iter(difflib.get_close_matches(name, list(known), 1, _ALIKE)), '')


def meant(name: str, known: Iterable[str]) -> str:
    """The words "; is ... meant?" for the end of a message; empty if no known name is like it."""
    found = nearest(name, known)
    return f'; is {found!r} meant?' if found else ''
