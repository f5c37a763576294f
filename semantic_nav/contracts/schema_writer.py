"""JSON Schema, dialect 2020-12, of dataclasses.

A field's type and limits become its schema, the first line of a docstring the title and its
`Attributes` the descriptions. Objects are closed and name every field as required, even one that
has a default for the code; `fields.json_form` says where a dataclass differs.
"""

import inspect
import json
import re
import types
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, GroupedMetadata, Gt, Le, Lt, MaxLen, MinLen

from semantic_nav.contracts.documents import FILES, NAMES, Document
from semantic_nav.contracts.fields import Keywords, json_form_of
from semantic_nav.contracts.share import share_path

Json = dict[str, Any]
#: The command that writes the files.
COMMAND = 'python -m semantic_nav schema --write'
_ROOT = 'https://semantic-nav.github.io/schema/'
_PRIMITIVES: dict[Any, Json] = {
    bool: {'type': 'boolean'}, int: {'type': 'integer'}, float: {'type': 'number'},
    str: {'type': 'string'}, type(None): {'type': 'null'}}
#: Minimum and maximum length, by the type that has one.
_LENGTHS = {'string': ('minLength', 'maxLength'), 'array': ('minItems', 'maxItems'),
            'object': ('minProperties', 'maxProperties')}
_ATTRIBUTE = re.compile(r'^    (\w+): (.*(?:\n {8}.*)*)', re.MULTILINE)
#: `builtin_interfaces/Time`.
_STAMP: Json = {
    'type': 'object', 'additionalProperties': False, 'required': ['sec', 'nanosec'],
    'properties': {'sec': {'type': 'integer', 'minimum': 0, 'maximum': 2**31 - 1},
                   'nanosec': {'type': 'integer', 'minimum': 0, 'maximum': 999_999_999}}}


def schema_files() -> dict[str, str]:
    """Text of every file in `schema/` that follows from the documents, by its name."""
    schemas = {name: _with_defs(_Writer(kind), kind) for kind, name in FILES.items()}
    schemas['envelope'] = _envelope()
    return {f'{name}.schema.json': _text(f'{name}.schema.json', schema)
            for name, schema in schemas.items()}


def differing_files() -> dict[str, str]:
    """Text of those files in `schema/` that hold something else now, by their names."""
    def held(name: str) -> str | None:
        path = share_path('schema', name)
        return path.read_text(encoding='utf-8') if path.exists() else None

    return {name: text for name, text in schema_files().items() if held(name) != text}


def inline_schema(kind: type, instead: Mapping[Any, Json] | None = None) -> Json:
    """The schema of a dataclass, without references and without descriptions.

    Args:
        kind: the dataclass.
        instead: schemas that replace those of some field types, such as `{Box: {...}}`.
    """
    return _Writer(kind, instead, inline=True).dataclass(kind)


def described(kind: type) -> tuple[str, dict[str, str]]:
    """First line of a dataclass's docstring, and its descriptions of the fields."""
    text = inspect.getdoc(kind) or ''
    _, _, attributes = text.partition('\nAttributes:\n')
    return text.partition('\n')[0].removesuffix('.'), {
        name: ' '.join(words.split()) for name, words in _ATTRIBUTE.findall(attributes)}


class _Writer:
    """Writer of one schema."""

    def __init__(self, root: type, instead: Mapping[Any, Json] | None = None,
                 inline: bool = False) -> None:
        self._root = root
        self._instead = instead or {}
        self._inline = inline
        #: Content of `#/$defs`.
        self.defs: dict[str, Json] = {}

    def dataclass(self, kind: type) -> Json:
        form = json_form_of(kind)
        title, words = described(kind)
        hints = get_type_hints(kind, include_extras=True)
        properties: Json = {}
        required = []
        for one in fields(kind):
            schema, always = self._field(hints[one.name], one, form.omit_none)
            if one.name in words and not self._inline:
                schema = {'description': words[one.name], **schema}
            properties[one.name] = schema
            if always:
                required.append(one.name)
        return {**({} if self._inline else {'title': title}), 'type': 'object',
                'additionalProperties': False, 'required': required, 'properties': properties,
                **deepcopy(dict(form.keywords))}

    def _field(self, kind: Any, one: 'Field[Any]', omit_none: bool) -> tuple[Json, bool]:
        """The schema of a field, and true if the field is required."""
        if omit_none and one.default is None:
            given = [part for part in get_args(kind) if part is not type(None)]
            return self._of(Union[tuple(given)]), False  # noqa: UP007 - of a list of types
        return self._of(kind), True

    def _of(self, kind: Any) -> Json:
        if kind in self._instead:
            return deepcopy(self._instead[kind])
        if kind in _PRIMITIVES:
            return dict(_PRIMITIVES[kind])
        parts = get_args(kind)
        match get_origin(kind):
            case origin if origin is Annotated:
                return self._annotated(*parts)
            case origin if origin in (Union, types.UnionType):
                return {'anyOf': [self._of(part) for part in parts]}
            case origin if origin is Literal:
                return {'type': 'string', 'enum': list(parts)}
            case origin if origin is tuple and parts[-1] is Ellipsis:
                return {'type': 'array', 'items': self._of(parts[0])}
            case origin if origin is tuple:
                return {'type': 'array', 'prefixItems': [self._of(part) for part in parts],
                        'items': False, 'minItems': len(parts)}
            case origin if origin is dict:
                return {'type': 'object'}
        return self._named(kind)

    def _annotated(self, kind: Any, *markers: object) -> Json:
        schema = self._of(kind)
        for marker in _single(markers):
            schema.update(_keywords(marker, schema))
        if self._inline:
            schema.pop('description', None)
        return schema

    def _named(self, kind: Any) -> Json:
        """A reference to the schema of an enumeration or of another dataclass."""
        if kind in FILES and kind is not self._root and not self._inline:
            return {'$ref': f'{FILES[kind]}.schema.json'}
        if isinstance(kind, type) and issubclass(kind, Enum):
            schema: Json = {'type': 'string', 'enum': [member.value for member in kind]}
            if not self._inline:
                schema = {'title': described(kind)[0], **schema}
        elif is_dataclass(kind) and isinstance(kind, type):
            schema = self.dataclass(kind)
        else:
            raise TypeError(f'{kind!r} of {self._root.__name__} has no JSON form here')
        if self._inline:
            return schema
        self.defs[kind.__name__] = schema
        return {'$ref': f'#/$defs/{kind.__name__}'}


def _single(markers: tuple[object, ...]) -> Iterator[object]:
    for marker in markers:
        if isinstance(marker, GroupedMetadata):
            yield from marker
        else:
            yield marker


def _keywords(marker: object, schema: Json) -> Json:
    """The keywords of JSON Schema for one marker."""
    match marker:
        case Ge():
            return {'minimum': marker.ge}
        case Gt():
            return {'exclusiveMinimum': marker.gt}
        case Le():
            return {'maximum': marker.le}
        case Lt():
            return {'exclusiveMaximum': marker.lt}
        case MinLen():
            return {_LENGTHS[schema['type']][0]: marker.min_length}
        case MaxLen():
            return {_LENGTHS[schema['type']][1]: marker.max_length}
        case Keywords():
            return dict(marker.words)
    raise TypeError(f'{marker!r} has no word in JSON Schema here')


def _with_defs(writer: _Writer, kind: type) -> Json:
    schema = writer.dataclass(kind)
    return {**schema, **({'$defs': writer.defs} if writer.defs else {})}


def _envelope() -> Json:
    """The schema of a document with any body; stamp and body differ from the dataclass."""
    schema = _Writer(Document).dataclass(Document)
    of_class = schema['properties']
    properties = {'schema': {'type': 'string', 'enum': list(NAMES.values())}}
    for name, part in of_class.items():
        match name:
            case 'stamp_ns':
                properties['stamp'] = {'description': part['description'], **deepcopy(_STAMP)}
            case 'body':
                properties['body'] = {'type': 'object'}
            case _:
                properties[name] = part
    return {**schema, 'required': list(properties), 'properties': properties}


def _text(file: str, schema: Json) -> str:
    whole = {'$schema': 'https://json-schema.org/draft/2020-12/schema', '$id': _ROOT + file,
             '$comment': f'Written by `{COMMAND}` from semantic_nav/contracts.', **schema}
    return json.dumps(whole, indent=2, ensure_ascii=False) + '\n'
