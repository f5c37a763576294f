"""Detection of replies from a server that did not enforce the schema.

Limits of numbers and texts are enforced in part, and by each server differently; the shape is
enforced in full by every grammar. So only a wrong shape tells that there was none.
"""

import json
from functools import cache
from typing import Any

from semantic_nav.contracts.judge import Judge
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.gate import wire
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.extract import NoObject, only_object

#: Schema keywords that every grammar of structured output enforces.
_SHAPE = frozenset({'type', 'enum', 'const', 'properties', 'required', 'additionalProperties',
                    'items', 'anyOf'})


def had_no_grammar(text: str, boxes: BoxConvention) -> bool:
    """Tell whether no grammar of the request's schema could have produced a reply.

    Args:
        text: reply, not cut off.
        boxes: box convention that the model was asked for.
    """
    try:
        reply = only_object(text)
        json.loads(text)
    except (NoObject, ValueError, RecursionError):
        return True
    return _shape_judge(boxes).breach(reply) is not None


@cache
def _shape_judge(boxes: BoxConvention) -> Judge:
    return Judge(_shape(wire.request_schema(boxes)))


def _shape(schema: Json) -> Json:
    """A schema without limits of numbers, texts and lists."""
    kept: dict[str, Any] = {word: part for word, part in schema.items() if word in _SHAPE}
    if 'properties' in kept:
        kept['properties'] = {name: _shape(part) for name, part in kept['properties'].items()}
    if 'items' in kept:
        kept['items'] = _shape(kept['items'])
    if 'anyOf' in kept:
        kept['anyOf'] = [_shape(part) for part in kept['anyOf']]
    return kept
