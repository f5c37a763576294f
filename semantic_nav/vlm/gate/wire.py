"""The form in which a model is asked for a hypothesis, and its one way into the canonical form.

Both wire schemas are derived from `contracts/hypothesis.py`. They leave out what the
grammars of structured output cannot hold (if/then, references, `prefixItems` beside `items`) and
allow null wherever the canonical form lets a field be absent. Two variants exist of each: what is
accepted, and what is asked for. The second names every field as required, because llama.cpp's
grammar would otherwise put the optional ones, the target's box among them, behind the prose, where
they fall to the token limit.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from semantic_nav.contracts.errors import GateError
from semantic_nav.contracts.hypothesis import (
    ONLY_WITH,
    Action,
    Box,
    CanonicalHypothesis,
    TargetStatus,
)
from semantic_nav.contracts.schema_writer import inline_schema
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.gate.boxes import BoxConvention

#: How many objects of the scene are asked for; as many as the schema allows would not fit the
#: default `num_predict`.
_OBJECTS_ASKED_FOR = 6
#: How far outside the picture a corner may lie, in per mille of its size; it is moved to the edge.
_TOLERANCE_PERMILLE = 10.0
#: A box must be wider and higher than this, in per mille of the picture.
_MIN_EXTENT_PERMILLE = 1.0
#: Control characters of C0 and C1, which could make a terminal misbehave, and those that turn the
#: text after them about, so that it reads as another.
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7f, 0xa0), *range(0x200e, 0x2010),
                           *range(0x2028, 0x202f), *range(0x2066, 0x206a)], ' ')

#: How a box is asked for and accepted, whatever its convention.
BOX: Json = {'type': 'array', 'items': {'type': 'number', 'minimum': -100000, 'maximum': 100000},
             'minItems': 4, 'maxItems': 4}
#: Makes a part of a reply canonical.
_Conversion = Callable[[Any, '_Place'], Any]
_BOX_WORDS = {
    BoxConvention.PERMILLE: '[x1, y1, x2, y2], left, top, right and bottom edge, in thousandths '
                            'of the picture: 0 to 1000 across, 0 to 1000 down',
    BoxConvention.PERMILLE_YX: '[y1, x1, y2, x2], top, left, bottom and right edge, in '
                               'thousandths of the picture: 0 to 1000 down, 0 to 1000 across',
    BoxConvention.UNIT: '[x1, y1, x2, y2], left, top, right and bottom edge, as shares of the '
                        'picture: 0 to 1 across, 0 to 1 down',
    BoxConvention.PIXELS: '[x1, y1, x2, y2], left, top, right and bottom edge, in pixels of this '
                          'picture',
}


@dataclass(frozen=True)
class _Place:
    """How the four numbers of a box become per mille of the picture."""

    scale: tuple[float, float] = (1.0, 1.0)
    y_first: bool = False

    @classmethod
    def of(cls, boxes: BoxConvention, sent_px: tuple[int, int]) -> '_Place':
        match boxes:
            case BoxConvention.PERMILLE:
                return cls()
            case BoxConvention.PERMILLE_YX:
                return cls(y_first=True)
            case BoxConvention.UNIT:
                return cls((1000.0, 1000.0))
            case BoxConvention.PIXELS:
                return cls((1000.0 / sent_px[0], 1000.0 / sent_px[1]))


class BoxError(GateError):
    """A box is no rectangle inside the picture."""

    def __init__(self, path: str, message: str) -> None:
        """Say where in the reply the box stands and what is wrong with it."""
        super().__init__(f'{path}: {message}')
        self.path = path
        self.message = message


def box_words(boxes: BoxConvention) -> str:
    """Return how boxes are written, for the model to read."""
    return _BOX_WORDS[boxes]


@cache
def canonical_schema() -> Json:
    """Return the canonical schema with its references filled in."""
    return inline_schema(CanonicalHypothesis)


@cache
def wire_schema(boxes: BoxConvention) -> Json:
    """Return the schema of the replies that are accepted."""
    schema = inline_schema(CanonicalHypothesis, {Box: BOX})
    del schema['allOf']
    return {'title': f'A hypothesis with boxes in {boxes}', **_with_nulls(schema)}


@cache
def request_schema(boxes: BoxConvention) -> Json:
    """Return the schema that the server holds a reply to, a narrower one than `wire_schema`."""
    schema = _all_required(deepcopy(wire_schema(boxes)))
    schema['properties']['scene']['properties']['objects']['maxItems'] = _OBJECTS_ASKED_FOR
    return schema


def to_canonical(reply: Json, boxes: BoxConvention, sent_px: tuple[int, int]) -> Json:
    """Return a reply in canonical form; only the canonical schema's if/then may still be broken.

    Fields that the action does not use are left out, and so is an unusable box on which the
    hypothesis does not rest: of an object in the scene, or of a target that is not approached.
    A box of a target that the reply itself does not see is unusable too.

    Args:
        reply: valid by the wire schema.
        boxes: how its boxes are written.
        sent_px: width and height of the picture the model saw.

    Raises:
        BoxError: the target to be approached has no usable box.
    """
    place = _Place.of(boxes, sent_px)
    action = reply['action']
    used = {key: value for key, value in reply.items() if ONLY_WITH.get(key, action) == action}
    if action == Action.APPROACH and used.get('target_box') is not None:
        _canonical_box(used['target_box'], place, '$.target_box')
    elif reply['target_status'] == TargetStatus.NOT_VISIBLE:
        used.pop('target_box', None)
    result: Json = _conversion(CanonicalHypothesis)(used, place)
    return result


def canonical_box(box: list[float], boxes: BoxConvention, sent_px: tuple[int, int]) -> Box:
    """Return a box by itself in canonical form.

    Args:
        box: valid by `BOX`.
        boxes: how it is written.
        sent_px: width and height of the picture the model saw.

    Raises:
        BoxError: it is no rectangle inside the picture.
    """
    x1, y1, x2, y2 = _canonical_box(box, _Place.of(boxes, sent_px), '$.box')
    return x1, y1, x2, y2


@cache
def _conversion(kind: Any) -> _Conversion:
    """Return what makes a part of a reply canonical, by the type of the field that it stands in.

    Texts are cleaned and boxes turned, wherever they stand. What is null or holds an unusable box
    is left out.
    """
    if kind == Box:
        return _usable_box
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        return partial(_canonical_object, {name: _conversion(of) for name, of in hints.items()})
    if get_origin(kind) is tuple:
        return partial(_canonical_list, _conversion(get_args(kind)[0]))
    if get_origin(kind) in (Annotated, Union, UnionType):
        return _conversion(next(one for one in get_args(kind) if one is not type(None)))
    return _clean


def _canonical_object(conversions: Mapping[str, _Conversion], value: Json, place: _Place) -> Json:
    result: Json = {}
    for name, part in value.items():
        if part is not None and (made := conversions[name](part, place)) is not None:
            result[name] = made
    return result


def _canonical_list(conversion: _Conversion, value: list[Any], place: _Place) -> list[Any]:
    return [conversion(part, place) for part in value]


def _usable_box(box: list[float], place: _Place) -> list[float] | None:
    try:
        return _canonical_box(box, place, '$')
    except BoxError:
        return None


def _canonical_box(box: list[float], place: _Place, path: str) -> list[float]:
    x1, y1, x2, y2 = (box[index] * place.scale[index % 2] for index in range(4))
    if place.y_first:
        x1, y1, x2, y2 = y1, x1, y2, x2
    low, high = -_TOLERANCE_PERMILLE, 1000.0 + _TOLERANCE_PERMILLE
    if not (low <= x1 <= high and low <= x2 <= high and low <= y1 <= high and low <= y2 <= high):
        raise BoxError(path, f'{box} reaches outside the picture')
    if not (x1 < x2 and y1 < y2):
        raise BoxError(path, f'{box} is not ordered as left, top, right, bottom')
    x1, y1, x2, y2 = (min(max(value, 0.0), 1000.0) for value in (x1, y1, x2, y2))
    if x2 - x1 < _MIN_EXTENT_PERMILLE or y2 - y1 < _MIN_EXTENT_PERMILLE:
        raise BoxError(path, f'{box} encloses nothing')
    return [x1, y1, x2, y2]


def _clean(value: Any, place: _Place) -> Any:
    del place
    if isinstance(value, str) and not value.isprintable():
        return value.translate(_CONTROLS)
    return value


def _with_nulls(schema: Json) -> Json:
    if 'items' in schema:
        schema['items'] = _with_nulls(schema['items'])
    for name, part in schema.get('properties', {}).items():
        part = _with_nulls(part)
        if name not in schema['required']:
            part = {'anyOf': [part, {'type': 'null'}]}
        schema['properties'][name] = part
    return schema


def _all_required(schema: Json) -> Json:
    for part in (*schema.get('properties', {}).values(), *schema.get('anyOf', ())):
        _all_required(part)
    if 'items' in schema:
        _all_required(schema['items'])
    if 'properties' in schema:
        schema['required'] = list(schema['properties'])
    return schema
