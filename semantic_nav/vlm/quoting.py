"""Text of others, written so that it stays data in a prompt."""

import json

from semantic_nav.vlm.provider import as_unicode

#: What could end a fenced block or pass for a control token of a chat template.
_ESCAPES = str.maketrans({'`': '\\u0060', '<': '\\u003c', '>': '\\u003e'})


def quoted(value: object) -> str:
    """Return JSON that ends no fence and holds no control token, whatever its strings say."""
    return as_unicode(json.dumps(value, ensure_ascii=False)).translate(_ESCAPES)
