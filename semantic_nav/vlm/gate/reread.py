"""Rereading of replies in another form than asked for.

A server that enforces a grammar sends no such reply; others do. An unambiguous field is read as it
is meant, and named; an ambiguous one is refused.
"""

from dataclasses import is_dataclass
from typing import Any

from semantic_nav.contracts.hypothesis import ONLY_WITH, Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.gate.boxes import BoxConvention, is_box, is_otherwise
from semantic_nav.vlm.gate.units import WireError, as_asked
from semantic_nav.vlm.gate.wire import CANONICAL_NAMES, Field, fields_of

_OPTIONAL = frozenset({'target_box', *ONLY_WITH})
#: The field that its action uses but does not need.
_HINT = 'explore_bearing_rad'


def reread(reply: Json, boxes: BoxConvention) -> tuple[Json, tuple[str, ...]]:
    """A reply in the form asked for, and the fields that were in another form.

    Fields that the action does not use are left out. So is a malformed box that the hypothesis
    does not need. Other faults are left for the schema to refuse.

    Args:
        reply: any JSON object.
        boxes: box convention that was asked for.

    Raises:
        WireError: a number is ambiguous.
    """
    action = reply.get('action')
    used = {name: value for name, value in reply.items() if _is_used(name, value, action)}
    if action != Action.APPROACH and not (
            is_box(used.get('target_box')) and
            reply.get('target_status') != TargetStatus.NOT_VISIBLE):
        used.pop('target_box', None)
    otherwise: list[str] = []
    used = _numbers(CanonicalHypothesis, used, '$', otherwise)
    if isinstance(scene := used.get('scene'), dict) and isinstance(scene.get('objects'), list):
        used['scene'] = {**scene, 'objects': [_thing(one) for one in scene['objects']]}
        if any(_is_otherwise(one, 'box', boxes) for one in used['scene']['objects']):
            otherwise.append('scene.objects.box')
    if _is_otherwise(used, 'target_box', boxes):
        otherwise.append('target_box')
    return used, tuple(otherwise)


def _is_used(name: str, value: Any, action: Any) -> bool:
    name = CANONICAL_NAMES.get(name, name)
    return ONLY_WITH.get(name, action) == action and not (value is None and name in _OPTIONAL)


def _numbers(kind: type, value: Json, path: str, otherwise: list[str]) -> Json:
    """An object with its numbers under the names and in the units asked for."""
    result = dict(value)
    for one in fields_of(kind):
        name = one.wire if one.wire in value else one.name
        if name not in value:
            continue
        if one.unit is not None:
            del result[name]
            _read(one, value[name], f'{path}.{name}', name == one.name, result, otherwise)
        elif is_dataclass(one.kind) and isinstance(one.kind, type) and (
                isinstance(value[name], dict)):
            result[name] = _numbers(one.kind, value[name], f'{path}.{name}', otherwise)
    return result


def _read(one: Field, value: Any, path: str, canonical: bool, result: Json,
          otherwise: list[str]) -> None:
    """Store a number under its wire name; a value of another type too, for the schema to refuse.
    """
    assert one.unit is not None
    if type(value) not in (int, float):
        result[one.wire] = value
        return
    read = as_asked(one.unit, value, canonical)
    if read is not None:
        result[one.wire] = read
        if canonical or read != value:
            otherwise.append(one.wire)
    elif one.name != _HINT:
        raise WireError(path, f'{value!r} may mean several things: {one.wire} takes a whole '
                              f'number from {one.unit.low} to {one.unit.high}')


def _thing(one: Any) -> Any:
    """An object of the scene, without its box if that is malformed."""
    if isinstance(one, dict) and 'box' in one and not is_box(one['box']):
        return {name: value for name, value in one.items() if name != 'box'}
    return one


def _is_otherwise(part: Any, name: str, boxes: BoxConvention) -> bool:
    return isinstance(part, dict) and is_box(box := part.get(name)) and is_otherwise(box, boxes)
