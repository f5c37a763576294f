"""How a model uses the tools that it is offered: which it calls, and with what.

It knows no tool by name. It looks closer with one that takes a box when it sees the target, and
asks the others when it does not; it fills in what their schemas ask for with what it was told.
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
#: Where a number may lie that nobody bounds, and how far from its least value an integer.
_NUMBER, _SPREAD = 5.0, 7
#: Tools that other programs have.
_FOREIGN = ('get_weather', 'move_base', 'python')


@dataclass(frozen=True)
class Tool:
    """A tool that is offered.

    Attributes:
        name: How it is called.
        parameters: JSON schema of its arguments.
    """

    name: str
    parameters: Json


@dataclass(frozen=True)
class Call:
    """A tool to be used."""

    name: str
    arguments: Json


@dataclass(frozen=True)
class Known:
    """What the arguments of a call can be filled in with.

    Attributes:
        goal: What is looked for, in words.
        values: What the model was told, by the names of the fields.
        box: Where the target is seen, as the model writes boxes; None if it is not.
    """

    goal: str
    values: Mapping[str, Sequence[str | float]]
    box: Sequence[int] | None = None

    @classmethod
    def of(cls, goal: str, told: Sequence[object], box: Sequence[int] | None) -> Known:
        """Return what JSON documents that the model was told say of each field."""
        values: dict[str, list[str | float]] = {}
        for name, value in _fields(told):
            if value not in (listed := values.setdefault(name, [])):
                listed.append(value)
        return cls(goal, values, box)


def calls(tools: Sequence[Tool], profile: ToolsProfile, known: Known, turns: int,
          rng: random.Random) -> tuple[Call, ...]:
    """Return the tools that are used in this turn; none if it is time to answer.

    Args:
        tools: What is offered.
        profile: How often tools are used, and how badly.
        known: What the arguments are filled in with.
        turns: How many turns with calls there were before.
        rng: Where choices come from.
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
    """Return the JSON document that a text is; None if it is none."""
    try:
        document: object = json.loads(text)
    except ValueError:
        return None
    return document


def _call(tool: Tool, known: Known, rng: random.Random) -> Call | None:
    """Return a call whose arguments keep the schema; None if too little is known for one."""
    schema = tool.parameters
    properties, required = schema.get('properties') or {}, list(schema.get('required') or ())
    arguments = {name: _value(name, properties.get(name) or {}, known, rng) for name in required}
    # Who is asked for nothing certain says something all the same.
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
    """Return a value for a field; None if nothing is known that would do."""
    told = known.values.get(name, ())
    if 'enum' in schema:
        return rng.choice(schema['enum'])
    kind = schema.get('type')
    if kind == 'string':
        texts = [one for one in told if isinstance(one, str) and one]
        if texts:
            return rng.choice(texts)
        # Whoever was told no name of a thing cannot ask for it by name.
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
    """Return arguments that no schema of good sense takes."""
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
    """Yield the name and the value of each field that holds a text or a number, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str | int | float) and not isinstance(inner, bool):
                yield name, inner
            else:
                yield from _fields(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _fields(inner)
