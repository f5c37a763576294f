"""A model's use of offered tools: the choice of calls and their arguments.

It knows no tool by name. If it sees the target, it calls a tool that takes a box; otherwise it
calls the others. It fills in the arguments of their schemas from what it was told.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semantic_nav_sim.model.profile import ToolsProfile

Json = dict[str, Any]
_OPTIONAL = 0.3
_SIDES = 4
#: Bound of an unbounded number, and range of an integer above its minimum.
_NUMBER, _SPREAD = 5.0, 7
#: Names of other programs' tools.
_FOREIGN = ('get_weather', 'move_base', 'python')


@dataclass(frozen=True)
class Tool:
    """An offered tool.

    Attributes:
        name: Name in calls.
        parameters: JSON schema of its arguments.
    """

    name: str
    parameters: Json


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    name: str
    arguments: Json


@dataclass(frozen=True)
class Known:
    """The values available for the arguments of a call.

    Attributes:
        goal: The goal in words.
        values: Values that the model was told, by field name.
        box: Box of the target, as the model writes boxes; None if it sees none.
    """

    goal: str
    values: Mapping[str, Sequence[str | float]]
    box: Sequence[int] | None = None

    @classmethod
    def of(cls, goal: str, told: Sequence[object], box: Sequence[int] | None) -> Known:
        """Collect the values of each field in the JSON documents that the model was told."""
        values: dict[str, list[str | float]] = {}
        for name, value in _fields(told):
            if value not in (listed := values.setdefault(name, [])):
                listed.append(value)
        return cls(goal, values, box)


def calls(tools: Sequence[Tool], profile: ToolsProfile, known: Known, turns: int,
          rng: random.Random) -> tuple[Call, ...]:
    """Choose the tool calls of this turn; none if it is time to answer.

    Args:
        tools: The offered tools.
        profile: Rates and faults of the calls.
        known: Values for the arguments.
        turns: Number of earlier turns with calls.
        rng: Source of the choices.
    """
    if not tools or turns >= profile.rounds or rng.random() >= profile.rate:
        return ()
    fitting = [tool for tool in tools if _takes_box(tool) == (known.box is not None)]
    wanted: list[Call] = []
    for _ in range(rng.randint(1, profile.at_once)):
        if rng.random() < profile.unknown:
            call: Call | None = Call(rng.choice(_FOREIGN), {})
        else:
            call = _call(rng.choice(fitting), known, rng) if fitting else None
            if call is not None and rng.random() < profile.wrong_arguments:
                call = Call(call.name, _spoilt(call.arguments, rng))
        if call is not None and call not in wanted:
            wanted.append(call)
    return tuple(wanted)


def read_json(text: str) -> object:
    """The JSON document in a text; None if it is not JSON."""
    try:
        document: object = json.loads(text)
    except ValueError:
        return None
    return document


def _call(tool: Tool, known: Known, rng: random.Random) -> Call | None:
    """A call whose arguments satisfy the schema; None if too few values are known."""
    schema = tool.parameters
    properties, required = schema.get('properties') or {}, list(schema.get('required') or ())
    arguments = {name: _value(name, properties.get(name) or {}, known, rng) for name in required}
    # If no argument is required, give at least one.
    least = max(schema.get('minProperties', 0), min(1, len(properties)))
    most = schema.get('maxProperties', len(properties))
    optional = [name for name in properties if name not in required]
    rng.shuffle(optional)
    for name in optional:
        if name in arguments or (len(arguments) >= least and rng.random() >= _OPTIONAL):
            continue
        group = {name, *(schema.get('dependentRequired') or {}).get(name, ())}
        more = {one: _value(one, properties.get(one) or {}, known, rng)
                for one in sorted(group - set(arguments))}
        if None not in more.values() and len(arguments) + len(more) <= most:
            arguments |= more
    if None in arguments.values() or len(arguments) < least:
        return None
    return Call(tool.name, arguments)


def _value(name: str, schema: Json, known: Known, rng: random.Random) -> Any:
    """A value for a field; None if no suitable one is known."""
    told = known.values.get(name, ())
    if 'enum' in schema:
        return rng.choice(schema['enum'])
    kind = schema.get('type')
    if kind == 'string':
        texts = [one for one in told if isinstance(one, str) and one]
        if texts:
            return rng.choice(texts)
        # An id must have been told; it cannot be made up.
        return None if name.endswith('id') else known.goal[:schema.get('maxLength')]
    if kind == 'array':
        return list(known.box) if _is_box(schema) and known.box is not None else None
    if kind in ('integer', 'number'):
        numbers = [one for one in told if isinstance(one, int | float)]
        if numbers and kind == 'number':
            return rng.choice(numbers)
        low = max(schema.get('minimum', -_NUMBER), -_NUMBER)
        high = min(schema.get('maximum', _NUMBER), _NUMBER)
        if kind == 'integer':
            return rng.randint(int(low), min(int(high), int(low) + _SPREAD))
        return round(rng.uniform(low, high), 2)
    return rng.random() < 0.5 if kind == 'boolean' else None


def _spoilt(arguments: Json, rng: random.Random) -> Json:
    """Make arguments invalid for any sensible schema."""
    if arguments and rng.random() < 0.5:
        return {**arguments, rng.choice(sorted(arguments)): {'value': None}}
    return {'input': arguments}


def _takes_box(tool: Tool) -> bool:
    return any(_is_box(schema) for schema in (tool.parameters.get('properties') or {}).values())


def _is_box(schema: Json) -> bool:
    # Ollama's client leaves the lengths of an array out.
    lengths = {schema.get('minItems', _SIDES), schema.get('maxItems', _SIDES)}
    numbers = (schema.get('items') or {}).get('type') in ('integer', 'number')
    return schema.get('type') == 'array' and numbers and lengths == {_SIDES}


def _fields(value: object) -> Iterator[tuple[str, str | float]]:
    """Yield name and value of each field with a text or a number, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str | int | float) and not isinstance(inner, bool):
                yield name, inner
            else:
                yield from _fields(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _fields(inner)
