"""Redaction of keys in texts of a server or a traceback."""

import json
import re
from collections.abc import Collection, Mapping
from os.path import commonprefix
from typing import Any

_HIDDEN = '***'
#: Forms of keys that are hidden anywhere, such as in a server's error or a traceback.
_KEY = re.compile(r'\b(?:sk|hf|gsk|xai)[-_][A-Za-z0-9_-]{16,}|(?i:\bbearer\s+)[\w.~+/=-]{8,}')
_SECRET_NAME = re.compile(r'(?:KEY|TOKEN|SECRET|PASSWORD)$')
_SHORTEST_SECRET = 8


def secrets_in(environment: Mapping[str, str]) -> frozenset[str]:
    """Values of an environment that no log may hold."""
    return frozenset(value for name, value in environment.items()
                     if _SECRET_NAME.search(name.upper()))


class Redaction:
    """A filter that replaces secrets in a text, and anything else that looks like a key."""

    def __init__(self, secrets: Collection[str] = ()) -> None:
        """Hide these secrets, plain and within JSON; words too short for a key are not hidden."""
        forms = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET
                 for form in (secret, json.dumps(secret)[1:-1])}
        # The longest first, because one may contain another.
        self._secrets = sorted(forms, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = _without(text, secret)
        return _KEY.sub(_HIDDEN, text)

    def within(self, value: Any) -> Any:
        """A JSON value without secrets in its strings and keys."""
        match value:
            case str():
                return self(value)
            case list():
                return [self.within(item) for item in value]
            case dict():
                return {self(key): self.within(item) for key, item in value.items()}
        return value


def _without(text: str, secret: str) -> str:
    """A text without a secret, and without the beginning of one that was cut off."""
    clean, *parts = text.split(secret[:_SHORTEST_SECRET])
    for part in parts:
        known = commonprefix((part, secret[_SHORTEST_SECRET:]))
        clean += _HIDDEN + part[len(known):]
    return clean
