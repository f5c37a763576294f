"""Text of others, written so that it stays data in a prompt and can be shown to people."""

import json
import re

_MAX_SAID = 200
#: What could end a fenced block or pass for a control token of a chat template.
_ESCAPES = str.maketrans({'`': '\\u0060', '<': '\\u003c', '>': '\\u003e'})
#: How the control tokens of Mistral's templates begin, `[INST]` and `[/INST]`. Outside of strings
#: no JSON looks like this.
_BRACKET = re.compile(r'\[(?=[A-Z/])')
#: The same, and how those of all other templates begin: `<|im_end|>`, `<end_of_turn>`, `</s>`.
_TOKEN = re.compile(rf'<(?=\S)|{_BRACKET.pattern}')


def quoted(value: object) -> str:
    """Return JSON that ends no fence and holds no control token, whatever its strings say."""
    text = as_unicode(json.dumps(value, ensure_ascii=False)).translate(_ESCAPES)
    return _BRACKET.sub(r'\\u005b', text)


def disarmed(text: str) -> str:
    """Return a text that need be no JSON, with a space in whatever may be a control token."""
    return _TOKEN.sub(r'\g<0> ', as_unicode(text))


def shown(text: str) -> str:
    """Return what a server said, short and printable."""
    return ''.join(character if character.isprintable() else ' '
                   for character in as_unicode(text[:_MAX_SAID])).strip()


def as_unicode(text: str) -> str:
    """Return a text without the halves of surrogate pairs that JSON lets through."""
    return text.encode('utf-8', 'replace').decode()
