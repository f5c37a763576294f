"""Which words of an operator are taken as a goal or an answer."""

import unicodedata


def refusal_of(text: str, max_chars: int) -> str:
    """Return why the text is refused, or an empty string where it is taken."""
    if not text.strip():
        return 'the text is empty: say in words what to find'
    if len(text) > max_chars:
        return f'the text has {len(text)} characters, {max_chars} are allowed'
    for character in text:
        if unicodedata.category(character) in ('Cc', 'Cs', 'Co', 'Cn'):
            return f'the text holds the control character U+{ord(character):04X}'
    return ''


def quotable(text: str, max_chars: int) -> str:
    """Return a refused text in a form that can be shown: short and without control characters."""
    return ''.join(character if character.isprintable() else '\N{REPLACEMENT CHARACTER}'
                   for character in text[:max_chars])
