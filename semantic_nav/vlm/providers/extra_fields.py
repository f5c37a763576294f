"""Fields of a request that not every server takes: asked without those that one refuses."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from semantic_nav.vlm.errors import ServerRefused

T = TypeVar('T')
#: HTTP's words for a request that is wrong in itself: bad request, unprocessable content.
_WRONG_REQUEST = (400, 422)

logger = logging.getLogger(__name__)


class ExtraFields:
    """The fields that one server has refused by name; they are left out from then on."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """Begin with a server that takes all of them.

        Args:
            names: of the fields that may be left out, each with the words by which a refusal
                names it.
        """
        self._named = {field: re.compile(rf'(?<![a-z0-9_])(?:{"|".join(words)})(?![a-z0-9_])')
                       for field, words in names.items()}
        self._refused: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """What an operator should know, in words."""
        return [f'the server refuses the field {field} and is asked without it ({said})'
                for field, said in self._refused.items()]

    def ask(self, send: Callable[[frozenset[str]], T]) -> T:
        """Return what a question brings; a field that a refusal names is left out, and it is sent
        once more.

        Args:
            send: asks the question without the fields of these names.

        Raises:
            ServerRefused: the server names none of the fields, or one that was not sent.
        """
        while True:
            try:
                return send(frozenset(self._refused))
            except ServerRefused as error:
                field = self._field_of(error)
                if field is None:
                    raise
                self._refused[field] = str(error)
                logger.info('asked without the field %s: %s', field, error)

    def _field_of(self, error: ServerRefused) -> str | None:
        """Return the field that a refusal names first, of those that were sent."""
        if error.status not in _WRONG_REQUEST:
            return None
        said = str(error).lower()
        found = {match.start(): field for field, words in self._named.items()
                 if field not in self._refused and (match := words.search(said))}
        return found[min(found)] if found else None
