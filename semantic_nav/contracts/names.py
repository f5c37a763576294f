"""Names that somebody mistyped."""

import difflib
from collections.abc import Iterable

#: Share of two names that must agree: with less, any word is like some command.
_ALIKE = 0.75

def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like this one; empty where none is."""
    return next(iter(difflib.get_close_matches(name, list(known), 1, _ALIKE)), '')


def meant(name: str, known: Iterable[str]) -> str:
    """Return "; is ... meant?" for the end of a message; empty where no known name is like it."""
    found = nearest(name, known)
    return f'; is {found!r} meant?' if found else ''
