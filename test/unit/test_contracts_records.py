"""Journals: every event and effect comes back as it was, whatever happened to the file's end."""

import dataclasses
import json
import os
import types
import typing
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import Clock, samples

from semantic_nav.belief.events import RECORD_KINDS as BELIEF
from semantic_nav.belief.events import GoalReceived
from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.blobs import FolderBlobs, NoBlobs
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.core import DocumentReceived, Tick
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import JournalWriter, Start, read_journal, read_lines
from semantic_nav.memory.events import RECORD_KINDS as MEMORY
from semantic_nav.verify.events import RECORD_KINDS as VERIFIER
from semantic_nav.verify.events import LookFrozen, PathAnswered
from semantic_nav.vlm.events import RECORD_KINDS as VLM
from semantic_nav.vlm.events import PictureTaken

KINDS = tuple(dict.fromkeys((DocumentReceived, Tick, *BELIEF, *MEMORY, *VERIFIER, *VLM)))
START = Start('belief', 's', 7, {'stand_off_m': 1.2, 'model': 'm'})


def sample_of(kind: Any) -> Any:
    """Return a value of a type, by its annotations."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Document:
        return samples()['hypothesis']
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: sample_of(hints[field.name])
                       for field in dataclasses.fields(kind)})
    if origin in (typing.Union, types.UnionType):
        return sample_of(next(one for one in arguments if one is not type(None)))
    if origin is np.ndarray:
        (dtype,) = typing.get_args(arguments[1])
        return np.arange(6).reshape(2, 3).astype(dtype)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(sample_of(arguments[0]) for _ in range(2))
        return tuple(sample_of(one) for one in arguments)
    if origin is frozenset:
        return frozenset({sample_of(arguments[0])})
    if origin is dict:
        return {'type': 'object', 'deep': [{'a': None}, 1.5, True]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[-1]
    return {str: 'Küche\n"x" \N{HOT BEVERAGE}', int: 2**62, float: 0.1, bool: True,
            bytes: bytes(range(256))}[kind]


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, arrays, their kinds and shapes included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, field.name), getattr(other, field.name))
                   for field in dataclasses.fields(one))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.__name__)
def test_record_comes_back(kind: type, tmp_path: Path) -> None:
    codec = RecordCodec(KINDS, FolderBlobs(tmp_path / 'blobs'))
    value = sample_of(kind)
    text = json.dumps(codec.encode(value), allow_nan=False)
    assert same(codec.decode(json.loads(text)), value)


def test_absent_parts_of_records_stay_absent(tmp_path: Path) -> None:
    codec = RecordCodec(KINDS, FolderBlobs(tmp_path))
    for kind in KINDS:
        hints = typing.get_type_hints(kind)
        absent = {name: None for name, hint in hints.items()
                  if type(None) in typing.get_args(hint)}
        value = dataclasses.replace(sample_of(kind), **absent)
        assert same(codec.decode(codec.encode(value)), value)


def test_every_kind_of_document_comes_back_in_a_record(tmp_path: Path) -> None:
    codec = RecordCodec(KINDS, FolderBlobs(tmp_path))
    for document in samples().values():
        assert codec.decode(codec.encode(document)) == document
        event = DocumentReceived(document)
        assert codec.decode(json.loads(json.dumps(codec.encode(event)))) == event


@pytest.mark.parametrize('array', [
    np.zeros((0, 2)), np.zeros((3, 4), np.uint16)[:, ::2], np.asfortranarray(np.eye(3)),
    np.array([np.nan, np.inf, -0.0]), np.full((1, 1), -128, np.int8)])
def test_arrays_come_back_exactly(array: Any, tmp_path: Path) -> None:
    codec = RecordCodec((PathAnswered,), FolderBlobs(tmp_path))
    value = PathAnswered('r', 'succeeded', 0, array)
    back = codec.decode(codec.encode(value)).points
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def test_no_bytes_at_all_come_back(tmp_path: Path) -> None:
    codec = RecordCodec((PictureTaken,), FolderBlobs(tmp_path))
    value = dataclasses.replace(sample_of(PictureTaken), jpeg=b'')
    assert codec.decode(codec.encode(value)) == value


def test_equal_arrays_are_kept_once_and_unlike_ones_apart(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    one = blobs.put(np.zeros((2, 3), np.int8))
    assert blobs.put(np.zeros((2, 3), np.int8)) == one
    others = {blobs.put(np.zeros(shape, kind)) for shape, kind in (
        ((3, 2), np.int8), ((2, 3), np.uint8), ((6,), np.int8))}
    assert one not in others and len(others) == 3
    assert len(list(tmp_path.iterdir())) == 4


def test_changed_or_missing_blob_is_refused(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    name, other = blobs.put(np.arange(5)), blobs.put(np.arange(6))
    (tmp_path / f'{name}.npy.z').write_bytes((tmp_path / f'{other}.npy.z').read_bytes())
    with pytest.raises(ContractError, match='was changed'):
        blobs.get(name)
    (tmp_path / f'{other}.npy.z').write_bytes(b'torn')
    with pytest.raises(ContractError, match='cannot be read'):
        blobs.get(other)
    with pytest.raises(ContractError, match='holds no blob'):
        blobs.get('0' * 64)


def test_blobs_that_are_not_kept_have_the_same_names(tmp_path: Path) -> None:
    array = np.arange(5)
    name = NoBlobs().put(array)
    assert name == FolderBlobs(tmp_path).put(array)
    with pytest.raises(ContractError, match='not kept'):
        NoBlobs().get(name)


@pytest.mark.parametrize('value', [
    {}, {'type': None}, {'type': 'Journey'}, {'type': 'GoalReceived'},
    {'type': 'GoalReceived', 'txt': 'x'}, {'type': 'LookFrozen', 'look_id': 'l'},
    {'type': 'PathAnswered', 'request_id': '', 'status': '', 'code': 0, 'points': [1, 2]}])
def test_record_that_fits_no_kind_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ContractError):
        RecordCodec(KINDS, NoBlobs()).decode(value)


# The file

def write(path: Path, *texts: str, durable: bool = False) -> list[str]:
    """Write a journal of goals and return its lines."""
    clock = Clock()
    codec = RecordCodec(BELIEF, NoBlobs())
    with JournalWriter(path, START, codec) as journal:
        for text in texts:
            journal.append(clock.advance(1.0), GoalReceived(Goal('goal-s-1', text)),
                           [samples()['step']],
                           durable=durable)
    return path.read_text(encoding='utf-8').splitlines(keepends=True)


def goals(path: Path) -> list[str]:
    _, records = read_journal(path, 'belief')
    return [record.event['goal']['text'] for record in records]


def test_journal_comes_back(tmp_path: Path) -> None:
    path = tmp_path / 'deep' / 'belief.jsonl'
    write(path, 'one', 'zwölf\n\u2028\x85', '"{')
    start, records = read_journal(path, 'belief')
    assert start == START
    first, *others = records
    clock = Clock()
    assert first.now == clock.advance(1.0)
    codec = RecordCodec(BELIEF, NoBlobs())
    assert [codec.decode(output) for output in first.outputs] == [samples()['step']]
    assert [record.event['goal']['text'] for record in others] == ['zwölf\n\u2028\x85', '"{']


def test_journal_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path / 'j', 'one')
    with pytest.raises(FileExistsError):
        write(tmp_path / 'j', 'two')
    assert goals(tmp_path / 'j') == ['one']


def test_torn_last_line_is_ignored_wherever_it_is_torn(tmp_path: Path) -> None:
    path = tmp_path / 'j'
    write(path, 'one', 'zwölf \N{HOT BEVERAGE}')
    whole = path.read_bytes()
    last = whole[:-1].rindex(b'\n') + 1
    for end in range(last, len(whole)):
        path.write_bytes(whole[:end])
        assert goals(path) == ['one'], f'torn after {end - last} bytes'
    path.write_bytes(whole)
    assert goals(path) == ['one', 'zwölf \N{HOT BEVERAGE}']


@pytest.mark.parametrize('rest', [b'\x00' * 100, b'\xff\xfe', b'{"node":'])
def test_garbage_after_the_last_line_is_ignored(rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / 'j'
    write(path, 'one')
    path.write_bytes(path.read_bytes() + rest)
    assert goals(path) == ['one']


@pytest.mark.parametrize('broken', [
    b'', b'{', b'null', b'{}', b'\xff', b'{"node": "belief"}', b'[' * 100_000,
    b'{"node": "belief", "now": {}, "event": {"type": "Tick"}, "outputs": []}',
    b'{"node": "belief", "start": {}, "now": 1}'])
def test_broken_line_in_the_middle_is_refused(broken: bytes, tmp_path: Path) -> None:
    path = tmp_path / 'j'
    write(path, 'one', 'two', 'three')
    lines = path.read_bytes().split(b'\n')
    lines[2] = broken
    path.write_bytes(b'\n'.join(lines))
    with pytest.raises(ContractError, match='line 3'):
        list(read_lines(path))


def test_half_a_surrogate_pair_in_an_event_does_not_end_the_journal(tmp_path: Path) -> None:
    path = tmp_path / 'j'
    write(path, 'red \ud800 mug', 'next')
    assert goals(path) == ['red \ud800 mug', 'next']


def test_record_that_cannot_be_written_leaves_the_journal_whole(tmp_path: Path) -> None:
    path = tmp_path / 'j'
    codec = RecordCodec(VERIFIER, NoBlobs())
    frozen = sample_of(LookFrozen)
    transform = dataclasses.replace(frozen.odom_T_base, translation=(float('nan'), 0.0, 0.0))
    with JournalWriter(path, START, codec) as journal:
        with pytest.raises(ValueError, match='JSON'):
            journal.append(Clock().now, dataclasses.replace(frozen, odom_T_base=transform), [],
                           durable=True)
        journal.append(Clock().now, frozen, [], durable=True)
    assert len(list(read_lines(path))) == 2


def test_durable_append_is_written_out_before_it_returns(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / 'j'
    synced: list[bytes] = []
    fsync: Callable[[int], None] = os.fsync

    def watched(descriptor: int) -> None:
        fsync(descriptor)
        synced.append(path.read_bytes())

    monkeypatch.setattr(os, 'fsync', watched)
    codec = RecordCodec(BELIEF, NoBlobs())
    with JournalWriter(path, START, codec) as journal:
        journal.append(Clock().now, GoalReceived(Goal('goal-s-2', 'quick')), [], durable=False)
        assert synced == []
        # A reader sees it all the same: nothing stays in the process.
        assert goals(path) == ['quick']
        journal.append(Clock().now, GoalReceived(Goal('goal-s-3', 'careful')), [], durable=True)
        (content,) = synced
        assert content.endswith(b'\n') and b'careful' in content


def test_journals_of_several_nodes_in_one_file_are_told_apart(tmp_path: Path) -> None:
    merged = tmp_path / 'merged'
    write(tmp_path / 'a', 'one')
    other = dataclasses.replace(START, node='verifier')
    with JournalWriter(tmp_path / 'b', other, RecordCodec(VERIFIER, NoBlobs())) as journal:
        journal.append(Clock().now, Tick(), [], durable=False)
    merged.write_bytes((tmp_path / 'b').read_bytes() + (tmp_path / 'a').read_bytes())
    assert goals(merged) == ['one']
    start, records = read_journal(merged, 'verifier')
    assert start == other and [record.event['type'] for record in records] == ['Tick']
    with pytest.raises(ContractError, match='no start of memory'):
        read_journal(merged, 'memory')
