"""The schema files: valid themselves, closed, bounded, and of one mind with the code."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Resource
from second_judge import registry

from semantic_nav.contracts import schemas
from semantic_nav.contracts.documents import FILES
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.share import share_path
from semantic_nav_sim.share import share_path as sim_path

Json = dict[str, Any]
PATHS = sorted([*share_path('schema').glob('*'), *sim_path('schema').glob('*')])
#: What crosses a boundary between nodes, or between the model and us.
OF_DOCUMENTS = sorted(FILES.values())


def subschemas(schema: Any) -> Iterator[Json]:
    """Yield every schema inside a schema, itself first."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from subschemas(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from subschemas(value)


def load(name: str) -> Json:
    path, = (path for path in PATHS if path.name == f'{name}.schema.json')
    return json.loads(path.read_text(encoding='utf-8'))


def test_every_document_has_a_schema_and_no_other_file_lies_there() -> None:
    names = {file.name.removesuffix('.schema.json') for file in PATHS}
    assert all(file.name.endswith('.schema.json') for file in PATHS)
    assert names >= {*OF_DOCUMENTS, 'envelope', 'journal_record'}


@pytest.mark.parametrize('file', PATHS, ids=lambda file: file.stem)
def test_schema_is_a_valid_schema(file: Path) -> None:
    schema = json.loads(file.read_text(encoding='utf-8'))
    Draft202012Validator.check_schema(schema)
    assert schema['$schema'] == Draft202012Validator.META_SCHEMA['$id']
    assert schema['$id'].endswith(f'/{file.name}')


@pytest.mark.parametrize('file', PATHS, ids=lambda file: file.stem)
def test_every_reference_leads_somewhere(file: Path) -> None:
    whole = json.loads(file.read_text(encoding='utf-8'))
    resolver = registry().with_resource(
        whole['$id'], Resource.from_contents(whole)).resolver(base_uri=whole['$id'])
    for schema in subschemas(whole):
        if '$ref' in schema:
            assert isinstance(resolver.lookup(schema['$ref']).contents, dict), schema['$ref']


def assert_ends(place: str, above: tuple[str, ...] = ()) -> None:
    """Fail where a schema, named as a reference does it, contains itself."""
    assert place not in above, place
    file, _, inside = place.partition('#')
    schema = load(file.removesuffix('.schema.json'))
    for part in inside.strip('/').split('/') if inside else ():
        schema = schema[part]
    for reference in {part['$ref'] for part in subschemas(schema) if '$ref' in part}:
        assert_ends(file + reference if reference[0] == '#' else reference, (*above, place))


@pytest.mark.parametrize('file', PATHS, ids=lambda file: file.stem)
def test_no_schema_contains_itself(file: Path) -> None:
    """If one did, a value nested deeply would overflow the native stack and end the process."""
    assert_ends(file.name)


def test_some_references_are_there_to_be_followed() -> None:
    assert sum('$ref' in schema for name in OF_DOCUMENTS for schema in subschemas(load(name))) > 20


@pytest.mark.parametrize('name', OF_DOCUMENTS)
def test_objects_are_closed_and_texts_and_lists_bounded(name: str) -> None:
    for schema in subschemas(load(name)):
        kind = schema.get('type')
        if kind == 'object' and 'properties' in schema:
            assert schema['additionalProperties'] is False, schema
            assert set(schema['required']) <= set(schema['properties']), schema
        if kind == 'string' and not {'enum', 'pattern', 'maxLength'} & set(schema):
            # Narrowing a text that is bounded elsewhere.
            assert set(schema) == {'type'}, schema
        if kind == 'array':
            assert 'maxItems' in schema or schema.get('items') is False, schema


def test_hypothesis_needs_what_its_action_is_about() -> None:
    base = {'target_status': 'visible', 'confidence': 0.5, 'rationale': '',
            'scene': {'place': '', 'objects': []}}
    needs = {'approach': {'target_box': [0, 0, 1, 1]}, 'goto_node': {'node_id': 'n'},
             'rotate': {'rotate_rad': 0}, 'ask_clarification': {'clarification_question': '?'}}
    for action in Action:
        more = needs.get(action, {})
        schemas.check('vlm_hypothesis', {'action': action.value, **base, **more})
        if more:
            with pytest.raises(ContractError):
                schemas.check('vlm_hypothesis', {'action': action.value, **base})
    both = {'target_box': [0, 0, 1, 1],
            'navigation_goal': {'frame_id': 'map', 'x': 0, 'y': 0, 'yaw': 0}}
    with pytest.raises(ContractError):
        schemas.check('vlm_hypothesis', {'action': 'approach', **base, **both})


@pytest.mark.parametrize(('text', 'words'), [
    ('{"a": 1, "a": 1}', 'stands twice'), ('[{"a": {"b": 1, "b": 2}}]', 'stands twice'),
    ('NaN', 'NaN'), ('[-Infinity]', 'Infinity'), ('1e400', 'too large'),
    ('-1' + '0' * 400 + '.0', 'too large'), ('"\\ud800"', 'surrogate'),
    ('{"\\udfff": 1}', 'surrogate'), ('\ud800', 'Expecting value'),
    ('"\ud800"', 'surrogate')])
def test_strict_json_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        schemas.loads_strict(text)


@pytest.mark.parametrize('value', [
    None, True, 0, -1.5, 1e-320, 'ü\u2028\x00', [], {}, {'a': [{'b': None}]},
    '\N{GRINNING FACE}', '\\ud800', '\\\\udfff'])
def test_strict_json_takes_json(value: object) -> None:
    assert schemas.loads_strict(json.dumps(value)) == value
    assert schemas.loads_strict(json.dumps(value, ensure_ascii=False)) == value
