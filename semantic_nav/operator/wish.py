"""An operator's wish, and its form on the websocket."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.documents import ToolReply
from semantic_nav.contracts.fields import MAX_ID
from semantic_nav.contracts.judge import Judge
from semantic_nav.operator.standing import Command

#: Deeds on one remembered place.
OF_PLACE = (Command.GO, Command.DESCRIBE, Command.NAME, Command.FORGET)
#: Deeds that end a drive; they pass every queue.
STOPS = (Command.CANCEL, Command.PAUSE)
#: Deeds that change nothing, and are allowed while the past is shown.
HARMLESS = (Command.SEARCH, Command.DESCRIBE)
#: Messages of a page: a deed, or a choice of what is shown.
_SENT = Judge({
    'type': 'object', 'additionalProperties': False, 'required': ['do'],
    'properties': {'do': {'enum': [*map(str, Command), 'at', 'camera']},
                   'words': {'type': 'string'},
                   'place': {'type': 'string', 'minLength': 1, 'maxLength': MAX_ID},
                   'ends': {'type': 'string', 'maxLength': MAX_ID},
                   'at_s': {'type': ['number', 'null']}, 'on': {'type': 'boolean'}},
    'if': {'properties': {'do': {'enum': [*map(str, OF_PLACE)]}}},
    'then': {'required': ['place']}})


@dataclass(frozen=True)
class Wish:
    """An operator's wish.

    Attributes:
        words: of a goal, an answer or a search; the name of a place or a model.
        tell: takes the result: success, words, and the memory's reply.
        place: the id of a remembered place, or a word that stands for one.
        ends: the id of the mission that may end for this one; empty for none.
    """

    deed: Command
    words: str
    tell: Callable[[bool, str, ToolReply | None], None]
    place: str = ''
    ends: str = ''


def is_sent(value: Any) -> bool:
    """Tell whether a message of a page is valid."""
    return _SENT.breach(value) is None
