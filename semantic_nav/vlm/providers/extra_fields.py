"""Optional parts of a request, which are left out for a server that refuses them."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from semantic_nav.contracts.errors import ModelReplyError
from semantic_nav.vlm.conversation import Question
from semantic_nav.vlm.errors import ServerRefused
from semantic_nav.vlm.providers.two_roles import in_two_roles

T = TypeVar('T')
#: HTTP statuses of a request that is wrong in itself: bad request, unprocessable content.
_WRONG_REQUEST: Final = (400, 422)
#: Further statuses of servers that cannot make a grammar of a schema, or whose chat template does
#: not take the roles; an error within a stream has -1.
_BROKE_OVER_IT: Final = (200, 500, 501, -1)
#: Words of the refusal of a schema, by the makers of grammars behind vLLM, SGLang, TGI, llama.cpp,
#: LM Studio, Ollama, TabbyAPI, LocalAI and gateways.
_OF_SCHEMA: Final = re.compile(
    r'grammar|schema|guided|llguidance|outlines|constrain(?:t|ed)|format.enforcer|formatron|gbnf'
    r'|response.?format|structured.?(?:output|generation|decod)|json.?(?:mode|object|format)'
    r'|\bformat\b|regex|initialize samplers')
#: The roles of system and tools, with the words of chat templates that know only user and
#: assistant (sglang 892, opencode 5034) or require them to alternate (llama.cpp 19851).
ROLES: Final = 'roles'
_OF_ROLES: Final = ('roles?', 'alternat[a-z]*', 'system (?:message|prompt|instruction)s?',
                    '(?:chat|jinja|prompt) template')
#: Words of a server with a passing fault of its own (LM Studio reports it with 400).
_PASSING: Final = re.compile(
    r'crash|exit code|out of memory|cancel|abort|overload|\bbusy\b|timed out'
    r'|\b(?:un|re)?load(?:s|ed|ing)?\b')
_ROLES_IN_WORDS = 'the roles system and tool'
_SCHEMA_CURE = 'the model is told the schema in words instead; a newer server may take it'
_ROLES_CURE = "the words of system and tools stand in the user's turns instead"

logger = logging.getLogger(__name__)


class ExtraFields:
    """The optional parts of requests to one server, and those that it refuses.

    A part that a refusal names is left out from then on. A refusal that names nothing may be
    passing, so parts that were left out on a guess stay out only if the next question confirms it.
    """

    def __init__(self, names: Mapping[str, Iterable[str]], schema_field: str = '',
                 only_named: Iterable[str] = ()) -> None:
        """Begin with a server that takes all parts.

        Args:
            names: fields that may be left out, each with the words by which a refusal names it.
            schema_field: the field that has the server enforce the schema; empty for none.
            only_named: fields that are never left out on a guess.
        """
        self._named = {field: re.compile(rf'(?<![a-z0-9_])(?:{"|".join(words)})(?![a-z0-9_])')
                       for field, words in {**names, ROLES: _OF_ROLES}.items()}
        self._schema_field = schema_field
        self._only_named = frozenset(only_named)
        self._refused: dict[str, str] = {}
        #: Parts that were left out of the last question on a guess.
        self._doubted: frozenset[str] = frozenset()
        #: Words of the server's last failure, until a question goes well.
        self._broke = ''
        #: Words of the failure that a guess did not cure.
        self._vain = ''

    @property
    def notes(self) -> list[str]:
        """Notes for the operator."""
        fields_of: dict[str, list[str]] = {}
        for field, said in self._refused.items():
            fields_of.setdefault(said, []).append(field)
        return [_note(fields, said, self._schema_field) for said, fields in fields_of.items()]

    def ask(self, question: Question, send: Callable[[Question, frozenset[str]], T]) -> T:
        """Send a question, and send it again without the parts that a refusal names.

        After a refusal for a passing fault it is sent again unchanged. After a refusal that names
        nothing it is sent once without any of the parts, and after two equal failures without the
        schema. From a question with tools only named parts are left out, as the server mostly
        refuses the tools.

        Args:
            question: question to ask.
            send: function that asks a question without the fields of some names.

        Raises:
            ServerRefused: the server refuses the question without the parts too.
        """
        without, guessed, sent_again = dict(self._refused), frozenset[str](), False
        while True:
            try:
                reply = send(self._but(question, without), frozenset(without))
            except ServerRefused as error:
                if not sent_again and _is_passing(error):
                    sent_again, self._broke = True, str(error)
                    continue
                left = [field for field in self._named if field not in without and (
                    question.held or field != self._schema_field)]
                fields = self._named_by(error, left)
                # The words are those of the refusal before: the omitted parts were not the reason.
                if not (fields or question.tools or str(error) in without.values()):
                    fields = self._guess(error, left)
                    guessed |= set(fields)
                if not fields:
                    self._vain = str(error) if guessed else self._vain
                    raise
                without |= dict.fromkeys(fields, str(error))
            except ModelReplyError:
                self._learn(question, without, guessed)
                raise
            else:
                self._learn(question, without, guessed)
                return reply

    def _but(self, question: Question, without: Mapping[str, str]) -> Question:
        """The question with the omitted parts in words."""
        if ROLES in without:
            question = replace(question, messages=in_two_roles(question.messages))
        if self._schema_field in without:
            question = replace(question, schema_in_words=True, unheld=True)
        return question

    def _named_by(self, error: ServerRefused, left: Sequence[str]) -> list[str]:
        """The part that a refusal names first, among those that were sent."""
        said, is_wrong = error.said.lower(), error.status in _WRONG_REQUEST
        if error.status not in _WRONG_REQUEST + _BROKE_OVER_IT:
            return []
        found = {field: match.start() for field in left if is_wrong or field == ROLES
                 if (match := self._named[field].search(said))}
        if found:
            return [min(found, key=found.__getitem__)]
        return [self._schema_field] if self._schema_field in left and _OF_SCHEMA.search(
            said) else []

    def _guess(self, error: ServerRefused, left: Sequence[str]) -> list[str]:
        """The parts to leave out after a refusal that names nothing."""
        if error.status not in _WRONG_REQUEST + _BROKE_OVER_IT:
            return []
        passing = _PASSING.search(error.said.lower())
        if error.status in _WRONG_REQUEST and not passing:
            return [field for field in left if field not in self._only_named]
        if str(error) == self._broke != self._vain:
            suspects = (self._schema_field,) if passing else (self._schema_field, ROLES)
            return [field for field in left if field in suspects]
        self._broke = str(error)
        return []

    def _learn(self, question: Question, without: dict[str, str],
               guessed: frozenset[str]) -> None:
        """Keep the parts that were left out with success; guesses only the second time."""
        if guessed and guessed != self._doubted:
            self._doubted = guessed
            logger.info('the server took the question without %s after it had failed (%s); the '
                        'next one has all of it again', ', '.join(sorted(guessed)),
                        without[min(guessed)])
            without = {field: said for field, said in without.items() if field not in guessed}
        elif question.held:
            self._doubted = frozenset()
            if not guessed:
                self._broke = self._vain = ''
        if without != self._refused:
            self._refused = without
            logger.warning('%s', '; '.join(self.notes))


def _is_passing(error: ServerRefused) -> bool:
    return error.status in _WRONG_REQUEST and bool(_PASSING.search(error.said.lower()))


def _note(refused: list[str], said: str, schema_field: str) -> str:
    if len(refused) > 1:
        what, them = f'one of {", ".join(refused)}', 'all of them'
    else:
        what, them = (_ROLES_IN_WORDS, 'them') if ROLES in refused else (
            f'the field {refused[0]}', 'it')
    cures = [cure for field, cure in ((schema_field, _SCHEMA_CURE), (ROLES, _ROLES_CURE))
             if field in refused]
    return (f'the server refuses {what} and is asked without {them} ({said})'
            f'{"".join(f"; {cure}" for cure in cures)}')
