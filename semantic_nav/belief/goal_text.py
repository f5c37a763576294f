"""Checks on an operator's words: those taken as a goal or an answer, and their quoted form."""

import unicodedata

from semantic_nav.contracts.fields import MAX_TEXT

#: Control characters, lone surrogates, private and unassigned characters, line breaks.
_REFUSED = frozenset({'Cc', 'Cs', 'Co', 'Cn', 'Zl', 'Zp'})
#: Bidirectional controls, which reverse the text after them so that it reads differently.
_TURNING = frozenset({'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'})
#: Invisible joiners that some scripts and emoji need in their spelling.
_JOINERS = '\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}'

#: Longest answer that is added to a goal, in characters.
_MAX_ANSWER = 500


def refusal_of(text: str, max_chars: int) -> str:
    """The reason why a text is refused; empty if it is taken."""
    if not text.strip():
        return 'the text is empty: say in words what to find'
    if len(text) > max_chars:
        return f'the text has {len(text)} characters, {max_chars} are allowed'
    for character in text:
        if unicodedata.category(character) in _REFUSED or (
                unicodedata.bidirectional(character) in _TURNING):
            return f'the text holds the control character U+{ord(character):04X}'
    return ''


def quotable(text: str, max_chars: int) -> str:
    """A text in a form that can be shown: short, on one line, without invisible characters."""
    return ''.join(_shown(character) for character in text[:max_chars])


def with_answer(goal: str, answer: str) -> str:
    """A goal with the answer to a question about it; a long goal loses its end."""
    words = f' ({quotable(answer.strip(), _MAX_ANSWER)})'
    return goal[:MAX_TEXT - len(words)] + words


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if unicodedata.category(character) == 'Zs':
        return ' '
    return '\N{REPLACEMENT CHARACTER}'
