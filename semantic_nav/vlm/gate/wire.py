"""The form in which a model is asked for a hypothesis, and its conversion to the canonical form.

All schemas here follow from `contracts/hypothesis.py`, with numbers in the units of `units.py`.
One form is accepted. The form asked for is a choice of one form per action, with the fields of
that action only, all required: llama.cpp's grammar would put optional ones, such as the target's
box, behind the prose, where the token limit cuts them off.
"""

import re
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from semantic_nav.contracts.hypothesis import (
    ONLY_WITH,
    Action,
    Box,
    CanonicalHypothesis,
    TargetStatus,
)
from semantic_nav.contracts.schema_writer import inline_schema
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.gate.boxes import (
    ACCEPTED_BOX,
    BoxConvention,
    BoxError,
    asked_box,
    canonical_box,
)
from semantic_nav.vlm.gate.units import UNITS, Unit

#: Limits of the request, lower than those accepted: more would not fit the default `num_predict`.
_OBJECTS, _NAME_LENGTH, _SENTENCE_LENGTH = 6, 40, 200
#: Field that is accepted but never asked for, since a model sees no coordinates.
_NOT_ASKED_FOR = 'navigation_goal'
#: Target statuses that an action allows, if it does not allow all.
_STATUSES = {Action.APPROACH: (TargetStatus.VISIBLE, TargetStatus.AMBIGUOUS),
             Action.STOP: (TargetStatus.VISIBLE,)}
#: Ids that may enter a grammar; others are remembered text, which stays in the prompt's block.
_PLAIN_ID = re.compile(r'[A-Za-z0-9_.:-]+')
#: Control characters of C0 and C1, which could disturb a terminal, and the bidirectional controls,
#: which make the text after them read as another.
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7f, 0xa0), *range(0x200e, 0x2010),
                           *range(0x2028, 0x202f), *range(0x2066, 0x206a)], ' ')


@dataclass(frozen=True)
class Field:
    """A field of the hypothesis or of a part of it.

    Attributes:
        name: name in canonical form.
        wire: name on the wire.
        kind: type of its value if it has one.
        unit: unit on the wire; None if it is not a number with a unit.
    """

    name: str
    wire: str
    kind: Any
    unit: Unit | None


@dataclass(frozen=True)
class _Place:
    """The box convention, and the size of the picture."""

    boxes: BoxConvention
    sent_px: tuple[int, int]


#: Function that makes a part of a reply canonical.
_Conversion = Callable[[Any, _Place], Any]


@cache
def fields_of(kind: type) -> tuple[Field, ...]:
    """The fields of a dataclass on the wire."""
    hints = get_type_hints(kind, include_extras=True)
    kinds = {one.name: _given(hints[one.name]) for one in fields(kind)}
    units = {name: UNITS.get(of) for name, of in kinds.items()}
    return tuple(Field(name, unit.wire_name(name) if unit else name, kinds[name], unit)
                 for name, unit in units.items())


def _given(kind: Any) -> Any:
    """The type of a field without None."""
    if get_origin(kind) in (Union, UnionType):
        return next(one for one in get_args(kind) if one is not type(None))
    return kind


# Schemas

@cache
def wire_schema(boxes: BoxConvention) -> Json:
    """The schema of accepted replies."""
    schema = _schema(ACCEPTED_BOX, 'number')
    return {'title': _title(boxes), **_with_nulls(schema)}


def _title(boxes: BoxConvention) -> str:
    return f'A hypothesis with boxes in {boxes}'


@cache
def _asked_for(boxes: BoxConvention, sent_px: tuple[int, int] | None) -> Json:
    """The schema of the reply asked for, for all actions at once."""
    schema = _schema(asked_box(boxes, sent_px), 'integer')
    del schema['allOf']
    asked = schema['properties']
    del asked[_NOT_ASKED_FOR]
    scene = asked['scene']['properties']
    scene['objects']['maxItems'] = _OBJECTS
    scene['place']['maxLength'] = _NAME_LENGTH
    scene['objects']['items']['properties']['name']['maxLength'] = _NAME_LENGTH
    for name in ('clarification_question', 'rationale'):
        asked[name]['maxLength'] = _SENTENCE_LENGTH
    return schema


def request_schema(boxes: BoxConvention, sent_px: tuple[int, int] | None = None,
                   place_ids: Collection[str] | None = None) -> Json:
    """The schema that a server enforces: one form for each action.

    Args:
        boxes: box convention of the model.
        sent_px: width and height of the picture it sees; None if unknown.
        place_ids: ids of the places in its prompt; None if unknown.
    """
    forms = {action: _form(action, boxes, sent_px) for action in Action}
    if place_ids is not None and not place_ids:
        del forms[Action.GOTO_NODE]
    elif place_ids and all(map(_PLAIN_ID.fullmatch, place_ids)):
        forms[Action.GOTO_NODE]['properties']['node_id'] = {
            'type': 'string', 'enum': list(place_ids)}
    return {'title': _title(boxes), 'anyOf': list(forms.values())}


def _form(action: Action, boxes: BoxConvention, sent_px: tuple[int, int] | None) -> Json:
    """The schema of the replies with one action."""
    form = _all_required(_with_nulls(deepcopy(_asked_for(boxes, sent_px))))
    asked = form['properties'] = {
        name: part for name, part in form['properties'].items()
        if ONLY_WITH.get(CANONICAL_NAMES.get(name, name), action) == action}
    form['required'] = list(asked)
    for name in _needed(action) & asked.keys():
        asked[name] = asked[name]['anyOf'][0]
    asked['action']['enum'] = [action.value]
    if action in _STATUSES:
        asked['target_status']['enum'] = [status.value for status in _STATUSES[action]]
    return form


@cache
def _needed(action: Action) -> frozenset[str]:
    """The fields that an action requires; the first of two alternatives."""
    for rule in wire_schema(BoxConvention.PERMILLE)['allOf']:
        if rule['if']['properties']['action']['const'] == action:
            then = rule['then']
            return frozenset((then if 'required' in then else then['oneOf'][0])['required'])
    return frozenset()


def _schema(box: Json, number: str) -> Json:
    """The schema of a hypothesis with the names and units of the wire."""
    numbers = {kind: unit.schema(number) for kind, unit in UNITS.items()}
    named: Json = _on_wire(inline_schema(CanonicalHypothesis, {Box: box, **numbers}))
    return named


def _on_wire(part: Any) -> Any:
    """A part of a schema with the names of the wire."""
    if isinstance(part, list):
        return [_on_wire(one) for one in part]
    if not isinstance(part, dict):
        return part
    result = {word: _on_wire(one) for word, one in part.items()}
    if 'properties' in result:
        result['properties'] = {_WIRE_NAMES.get(name, name): one
                                for name, one in result['properties'].items()}
    if 'required' in result:
        result['required'] = [_WIRE_NAMES.get(name, name) for name in result['required']]
    return result


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


def _names(kind: type) -> dict[str, str]:
    """Wire names of the fields with a unit in a dataclass and its parts, by canonical name."""
    found: dict[str, str] = {}
    for one in fields_of(kind):
        found |= {one.name: one.wire} if one.unit else {}
        if isinstance(one.kind, type) and is_dataclass(one.kind):
            found |= _names(one.kind)
    return found


_WIRE_NAMES = _names(CanonicalHypothesis)
#: Canonical names of the fields with a unit, by wire name.
CANONICAL_NAMES = {wire: name for name, wire in _WIRE_NAMES.items()}


# Conversion

@cache
def canonical_schema() -> Json:
    """The canonical schema with its references filled in."""
    return inline_schema(CanonicalHypothesis)


def to_canonical(reply: Json, boxes: BoxConvention, sent_px: tuple[int, int]) -> Json:
    """A reply in canonical form.

    An unusable box that the hypothesis does not need is left out: that of an object in the scene,
    or of a target that is not approached.

    Args:
        reply: result of `reread`, valid by the wire schema.
        boxes: box convention of the reply.
        sent_px: width and height of the picture the model saw.

    Raises:
        BoxError: the target to be approached has no usable box.
    """
    if reply['action'] == Action.APPROACH and reply.get('target_box') is not None:
        canonical_box(reply['target_box'], boxes, sent_px, '$.target_box')
    result: Json = _conversion(CanonicalHypothesis)(reply, _Place(boxes, sent_px))
    return result


@cache
def _conversion(kind: Any) -> _Conversion:
    """A function that makes a part of a reply canonical, by the type of its field.

    Texts are cleaned, numbers and boxes converted. A null or an unusable box is left out.
    """
    kind = _given(kind)
    if kind == Box:
        return _usable_box
    if kind in UNITS:
        return partial(_in_canonical_unit, UNITS[kind])
    if isinstance(kind, type) and is_dataclass(kind):
        return partial(_canonical_object, {
            one.wire: (one.name, _conversion(one.kind)) for one in fields_of(kind)})
    if get_origin(kind) is tuple:
        return partial(_canonical_list, _conversion(get_args(kind)[0]))
    if get_origin(kind) is Annotated:
        return _conversion(get_args(kind)[0])
    return _clean


def _canonical_object(conversions: Mapping[str, tuple[str, _Conversion]], value: Json,
                      place: _Place) -> Json:
    result: Json = {}
    for wire, part in value.items():
        name, conversion = conversions[wire]
        if part is not None and (made := conversion(part, place)) is not None:
            result[name] = made
    return result


def _canonical_list(conversion: _Conversion, value: list[Any], place: _Place) -> list[Any]:
    return [conversion(part, place) for part in value]


def _in_canonical_unit(unit: Unit, value: float, place: _Place) -> float:
    del place
    return value / unit.per


def _usable_box(box: list[float], place: _Place) -> list[float] | None:
    try:
        return list(canonical_box(box, place.boxes, place.sent_px))
    except BoxError:
        return None


def _clean(value: Any, place: _Place) -> Any:
    del place
    if isinstance(value, str) and not value.isprintable():
        return value.translate(_CONTROLS)
    return value
