"""What an operator asks for, and how it comes in from a page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.documents import ToolReply
from semantic_nav.contracts.fields import MAX_ID
from semantic_nav.contracts.judge import Judge

#: Those that are for one remembered place.
OF_PLACE = ('go', 'describe', 'name', 'forget')
DEEDS = ('goal', 'tour', 'answer', 'cancel', 'pause', 'resume', 'search', 'model', *OF_PLACE)
#: What ends a drive passes every queue.
STOPS = ('cancel', 'pause')
#: What changes nothing may be asked for while the past is looked at.
HARMLESS = ('search', 'describe')
#: What a page sends: a deed, or what it wants to be shown.
_SENT = Judge({
    'type': 'object', 'additionalProperties': False, 'required': ['do'],
    'properties': {'do': {'enum': [*DEEDS, 'at', 'camera']}, 'words': {'type': 'string'},
                   'place': {'type': 'string', 'minLength': 1, 'maxLength': MAX_ID},
                   'ends': {'type': 'string', 'maxLength': MAX_ID},
                   'at_s': {'type': ['number', 'null']}, 'on': {'type': 'boolean'}},
    'if': {'properties': {'do': {'enum': [*OF_PLACE]}}}, 'then': {'required': ['place']}})


@dataclass(frozen=True)
class Wish:
    """What an operator asks for.

    Attributes:
        deed: one of `DEEDS`.
        words: of a goal, an answer or a search; the name of a place or a model.
        tell: takes what became of it: whether it was taken, words, and what the memory replied.
        place: the id of a remembered place, or what stands for one.
        ends: the id of the mission that is to end for this one; empty for none.
    """

    deed: str
    words: str
    tell: Callable[[bool, str, ToolReply | None], None]
    place: str = ''
    ends: str = ''


def is_sent(value: Any) -> bool:
    """Tell whether a page may send this."""
    return _SENT.breach(value) is None
