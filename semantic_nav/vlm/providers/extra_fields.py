"""Fields of a request that not every server takes: asked without those that one refuses."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from semantic_nav.contracts.errors import ModelReplyError
from semantic_nav.vlm.errors import ServerRefused

T = TypeVar('T')
#: HTTP's words for a request that is wrong in itself: bad request, unprocessable content.
_WRONG_REQUEST: Final = (400, 422)
#: Statuses with which servers say too that they make no grammar of a schema: an error in the
#: middle of a stream has -1.
_BROKE_OVER_IT: Final = (200, 500, 501, -1)
#: Words of the refusal of a schema, by the makers of grammars behind vLLM, SGLang, TGI, llama.cpp,
#: LM Studio, Ollama, TabbyAPI, LocalAI and gateways.
_OF_SCHEMA: Final = re.compile(
    r'grammar|schema|guided|llguidance|outlines|constrain(?:t|ed)|format.enforcer|formatron|gbnf'
    r'|response.?format|structured.?(?:output|generation|decod)|json.?(?:mode|object|format)'
    r'|\bformat\b|regex|initialize samplers')
_IN_WORDS = 'the model is told the schema in words instead; a newer server may take it'

logger = logging.getLogger(__name__)


class ExtraFields:
    """The fields without which one server answers what it refused with them; they stay out."""

    def __init__(self, names: Mapping[str, Iterable[str]], schema_field: str = '') -> None:
        """Begin with a server that takes all of them.

        Args:
            names: of the fields that may be left out, each with the words by which a refusal
                names it.
            schema_field: the one of them by which replies are held to a schema; empty for none.
        """
        self._named = {field: re.compile(rf'(?<![a-z0-9_])(?:{"|".join(words)})(?![a-z0-9_])')
                       for field, words in names.items()}
        self._schema_field = schema_field
        self._refused: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """What an operator should know, in words."""
        fields_of: dict[str, list[str]] = {}
        for field, said in self._refused.items():
            fields_of.setdefault(said, []).append(field)
        return [_note(fields, said, self._schema_field) for said, fields in fields_of.items()]

    def ask(self, send: Callable[[frozenset[str]], T], *, held: bool = True) -> T:
        """Return what a question brings; a field that a refusal names is left out, and it is sent
        once more.

        A refusal that names none is tried once without any of them. What was left out stays out if
        the server takes the question then.

        Args:
            send: asks the question without the fields of these names.
            held: the reply is to be held to a schema. A question with tools is not: what the
                server refuses of it is mostly the tools.

        Raises:
            ServerRefused: the server refuses the question without them too.
        """
        refused = dict(self._refused)
        while True:
            try:
                reply = send(frozenset(refused))
            except ServerRefused as error:
                fields = self._fields_of(error, refused, held)
                # The same words again: what was left out was not the reason.
                if not fields or str(error) in refused.values():
                    raise
                refused |= dict.fromkeys(fields, str(error))
            except ModelReplyError:
                self._keep(refused)
                raise
            else:
                self._keep(refused)
                return reply

    def _keep(self, refused: dict[str, str]) -> None:
        if refused != self._refused:
            self._refused = refused
            logger.warning('%s', '; '.join(self.notes))

    def _fields_of(self, error: ServerRefused, refused: Mapping[str, str],
                   held: bool) -> list[str]:
        """Return what to leave out after a refusal, of what was sent; nothing where it is vain."""
        said = error.said.lower()
        left = [field for field in self._named if field not in refused]
        found = {match.start(): field for field in left
                 if (match := self._named[field].search(said))}
        if error.status in _WRONG_REQUEST and found:
            return [found[min(found)]]
        if held and self._schema_field in left and _OF_SCHEMA.search(said) and (
                error.status in _WRONG_REQUEST + _BROKE_OVER_IT):
            return [self._schema_field]
        return left if held and error.status in _WRONG_REQUEST else []


def _note(fields: list[str], said: str, schema_field: str) -> str:
    cure = f'; {_IN_WORDS}' if schema_field in fields else ''
    what = 'field' if len(fields) == 1 else 'fields'
    return (f'the server refuses the {what} {", ".join(fields)} and is asked without '
            f'{"it" if len(fields) == 1 else "them"} ({said}){cure}')
