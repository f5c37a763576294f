"""Hypothesis strategies: every document that the schemas allow, extremes included."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.documents import NAMES, Body
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.schemas import Json, load_schema

#: What a text may hold: everything but half a surrogate pair, which no UTF-8 has.
_CHARACTERS = st.characters(exclude_categories=['Cs'])
_LARGE = 1e300
_SCHEMA_OF = {name: body for body, name in NAMES.items()}


def examples(count: int) -> int:
    """Return how many examples to try: fewer where the profile in use says so."""
    return min(count, settings.default.max_examples)


def values(schema: Json, file: str) -> SearchStrategy[Any]:
    """Return what a schema of `schema/<file>.schema.json` allows; knows what ours make use of.

    What a schema says of several fields together (if, not, dependentRequired) may be broken.
    """
    if '$ref' in schema:
        return values(*_referred(schema, file))
    if 'anyOf' in schema:
        return st.one_of([values(one, file) for one in schema['anyOf']])
    if 'oneOf' in schema and 'properties' not in schema:
        return st.one_of([values(one, file) for one in schema['oneOf']])
    if 'const' in schema:
        return st.just(schema['const'])
    if 'enum' in schema:
        return st.sampled_from(schema['enum'])
    return _OF_TYPE[schema['type']](schema, file)


def _referred(schema: Json, file: str) -> tuple[Json, str]:
    """Return the schema that a reference leads to, or the schema itself, and its file."""
    if '$ref' not in schema:
        return schema, file
    where, _, inside = schema['$ref'].partition('#')
    name = where.removesuffix('.schema.json') if where else file
    target = load_schema(name)
    for part in inside.strip('/').split('/') if inside else ():
        target = target[part]
    return target, name


def _object(schema: Json, file: str) -> SearchStrategy[Any]:
    if 'oneOf' in schema:
        return st.one_of([_object(_merged(schema, branch, file), file)
                          for branch in schema['oneOf']])
    if 'if' in schema.get('allOf', [{}])[0]:
        return _by_rules(schema, file)
    required = schema.get('required', ())
    if isinstance(schema.get('additionalProperties'), dict):
        return st.dictionaries(values({'type': 'string', **schema['propertyNames']}, file),
                               values(schema['additionalProperties'], file), max_size=3)
    fields = {name: values(one, file) for name, one in schema.get('properties', {}).items()}
    always = {name: one for name, one in fields.items() if name in required}
    sometimes = {name: one for name, one in fields.items() if name not in required}
    return st.fixed_dictionaries(always, optional=sometimes)


@st.composite
def _by_rules(draw: Any, schema: Json, file: str) -> Json:
    """Return an object's value whose first field decides by if/then what else must be there."""
    fields = schema['properties']
    first = next(iter(fields))
    result = {first: draw(values(fields[first], file))}
    wanted, unwanted = set(schema['required']), set()
    for rule in schema['allOf']:
        if rule['if']['properties'][first]['const'] == result[first]:
            wanted |= set(rule['then'].get('required', ()))
            choices = [one for part in rule['then'].get('oneOf', ()) for one in part['required']]
            chosen = {draw(st.sampled_from(choices))} if choices else set()
            wanted |= chosen
            unwanted |= set(choices) - chosen
    for name, one in fields.items():
        if name in wanted or (name not in unwanted and draw(st.booleans())):
            result.setdefault(name, draw(values(one, file)))
    return result


def _merged(schema: Json, branch: Json, file: str) -> Json:
    """Return an object's schema narrowed to one branch of its oneOf."""
    properties = dict(schema['properties'])
    for name, narrow in branch['properties'].items():
        if 'type' in narrow:
            (properties[name],) = (one for one in properties[name]['anyOf']
                                   if _referred(one, file)[0]['type'] == narrow['type'])
        else:
            properties[name] = narrow
    return {key: value for key, value in {**schema, 'properties': properties}.items()
            if key != 'oneOf'}


def _array(schema: Json, file: str) -> SearchStrategy[Any]:
    if 'prefixItems' in schema:
        return st.tuples(*(values(one, file) for one in schema['prefixItems'])).map(list)
    low = schema.get('minItems', 0)
    return st.lists(values(schema['items'], file), min_size=low,
                    max_size=min(max(low, 3), schema.get('maxItems', 3)))


def _string(schema: Json, file: str) -> SearchStrategy[str]:
    del file
    if 'pattern' in schema:
        # `$` of Python is also before a line break at the end; that of JSON Schema is not.
        words = st.from_regex(schema['pattern'].removesuffix('$') + r'\Z')
        return words.filter(lambda word: len(word) <= schema.get('maxLength', 32))
    longest = schema['maxLength']
    short = st.text(_CHARACTERS, min_size=schema.get('minLength', 0), max_size=min(12, longest))
    return short | st.sampled_from(['x', '\N{HOT BEVERAGE}']).map(lambda one: one * longest)


def _number(schema: Json, file: str) -> SearchStrategy[float]:
    del file
    low, high = schema.get('minimum', -_LARGE), schema.get('maximum', _LARGE)
    if 'exclusiveMinimum' in schema:
        return st.floats(schema['exclusiveMinimum'], high, exclude_min=True)
    return st.floats(low, high) | st.sampled_from([low, high])


def _integer(schema: Json, file: str) -> SearchStrategy[int]:
    del file
    return st.integers(schema.get('minimum', -2**63), schema.get('maximum', 2**63))


_OF_TYPE: dict[str, Any] = {
    'object': _object, 'array': _array, 'string': _string, 'number': _number,
    'integer': _integer, 'boolean': lambda schema, file: st.booleans(),
    'null': lambda schema, file: st.none()}


def plain_bodies(name: str) -> SearchStrategy[Json]:
    """Return bodies of one kind as plain JSON values."""
    return values(load_schema(name), name)


def plain_hypotheses() -> SearchStrategy[Json]:
    """Return canonical hypotheses of every action, as plain JSON values."""
    return values(load_schema('vlm_hypothesis'), 'vlm_hypothesis')


def bodies(kind: type[Body]) -> SearchStrategy[Body]:
    """Return bodies of one kind."""
    return plain_bodies(NAMES[kind]).map(lambda plain: from_plain(plain, kind))


def hypotheses() -> SearchStrategy[CanonicalHypothesis]:
    """Return canonical hypotheses of every action."""
    return plain_hypotheses().map(lambda plain: from_plain(plain, CanonicalHypothesis))


@st.composite
def plain_documents(draw: Any, name: str) -> Json:
    """Return documents of one kind as plain JSON values."""
    envelope = load_schema('envelope')['properties']
    fields = {key: draw(values(envelope[key], 'envelope'))
              for key in ('id', 'cause_id', 'goal_id', 'frame_id')}
    stamp_ns = draw(st.integers(0, (2**31 - 1) * NS_PER_S))
    sec, nanosec = divmod(stamp_ns, NS_PER_S)
    return {'schema': name, **fields, 'stamp': {'sec': sec, 'nanosec': nanosec},
            'body': draw(plain_bodies(name))}


def names() -> list[str]:
    """Return the kinds of documents."""
    return sorted(_SCHEMA_OF)
