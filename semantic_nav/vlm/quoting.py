"""Quoting of foreign text, so that it stays data in a prompt and can be shown to people."""

import json
import re

_MAX_SAID = 200
#: Characters that could end a fenced block or begin a control token of a chat template.
_ESCAPES = str.maketrans({'`': '\\u0060', '<': '\\u003c', '>': '\\u003e'})
#: Beginning of the control tokens of Mistral's templates, `[INST]` and `[/INST]`. JSON holds it
#: only within strings.
_BRACKET = re.compile(r'\[(?=[A-Z/])')
#: Beginning of any control token, as of `<|im_end|>`, `<end_of_turn>`, `</s>` or `[INST]`.
_TOKEN = re.compile(rf'<(?=\S)|{_BRACKET.pattern}')


def quoted(value: object) -> str:
    """JSON of a value that ends no fence and holds no control token, whatever its strings are."""
    text = as_unicode(json.dumps(value, ensure_ascii=False)).translate(_ESCAPES)
    return _BRACKET.sub(r'\\u005b', text)


def disarmed(text: str) -> str:
    """A text, not only JSON, with a space in anything that may be a control token."""
    return _TOKEN.sub(r'\g<0> ', as_unicode(text))


def shown(text: str) -> str:
    """Words of a server, shortened and printable."""
    return ''.join(character if character.isprintable() else ' '
                   for character in as_unicode(text[:_MAX_SAID])).strip()


def as_unicode(text: str) -> str:
    """A text without the halves of surrogate pairs that JSON lets through."""
    return text.encode('utf-8', 'replace').decode()
