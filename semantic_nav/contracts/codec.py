"""Documents, events and effects as JSON and back.

A field that holds a numpy array or bytes becomes a reference to a blob, named by its SHA-256.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override

from semantic_nav.contracts import schemas
from semantic_nav.contracts.blobs import Blobs
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import NAMES, Body, Document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.fields import json_form_of
from semantic_nav.contracts.schemas import Json

T = TypeVar('T')
_BODIES = {name: body for body, name in NAMES.items()}
#: Longest JSON text of a document that a reader takes, in bytes.
MAX_DOCUMENT_BYTES = 256 * 1024


def _base_converter() -> Converter:
    converter = Converter(detailed_validation=False)
    # JSON has lists where the dataclasses have tuples.
    converter.register_unstructure_hook_func(
        lambda kind: getattr(kind, '__origin__', kind) is tuple,
        lambda value: [converter.unstructure(item) for item in value])
    converter.register_unstructure_hook_func(
        lambda kind: getattr(kind, '__origin__', kind) is frozenset, sorted)
    # Arithmetic on arrays leaves numpy's floats in fields, which are floats but not JSON's.
    converter.register_unstructure_hook(
        float, lambda value: float(value) if type(value) is np.float64 else value)
    converter.register_unstructure_hook_factory(
        lambda kind: isinstance(kind, type) and json_form_of(kind).omit_none,
        lambda kind: _without_none(kind, converter))
    return converter


def _without_none(kind: type, converter: Converter) -> Callable[[Any], Json]:
    """A function that makes a dataclass plain, without its fields that are None by default."""
    absent = {one.name: override(omit_if_default=True)
              for one in fields(kind) if one.default is None}
    make: Any = make_dict_unstructure_fn  # its type has no room for fields of any name
    unstructure: Callable[[Any], Json] = make(kind, converter, **absent)
    return unstructure


_CONVERTER = _base_converter()


def to_plain(value: object) -> Any:
    """A dataclass as plain JSON values."""
    return _CONVERTER.unstructure(value)


def from_plain(value: object, kind: type[T]) -> T:
    """A dataclass from plain JSON values, which are valid already.

    Raises:
        ContractError: they do not fit the dataclass nevertheless.
    """
    return _structure(_CONVERTER, value, kind)


def _structure(converter: Converter, value: object, kind: type[T]) -> T:
    try:
        return converter.structure(value, kind)
    except Exception as error:
        raise ContractError(f'cannot read {kind.__name__}: {error}') from error


def document_to_plain(document: Document) -> Json:
    """A document's envelope and body as plain JSON values."""
    sec, nanosec = divmod(document.stamp_ns, NS_PER_S)
    return {
        'schema': document.schema, 'id': document.id, 'cause_id': document.cause_id,
        'goal_id': document.goal_id, 'stamp': {'sec': sec, 'nanosec': nanosec},
        'frame_id': document.frame_id, 'body': to_plain(document.body),
    }


def document_from_plain(value: Json) -> Document:
    """The document of a validated envelope."""
    kind: type[Body] = _BODIES[value['schema']]
    return Document(
        id=value['id'], cause_id=value['cause_id'], goal_id=value['goal_id'],
        # JSON Schema calls 1.0 an integer too.
        stamp_ns=int(value['stamp']['sec']) * NS_PER_S + int(value['stamp']['nanosec']),
        frame_id=value['frame_id'], body=from_plain(value['body'], kind))


def check_document(value: object) -> None:
    """Validate an envelope and its body.

    Raises:
        ContractError: one of them breaks its schema.
    """
    schemas.check('envelope', value)
    assert isinstance(value, dict)
    schemas.check(value['schema'], value['body'])


def encode_document(document: Document) -> str:
    """The JSON text of a document.

    Raises:
        ContractError: the document breaks its own schema, or a reader would refuse it.
    """
    value = document_to_plain(document)
    check_document(value)
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        size = len(text.encode())
    except ValueError as error:  # NaN, infinity, half a surrogate pair
        raise ContractError(f'{document.schema}: {error}') from error
    if size > MAX_DOCUMENT_BYTES:
        raise ContractError(f'{document.schema}: longer than {MAX_DOCUMENT_BYTES} bytes')
    return text


def decode_document(text: str, schema: str) -> Document:
    """The document of a JSON text, which must be of the schema named.

    Raises:
        ContractError: it is too long, not JSON, of another schema, or breaks its schema.
    """
    if len(text.encode('utf-8', 'replace')) > MAX_DOCUMENT_BYTES:
        raise ContractError(f'{schema}: longer than {MAX_DOCUMENT_BYTES} bytes')
    try:
        value = schemas.loads_strict(text)
    except (ValueError, RecursionError) as error:
        raise ContractError(f'{schema}: {error}') from error
    check_document(value)
    if value['schema'] != schema:
        raise ContractError(f'expected {schema}, found {value["schema"]}')
    return document_from_plain(value)


class RecordCodec:
    """Events and effects as journal values: `{"type": name, field: value, ...}`."""

    def __init__(self, kinds: Iterable[type], blobs: Blobs) -> None:
        """Prepare the conversion of some classes, whose arrays are kept as blobs."""
        self._kinds = {kind.__name__: kind for kind in (*kinds, Document)}
        self._converter = _base_converter()
        converter = self._converter
        converter.register_unstructure_hook_func(
            lambda kind: kind is np.ndarray or getattr(kind, '__origin__', None) is np.ndarray,
            lambda array: {'blob': blobs.put(array)})
        converter.register_structure_hook_func(
            lambda kind: kind is np.ndarray or getattr(kind, '__origin__', None) is np.ndarray,
            lambda value, _: blobs.get(value['blob']))
        converter.register_unstructure_hook(
            bytes, lambda data: {'blob': blobs.put(np.frombuffer(data, np.uint8))})
        converter.register_structure_hook(
            bytes, lambda value, _: blobs.get(value['blob']).tobytes())
        converter.register_unstructure_hook(Document, document_to_plain)
        converter.register_structure_hook(Document, lambda value, _: document_from_plain(value))

    def encode(self, value: object) -> Json:
        """A value as JSON, with its arrays stored as blobs."""
        plain = self._converter.unstructure(value)
        return {'type': type(value).__name__, **plain}

    def decode(self, value: Json) -> Any:
        """The value of a JSON record.

        Raises:
            ContractError: its type is unknown, or it does not fit its type.
        """
        fields = dict(value)
        name = fields.pop('type', None)
        if name not in self._kinds:
            raise ContractError(f'a record holds the unknown type {name!r}')
        return _structure(self._converter, fields, self._kinds[name])
