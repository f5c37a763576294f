"""The request log: one line a request, whole and in order, never in the way, never a key."""

import hashlib
import io
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import Clock, canonical, meta
from full_disk import no_room

from semantic_nav.contracts.documents import Document, Hypothesis, Look, ModelMeta
from semantic_nav.contracts.vocabulary import Source
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import ServerTimes, ToolCall
from semantic_nav.vlm.events import (
    AskModel,
    LogUnsentPrompt,
    ModelFailed,
    ModelProbed,
    ModelReplied,
)
from semantic_nav.vlm.prompt.manifest import Manifest, ManifestItem
from semantic_nav.vlm.prompt.prompt import Prompt
from semantic_nav.vlm.redaction import secrets_in
from semantic_nav.vlm.request_log.log import RequestLog
from semantic_nav.vlm.request_log.record import RequestError, RequestRecord, RequestRecorder

BILL = Manifest('look-2', (ManifestItem('system', 7),), counted_tokens=7, estimated_tokens=9,
                sha256='ab' * 32)
TOOK = ServerTimes(4000.0, 800.0, 900.0)
PROMPT = Prompt('look-2', 'rules', 'what now?', {}, manifest=BILL, window_tokens=16384)
RECORD = RequestRecord('u', '2027-01-15T08:00:01.000+00:00', 'request-1', 'look-1', 'goal-1',
                       'ollama', 'm', 'ab' * 32, BILL, 9, 8, 5, '{}', 'stop', 12.0, 13.0, None,
                       None)
KEY = 'sk-proj-abcdefghijklmnopqrstuvwxyz'
MB = 1 << 20


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob('requests-*.jsonl'))
            for line in path.read_text(encoding='ascii').splitlines()]


def write(folder: Path, *records: RequestRecord, jpeg: bytes = b'jpeg', max_bytes: int = MB,
          **options: Any) -> RequestLog:
    log = RequestLog(folder, 's', max_bytes, **options)
    for record in records:
        log.write(record, jpeg)
    log.close(20.0)
    return log


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob('*') if path.is_file())


# The file

def test_a_record_is_a_line_with_all_that_is_known(tmp_path: Path) -> None:
    record = replace(RECORD, reply='größer \ud800 "x"\n', meta=meta(vlm_model='m'),
                     error=RequestError('timeout', 'late', 'Traceback'))
    log = write(tmp_path / 'deep' / 'folder', record)
    [line] = lines(tmp_path / 'deep' / 'folder')
    assert line['reply'] == record.reply
    assert line['manifest']['parts'] == [{'name': 'system', 'tokens': 7}]
    assert (line['estimated_tokens'], line['prompt_tokens'], line['reply_tokens']) == (9, 8, 5)
    assert line['meta']['vlm_model'] == 'm'
    assert line['error'] == {'code': 'timeout', 'message': 'late', 'stack': 'Traceback'}
    assert line['image_sha256'] == hashlib.sha256(b'jpeg').hexdigest()
    assert (log.dropped, log.failure) == (0, '')


def test_no_record_leaves_no_file(tmp_path: Path) -> None:
    write(tmp_path / 'folder')
    assert not (tmp_path / 'folder').exists()


def test_records_that_wait_are_written_when_it_closes(tmp_path: Path) -> None:
    write(tmp_path, *(replace(RECORD, uuid=str(number)) for number in range(60)))
    assert [line['uuid'] for line in lines(tmp_path)] == [str(number) for number in range(60)]


def test_a_log_never_writes_into_another(tmp_path: Path) -> None:
    write(tmp_path, RECORD)
    write(tmp_path, RECORD)
    assert len(lines(tmp_path)) == len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize('pictures', [False, True])
def test_pictures_are_kept_on_request_each_once(tmp_path: Path, pictures: bool) -> None:
    write(tmp_path, RECORD, RECORD, pictures=pictures)
    kept = list((tmp_path / 'requests-pictures').glob('*'))
    assert [path.read_bytes() for path in kept] == ([b'jpeg'] if pictures else [])
    assert [path.stem for path in kept] == ([lines(tmp_path)[0]['image_sha256']] if pictures
                                            else [])


def test_the_oldest_go_first_and_foreign_files_stay(tmp_path: Path) -> None:
    foreign = [tmp_path / 'notes.jsonl', tmp_path / 'requests-pictures' / 'mine.jpg']
    foreign[1].parent.mkdir()
    for path in foreign:
        path.write_bytes(b'x' * 5000)
        os.utime(path, (0, 0))
    for number in range(200):
        write(tmp_path, replace(RECORD, uuid=str(number), reply='x' * 500),
              jpeg=bytes([number]) * 500, max_bytes=80_000, pictures=True)
    assert all(path.exists() for path in foreign)
    assert size(tmp_path) <= 80_000 + 10_000
    kept = [int(line['uuid']) for line in lines(tmp_path)]
    assert len(kept) > 20
    assert max(kept) == 199
    assert min(kept) > 100


@pytest.mark.parametrize('number', ['0001', '10000'])
def test_a_volume_of_any_number_makes_room(tmp_path: Path, number: str) -> None:
    old = tmp_path / f'requests-a-session-{number}.jsonl'
    old.write_bytes(b'x' * 80_000)
    write(tmp_path, RECORD, max_bytes=80_000)
    assert not old.exists()


def test_a_long_session_turns_its_volumes(tmp_path: Path) -> None:
    log = RequestLog(tmp_path, 's', 40_000)
    for number in range(30):
        log.write(replace(RECORD, uuid=str(number), reply='x' * 2000))
    log.close(20.0)
    assert size(tmp_path) <= 40_000 + 4000
    kept = [int(line['uuid']) for line in lines(tmp_path)]
    assert kept == list(range(kept[0], 30))
    assert len(list(tmp_path.iterdir())) > 1


# Keys

@pytest.mark.parametrize('place', ['reply', 'message', 'stack', 'model'])
@pytest.mark.parametrize('secret', [KEY, 'Bearer abcdefgh12345678', 'plain "pass" word'])
def test_no_key_reaches_the_disk(tmp_path: Path, place: str, secret: str) -> None:
    text = f'before {secret} after'
    error = RequestError('c', text if place == 'message' else '', text if place == 'stack' else '')
    fields = {place: text} if place in ('reply', 'model') else {}
    write(tmp_path, replace(RECORD, error=error, **fields),
          secrets=secrets_in({'OPENAI_API_KEY': 'plain "pass" word', 'HOME': 'before'}))
    [path] = tmp_path.iterdir()
    content = path.read_text()
    assert json.loads(content)
    assert 'before ***' in content
    for part in (KEY, 'abcdefgh12345678', 'pass'):
        assert part not in content


def test_secrets_are_found_by_their_names() -> None:
    assert secrets_in({'OPENAI_API_KEY': 'k' * 8, 'hf_token': 't' * 8, 'MY_SECRET': 's' * 8,
                       'PATH': 'p' * 8}) == {'k' * 8, 't' * 8, 's' * 8}


def test_a_secret_within_another_leaves_nothing_of_it(tmp_path: Path) -> None:
    write(tmp_path, replace(RECORD, reply='gate-seven-open stop it'),
          secrets=['gate-seven', 'gate-seven-open', 'stop'])
    assert lines(tmp_path)[0]['reply'] == '*** stop it'


def test_what_is_left_of_a_key_that_was_cut_off_is_hidden(tmp_path: Path) -> None:
    write(tmp_path, replace(RECORD, reply='no such key: orange-jui'),
          secrets=['orange-juice-and-tea'])
    assert lines(tmp_path)[0]['reply'] == 'no such key: ***'


# Trouble

class StuckDisk(io.BytesIO):
    """Stands in for a file on a disk that answers no write until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    def write(self, content: Any) -> int:
        assert self.free.wait(20.0)
        return super().write(content)


def test_a_slow_disk_drops_records_and_never_blocks(tmp_path: Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    disk = StuckDisk()
    monkeypatch.setattr(RequestLog, '_next_volume', lambda log: disk)
    log = RequestLog(tmp_path, 's', MB)
    for _ in range(100):
        log.write(RECORD)
    assert 100 - 64 - 1 <= log.dropped <= 100 - 64
    log.close(0.01)
    disk.free.set()
    log.close(20.0)
    assert disk.closed


def test_a_disk_that_fails_is_reported_until_it_works_again(tmp_path: Path) -> None:
    blocked = tmp_path / 'folder'
    blocked.write_text('a file where the folder should be')
    log = RequestLog(blocked, 's', MB)
    log.write(RECORD)
    wait_for(lambda: bool(log.failure))
    assert str(blocked) in log.failure
    blocked.unlink()
    log.write(RECORD)
    log.close(20.0)
    assert log.failure == ''
    assert len(lines(blocked)) == 1


@pytest.mark.parametrize('pictures', [False, True])
def test_a_full_disk_leaves_one_file_without_a_torn_line(tmp_path: Path, pictures: bool) -> None:
    log = RequestLog(tmp_path, 's', MB, pictures=pictures)

    def fails(number: int) -> None:
        log.failure = ''
        log.write(replace(RECORD, uuid=str(number)), b'jpeg' * 100)
        wait_for(lambda: bool(log.failure))

    with no_room():
        for number in range(5):
            fails(number)
            assert not any(path.is_file() for path in tmp_path.rglob('*'))
    log.write(replace(RECORD, uuid='room'), b'jpeg' * 100)
    wait_for(lambda: log.failure == '')
    wait_for(lambda: len(lines(tmp_path)) == 1)
    with no_room((tmp_path / 'requests-s-0001.jsonl').stat().st_size + 20):
        fails(0)
    with no_room():
        for number in range(5):
            fails(number)
    log.write(replace(RECORD, uuid='again'), b'jpeg' * 100)
    log.close(20.0)
    assert [line['uuid'] for line in lines(tmp_path)] == ['room', 'again']
    assert all(path.stat().st_size for path in tmp_path.rglob('*') if path.is_file())
    assert sorted(path.name for path in tmp_path.glob('*.jsonl')) == [
        'requests-s-0001.jsonl', 'requests-s-0002.jsonl']
    kept = list((tmp_path / 'requests-pictures').glob('*'))
    assert [path.read_bytes() for path in kept] == [b'jpeg' * 100] * pictures


def test_what_comes_after_the_end_is_dropped(tmp_path: Path) -> None:
    log = write(tmp_path)
    log.write(RECORD)
    assert log.dropped == 1
    assert 'request_log' not in {thread.name for thread in threading.enumerate()}


def wait_for(condition: Callable[[], bool]) -> None:
    end = threading.Event()
    for _ in range(2000):
        if condition():
            return
        end.wait(0.01)
    raise AssertionError('waited too long')


# What is recorded

class Trail:
    """A recorder, its clock, and what it wrote."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.records: list[RequestRecord] = []
        self.pictures: list[bytes] = []
        self.recorder = RequestRecorder(HypothesisConfig(), self.write,
                                        lambda: f'uuid-{len(self.records)}')

    def write(self, record: RequestRecord, jpeg: bytes) -> None:
        self.records.append(record)
        self.pictures.append(jpeg)

    def look(self, name: str = 'look-1') -> None:
        self.recorder.published(Document(name, 'step-1', 'goal-1', 0, 'camera', Look(True)),
                                self.clock.now)

    def ask(self, name: str = 'request-1') -> None:
        self.recorder.asked(AskModel(name, PROMPT, b'jpeg', 60.0), self.clock.advance(1.0))

    def reply(self, name: str = 'request-1') -> None:
        self.recorder.answered(ModelReplied(name, '{}', 1900.0, 'stop', 8, 5, first_part_ms=90.0,
                                            times=TOOK),
                               self.clock.advance(2.0))

    def call(self, call: ToolCall) -> None:
        self.recorder.answered(ModelReplied('request-1', '', 1900.0, 'tool_calls', 8, 5, (call,)),
                               self.clock.advance(2.0))

    def fail(self, name: str = 'request-1', error: str = 'timeout') -> None:
        self.recorder.answered(ModelFailed(name, error, 'in words', 200.0, 'Traceback'),
                               self.clock.advance(2.0))

    def conclude(self, look: str = 'look-1', **fields: Any) -> ModelMeta:
        told = meta(**fields)
        body = Hypothesis('step-1', Source.MODEL, canonical(), told)
        self.recorder.published(Document('h-1', look, 'goal-1', 0, 'camera', body),
                                self.clock.now)
        return told


@pytest.fixture
def trail() -> Trail:
    return Trail()


def test_a_turn_with_tools_is_recorded_with_its_calls(trail: Trail) -> None:
    call = ToolCall('id-1', 'recall_places', {'query': 'mugs'})
    trail.look()
    trail.ask()
    trail.call(call)
    trail.conclude()
    [record] = trail.records
    assert (record.reply, record.calls, record.error) == ('', (call,), None)


def test_a_request_is_recorded_with_its_hypothesis(trail: Trail) -> None:
    trail.look()
    trail.ask()
    trail.reply()
    assert trail.records == []
    told = trail.conclude()
    [record] = trail.records
    assert record == RequestRecord(
        'uuid-0', '2027-01-15T08:00:01.000+00:00', 'request-1', 'look-1', 'goal-1', 'ollama',
        'qwen2.5vl:7b', PROMPT.sha256, BILL, 9, 8, 5, '{}', 'stop', 1900.0, 2000.0, told, None,
        first_part_ms=90.0, times=TOOK)
    assert trail.pictures == [b'jpeg']


def test_a_request_is_recorded_with_the_model_that_was_asked(trail: Trail) -> None:
    """A model can be replaced under its name while it answers."""
    probed = ModelProbed(True, '', 'm', 'sha256:a', True, True, 0, None)
    for found in (probed, ModelProbed.failed('m', 'gone')):
        trail.recorder.probed(found)
    trail.look()
    trail.ask()
    trail.recorder.probed(replace(probed, digest='sha256:b'))
    trail.reply()
    trail.ask('request-2')
    trail.reply('request-2')
    trail.conclude()
    assert [record.model_digest for record in trail.records] == ['sha256:a', 'sha256:b']


def test_a_repair_is_a_request_of_its_own(trail: Trail) -> None:
    trail.look()
    for name in ('request-1', 'request-2'):
        trail.ask(name)
        trail.reply(name)
    told = trail.conclude()
    assert [(one.request_id, one.meta) for one in trail.records] == [
        ('request-1', told), ('request-2', told)]


def test_a_failure_is_recorded_with_its_stack(trail: Trail) -> None:
    trail.look()
    trail.ask()
    trail.fail()
    trail.conclude(vlm_error='timeout')
    [record] = trail.records
    assert record.error == RequestError('timeout', 'in words', 'Traceback')
    assert (record.reply, record.latency_ms) == ('', 200.0)


def test_a_look_that_was_replaced_has_no_meta(trail: Trail) -> None:
    trail.look()
    trail.ask()
    trail.look('look-2')
    trail.ask('request-2')
    trail.fail(error='cancelled')
    trail.reply('request-2')
    trail.conclude('look-2')
    assert [(one.look_id, one.meta is None) for one in trail.records] == [
        ('look-1', True), ('look-2', False)]


def test_a_prompt_that_was_too_long_is_recorded_though_nothing_was_sent(trail: Trail) -> None:
    trail.look()
    trail.recorder.unsent(LogUnsentPrompt('look-1', BILL))
    told = trail.conclude(vlm_error='over_budget: a prompt of about 9 tokens')
    [record] = trail.records
    assert (record.request_id, record.manifest, record.meta) == ('', BILL, told)
    assert record.error == RequestError('over_budget', told.vlm_error)
    assert (record.prompt_sha256, trail.pictures) == (BILL.sha256, [b''])


def test_a_look_without_a_request_leaves_nothing(trail: Trail) -> None:
    trail.look()
    trail.conclude(vlm_error='not_asked')
    trail.recorder.close()
    assert trail.records == []


def test_what_is_open_at_the_end_is_recorded(trail: Trail) -> None:
    trail.ask()
    trail.reply('unknown')
    trail.recorder.close()
    [record] = trail.records
    assert record.error is not None and record.error.code == 'not_answered'
    assert (record.look_id, record.total_ms, record.meta) == ('', 0.0, None)
