"""Which words of an operator are taken as a goal or an answer."""

import unicodedata

from semantic_nav.contracts.fields import MAX_TEXT

#: Control characters, lone surrogates, private and unassigned ones, line breaks.
_REFUSED = frozenset({'Cc', 'Cs', 'Co', 'Cn', 'Zl', 'Zp'})
#: Classes of characters that turn the text after them about, so that it reads as another.
_TURNING = frozenset({'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'})
#: Part of the spelling in some scripts, and of emoji, though they print nothing.
_JOINERS = '\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}'

#: What of a text an answer may take.
_MAX_ANSWER = 500


def refusal_of(text: str, max_chars: int) -> str:
    """Return why the text is refused, or an empty string where it is taken."""
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
    """Return any text in a form that can be shown: short, on one line, nothing invisible."""
    return ''.join(_shown(character) for character in text[:max_chars])


def with_answer(goal: str, answer: str) -> str:
    """Return a goal with an answer to a question about it; of a long goal the end gives way."""
    words = f' ({quotable(answer.strip(), _MAX_ANSWER)})'
    return goal[:MAX_TEXT - len(words)] + words


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if unicodedata.category(character) == 'Zs':
        return ' '
    return '\N{REPLACEMENT CHARACTER}'
