"""JSON schemas compiled to plain functions, for where `jsonschema` is too slow.

A compiled check only says yes or no. `jsonschema` stays the judge of what is wrong, and a test
holds the two together.
"""

from collections.abc import Callable
from typing import Any

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.schemas import Json

Check = Callable[[Any], bool]

_NO_RULES = frozenset({'$schema', '$id', 'title', 'description'})


def compile_check(schema: Json | bool) -> Check:
    """Return a function that tells whether a JSON value keeps the schema.

    Args:
        schema: of the 2020-12 dialect, without references.

    Raises:
        ConfigError: the schema uses a keyword that is not known here.
    """
    if isinstance(schema, bool):
        return lambda value: schema
    unknown = schema.keys() - _NO_RULES - _COMPILERS.keys() - _PARTS.keys()
    if unknown:
        raise ConfigError(f'a schema uses {sorted(unknown)[0]!r}, which has no compiled check')
    checks = [make(schema) for keyword, make in _COMPILERS.items() if keyword in schema]
    for part, whole in _PARTS.items():
        if part in schema and whole not in schema:
            raise ConfigError(f'a schema uses {part!r} without {whole!r}')
    return checks[0] if len(checks) == 1 else _every(checks)


def _every(checks: list[Check]) -> Check:
    fixed = tuple(checks)

    def check(value: Any) -> bool:
        for one in fixed:
            if not one(value):
                return False
        return True
    return check


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: dict[str, Check] = {
    'object': lambda value: isinstance(value, dict),
    'array': lambda value: isinstance(value, list),
    'string': lambda value: isinstance(value, str),
    'number': _is_number,
    'null': lambda value: value is None,
}


def _type(schema: Json) -> Check:
    kind = schema['type']
    if not isinstance(kind, str) or kind not in _TYPES:
        raise ConfigError(f'a schema uses type {kind!r}, which has no compiled check')
    if kind == 'number':
        return _number(schema)
    if kind == 'string':
        return _string(schema)
    return _TYPES[kind]


def _number(schema: Json) -> Check:
    low, high = schema.get('minimum'), schema.get('maximum')
    if low is None or high is None:
        return lambda value: (_is_number(value) and (low is None or value >= low)
                              and (high is None or value <= high))
    return lambda value: (isinstance(value, (int, float)) and low <= value <= high
                          and not isinstance(value, bool))


def _string(schema: Json) -> Check:
    low, high = schema.get('minLength', 0), schema.get('maxLength')
    if high is None:
        return lambda value: isinstance(value, str) and low <= len(value)
    return lambda value: isinstance(value, str) and low <= len(value) <= high


def _enum(schema: Json) -> Check:
    if not all(isinstance(word, str) for word in schema['enum']):
        raise ConfigError('a schema has an enum of other than strings')
    words = frozenset(schema['enum'])
    return lambda value: isinstance(value, str) and value in words


def _const(schema: Json) -> Check:
    return _enum({'enum': [schema['const']]})


def _required(schema: Json) -> Check:
    names = frozenset(schema['required'])
    return lambda value: not isinstance(value, dict) or names <= value.keys()


def _properties(schema: Json) -> Check:
    checks = {name: compile_check(part) for name, part in schema['properties'].items()}
    closed = schema.get('additionalProperties', True)
    if not isinstance(closed, bool):
        raise ConfigError('a schema describes additional properties, which has no compiled check')
    unlisted = closed

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, item in value.items():
            one = checks.get(name)
            if one is None:
                if not unlisted:
                    return False
            elif not one(item):
                return False
        return True
    return check


def _min_items(schema: Json) -> Check:
    low = schema['minItems']
    return lambda value: not isinstance(value, list) or len(value) >= low


def _max_items(schema: Json) -> Check:
    high = schema['maxItems']
    return lambda value: not isinstance(value, list) or len(value) <= high


def _prefix_items(schema: Json) -> Check:
    checks = tuple(compile_check(part) for part in schema['prefixItems'])
    return lambda value: (not isinstance(value, list)
                          or all(one(item) for one, item in zip(checks, value, strict=False)))


def _items(schema: Json) -> Check:
    first = len(schema.get('prefixItems', ()))
    one = compile_check(schema['items'])
    return lambda value: (not isinstance(value, list)
                          or all(one(item) for item in value[first:]))


def _all_of(schema: Json) -> Check:
    return _every([compile_check(part) for part in schema['allOf']])


def _any_of(schema: Json) -> Check:
    checks = tuple(compile_check(part) for part in schema['anyOf'])
    return lambda value: any(one(value) for one in checks)


def _one_of(schema: Json) -> Check:
    checks = tuple(compile_check(part) for part in schema['oneOf'])
    return lambda value: sum(one(value) for one in checks) == 1


def _if(schema: Json) -> Check:
    condition = compile_check(schema['if'])
    then, otherwise = compile_check(schema.get('then', True)), compile_check(
        schema.get('else', True))
    return lambda value: then(value) if condition(value) else otherwise(value)


#: Keywords in the order of their checks: cheap ones and those that fail often come first.
_COMPILERS: dict[str, Callable[[Json], Check]] = {
    'type': _type, 'enum': _enum, 'const': _const, 'required': _required,
    'minItems': _min_items, 'maxItems': _max_items, 'prefixItems': _prefix_items,
    'items': _items, 'properties': _properties, 'allOf': _all_of, 'anyOf': _any_of,
    'oneOf': _one_of, 'if': _if,
}
#: Keywords that the compiler of another one reads.
_PARTS = {'minimum': 'type', 'maximum': 'type', 'minLength': 'type', 'maxLength': 'type',
          'additionalProperties': 'properties', 'then': 'if', 'else': 'if'}
