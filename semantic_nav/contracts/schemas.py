"""The JSON schemas of `schema/`, each with a judge that is compiled once."""

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.judge import Judge
from semantic_nav.contracts.share import share_path

Json = dict[str, Any]
#: Half of a surrogate pair, escaped or not; the first half of a whole pair matches too.
_SURROGATE = re.compile(r'\\u[dD][89a-fA-F]|[\ud800-\udfff]')
_WORDS_LENGTH = 300


@cache
def load_schema(name: str) -> Json:
    """Content of `schema/<name>.schema.json`."""
    return read_schema(share_path('schema', f'{name}.schema.json'))


def read_schema(path: Path) -> Json:
    """Content of a file with a schema."""
    schema: Json = json.loads(path.read_text(encoding='utf-8'))
    return schema


@cache
def all_schemas() -> tuple[Json, ...]:
    """Every schema; they refer to one another by their `$id`."""
    files = sorted(share_path('schema').glob('*.schema.json'))
    return tuple(load_schema(file.name.removesuffix('.schema.json')) for file in files)


@cache
def judge(name: str) -> Judge:
    """The judge of `schema/<name>.schema.json`."""
    return Judge(load_schema(name), all_schemas())


def check(name: str, value: object) -> None:
    """Validate a value against `schema/<name>.schema.json`.

    Raises:
        ContractError: the value breaks it; the message names schema, path and fault.
    """
    check_by(judge(name), name, value)


def check_by(judge: Judge, name: str, value: object) -> None:
    """Validate a value by a judge; the name of its schema is for the message.

    Raises:
        ContractError: as in `check`.
    """
    breach = judge.breach(value)
    if breach is not None:
        place = f' at {breach.path}' if breach.path else ''
        raise ContractError(f'{name}{place}: {breach.message[:_WORDS_LENGTH]}')


def loads_strict(text: str) -> Any:
    """Parse JSON as RFC 8259 has it: no NaN or Infinity, no key twice, no half surrogate pair.

    Raises:
        ValueError: the text is not such JSON.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite,
                       object_pairs_hook=_unique_keys)
    if _SURROGATE.search(text):
        # UTF-8 cannot encode half a pair: it could not be sent, stored or shown.
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _refuse_constant(word: str) -> float:
    raise ValueError(f'{word} is not JSON')


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f'{text[:40]} is too large')
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError('a key stands twice in one object')
    return result
