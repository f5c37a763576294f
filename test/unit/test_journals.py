"""What a run's journals tell: whether every goal was vetted, and whether a replay agrees."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from belief_walk import APPROACH, EXPLORE, Walk
from builders import Clock, accepted, document, ended, meta, refusal, track
from full_disk import no_room
from verifier_rig import VerifierRig

from semantic_nav.belief.events import RECORD_KINDS as BELIEF
from semantic_nav.belief.events import GoalReceived
from semantic_nav.belief.goal import Goal
from semantic_nav.cli import replay as replaying
from semantic_nav.cli.replay import replay
from semantic_nav.contracts.blobs import Blobs, FolderBlobs, NoBlobs
from semantic_nav.contracts.codec import RecordCodec, to_plain
from semantic_nav.contracts.core import DocumentReceived, Effect, Tick
from semantic_nav.contracts.documents import Decision, Document, Hypothesis, Verdict
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.journal import JournalWriter, Start, read_lines
from semantic_nav.contracts.vocabulary import Code, Source
from semantic_nav.journal.files import audit, how_often, merge_journals, picture_of
from semantic_nav.verify.effects import SendBackUp, SendNav, SendSpin
from semantic_nav.verify.events import RECORD_KINDS as VERIFIER
from semantic_nav.vlm.events import RECORD_KINDS as VLM
from semantic_nav.vlm.events import PictureTaken

UUID, OTHER = 'ab' * 16, 'cd' * 16
GOAL = Pose2D(1.0, 2.0, 0.5)
NAV = SendNav(UUID, GOAL)


def announced(code: Code = Code.OK, uuid: str | None = UUID, goal: Pose2D | None = GOAL,
              turn_rad: float | None = None, back_up_m: float | None = None) -> Document:
    return document(Verdict('approach', 'h', decision=Decision(
        code, 'why', uuid, goal, turn_rad, back_up_m)))


def journal_of(path: Path, *moments: list[Document | Effect], node: str = 'verifier',
               kinds: tuple[type, ...] = VERIFIER, began_s: float = 0.0) -> Path:
    """Write a journal whose outputs are given; the events are ticks a second apart."""
    clock = Clock()
    clock.advance(began_s)
    start = Start(node, f's-{node}', 0, {})
    with JournalWriter(path, start, RecordCodec(kinds, NoBlobs())) as journal:
        for outputs in moments:
            journal.append(clock.advance(1.0), Tick(), outputs, durable=False)
    return path


def test_effects_of_a_kind_are_counted(tmp_path: Path) -> None:
    journal = journal_of(tmp_path / 'j.jsonl', [announced(), NAV], [], [NAV, NAV])
    assert (how_often(journal, SendNav), how_often(journal, SendSpin)) == (3, 0)


# The audit

@pytest.mark.parametrize('moments', [
    [[announced(), NAV]], [[announced()], [NAV]],
    [[announced(turn_rad=1.0)], [SendSpin(UUID, 1.0, 5.0)]],
    [[announced(back_up_m=0.4)], [SendBackUp(UUID, 0.4, 0.15, 13.0)]],
    [[announced(uuid=OTHER)], [announced(), NAV]]])
def test_goal_that_was_announced_is_vetted(tmp_path: Path, moments: list[Any]) -> None:
    result = audit(journal_of(tmp_path / 'j', *moments))
    assert (result.sent, result.unvetted) == (1, ())


@pytest.mark.parametrize('moments', [
    [[NAV]], [[NAV, announced()]], [[NAV], [announced()]],
    [[announced(uuid=OTHER)], [NAV]],
    [[announced(Code.COLLISION_DETECTED, None)], [NAV]],
    [[announced(goal=Pose2D(1.0, 2.0, 0.51))], [NAV]],
    [[announced(goal=Pose2D(1.0000001, 2.0, 0.5)), NAV]],
    [[SendSpin(UUID, 1.0, 5.0)]], [[announced(), SendSpin(UUID, 1.0, 5.0)]],
    [[announced(turn_rad=1.0), SendSpin(UUID, -1.0, 5.0)]], [[announced(turn_rad=1.0), NAV]],
    [[announced(), SendBackUp(UUID, 0.4, 0.15, 13.0)]], [[announced(back_up_m=0.4), NAV]],
    [[announced(back_up_m=0.4), SendBackUp(UUID, 0.5, 0.15, 13.0)]],
    [[announced(turn_rad=0.4), SendBackUp(UUID, 0.4, 0.15, 13.0)]],
    [[announced(back_up_m=1.0), SendSpin(UUID, 1.0, 5.0)]]])
def test_goal_that_was_not_announced_so_is_unvetted(tmp_path: Path, moments: list[Any]) -> None:
    result = audit(journal_of(tmp_path / 'j', *moments))
    assert (result.sent, result.unvetted) == (1, (UUID,))


def test_goal_that_the_navigator_alone_knows_is_unvetted(tmp_path: Path) -> None:
    path = journal_of(tmp_path / 'j', [announced(), NAV])
    assert audit(path, [UUID]).unvetted == ()
    assert audit(path, [UUID, OTHER]).unvetted == (OTHER,)


def test_what_nav2_gives_itself_on_a_drive_is_no_goal_of_ours(tmp_path: Path) -> None:
    path = journal_of(tmp_path / 'j', [announced(), NAV])
    result = audit(path, [UUID, OTHER], [OTHER])
    assert (result.unvetted, result.recoveries) == ((), (OTHER,))
    assert audit(path, [UUID], [UUID]).recoveries == (), 'it was announced'


def test_audit_reads_what_a_verifier_really_did(tmp_path: Path) -> None:
    rig = VerifierRig()
    rig.approach_mug()
    path = journal_of(tmp_path / 'j', [*rig.documents, *rig.effects])
    assert audit(path).sent == 1 and audit(path).unvetted == ()


def with_gap(path: Path, records: int = 5, after: int | None = None) -> Path:
    """Write into a journal that records are missing, after so many lines, and return it."""
    lines = list(read_lines(path))
    after = len(lines) if after is None else after
    before = lines[after - 1]
    gap = {'node': before['node'], 'now': before['now'],
           'gap': {'records': records, 'reason': 'No space left on device'}}
    path.write_text(''.join(json.dumps(line) + '\n'
                            for line in (*lines[:after], gap, *lines[after:])))
    return path


def test_audit_counts_what_a_journal_lacks(tmp_path: Path) -> None:
    path = journal_of(tmp_path / 'one' / 'verifier.jsonl', [announced(), NAV], [])
    assert audit(path).missing == 0
    with_gap(with_gap(path, 5, 2), 2)
    merge_journals(tmp_path, tmp_path / 'merged')
    for journal in (path, tmp_path / 'merged'):
        result = audit(journal)
        assert (result.sent, result.unvetted, result.missing) == (1, (), 7)


# Merging

def test_journals_are_merged_in_the_order_of_time(tmp_path: Path) -> None:
    journal_of(tmp_path / 'one' / 'verifier.jsonl', [], [NAV], began_s=0.0)
    journal_of(tmp_path / 'two' / 'belief.jsonl', [announced()], [], node='belief', kinds=BELIEF,
               began_s=0.5)
    merged = tmp_path / 'journal.jsonl'
    assert merge_journals(tmp_path, merged) == 6
    lines = list(read_lines(merged))
    moments = [(line['node'], line['now']['steady_ns']) for line in lines if 'now' in line]
    assert [node for node, _ in moments] == ['verifier', 'belief', 'verifier', 'belief']
    assert [when for _, when in moments] == sorted(when for _, when in moments)
    assert audit(merged).unvetted == ()


def test_torn_and_strange_journals_can_be_merged(tmp_path: Path) -> None:
    path = journal_of(tmp_path / 'one' / 'verifier.jsonl', [NAV])
    with path.open('ab') as file:
        file.write('{"node": "verifier", "ü'.encode()[:-1])
    codec = RecordCodec(BELIEF, NoBlobs())
    with JournalWriter(tmp_path / 'two' / 'belief.jsonl', Start('belief', 's', 0, {}),
                       codec) as journal:
        journal.append(Clock().now, GoalReceived(Goal('goal-s-1', 'mug \ud800')), [],
                       durable=False)
    assert merge_journals(tmp_path, tmp_path / 'merged') == 4


def test_merging_on_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    journal_of(tmp_path / 'journal' / 'one' / 'verifier.jsonl', [NAV])
    with no_room(), pytest.raises(OSError, match=r'journal\.jsonl'):
        merge_journals(tmp_path / 'journal', tmp_path / 'journal.jsonl')
    assert [path.name for path in tmp_path.iterdir()] == ['journal']


def test_picture_of_a_hypothesis_is_found(tmp_path: Path) -> None:
    taken = PictureTaken('r', 17, 'camera', b'\xff\xd8jpeg', 640, 480, 320, 240)
    codec = RecordCodec(VLM, FolderBlobs(tmp_path / 'blobs'))
    with JournalWriter(tmp_path / 's' / 'hypothesis.jsonl', Start('hypothesis', 's', 0, {}),
                       codec) as journal:
        journal.append(Clock().now, taken, [], durable=False)
    body = Hypothesis('step', Source.MODEL, EXPLORE, meta())
    found = picture_of(document(body, stamp_ns=17), tmp_path)
    assert found is not None and found.read() == taken.jpeg
    assert picture_of(document(body, stamp_ns=18), tmp_path) is None


# Replaying

class Recorder:
    """Lets a core's events and outputs pass into a journal."""

    def __init__(self, path: Path, node: str, core: Any, config: Any, kinds: tuple[type, ...],
                 blobs: Blobs, clock: Clock) -> None:
        start = Start(node, 's', 0, to_plain(config))
        self._journal = JournalWriter(path, start,
                                      RecordCodec((DocumentReceived, Tick, *kinds), blobs))
        self._handle: Callable[..., Any] = core.handle
        self._clock = clock
        core.handle = self.handle

    def handle(self, event: Any, now: Any) -> Any:
        outputs = self._handle(event, now)
        self._journal.append(now, event, outputs, durable=False)
        return outputs


def record_mission(path: Path) -> Path:
    """Write the journal of a mission with a refusal, a drive and an end."""
    mission = Walk()
    Recorder(path, 'belief', mission.core, mission.config, BELIEF, NoBlobs(), mission.clock)
    mission.goal('find the \N{HOT BEVERAGE}')
    mission.saw(EXPLORE)
    mission.verdict(refusal())
    mission.tick()
    mission.saw(APPROACH, track=track())
    mission.verdict(accepted())
    mission.drives_to(1.0, 0.1)
    mission.verdict(ended())
    mission.saw(APPROACH, track=track(), bearing=0.0)
    return path


def record_drive(path: Path, blobs: Path) -> Path:
    rig = VerifierRig(ready=False)
    Recorder(path, 'verifier', rig.core, rig.config, VERIFIER, FolderBlobs(blobs), rig.clock)
    rig.hear_maps()
    rig.hear_pose()
    rig.stand()
    rig.begin()
    rig.approach_mug()
    rig.drive(rig.sent.goal, 8.0)
    rig.finish()
    rig.stand()
    assert rig.result is not None
    return path


def test_replay_of_a_mission_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = record_mission(tmp_path / 'belief.jsonl')
    assert replaying.main([str(path)]) == 0
    assert 'belief: ' in capsys.readouterr().out


def test_replay_ends_where_records_are_missing_and_says_so(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = with_gap(record_mission(tmp_path / 'belief.jsonl'), records=5, after=4)
    assert replaying.main([str(path)]) == 1
    assert capsys.readouterr().out == (
        'belief: 3 events, the same outputs; then 5 records are missing (No space left on '
        'device), and what follows cannot be replayed\n')


def test_replay_of_what_was_stopped_before_its_first_event_says_that_there_is_nothing(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = record_mission(tmp_path / 'journal' / 'one' / 'belief.jsonl')
    begun = tmp_path / 'journal' / 'two' / 'verifier.jsonl'
    record_drive(begun, tmp_path / 'journal' / 'blobs')
    tampered(begun, lambda lines: lines.__delitem__(slice(1, None)))
    assert replaying.main([str(begun)]) == 1
    said = capsys.readouterr()
    assert 'nothing is there to be replayed' in said.err and 'the same' not in said.out
    merge_journals(tmp_path / 'journal', tmp_path / 'journal.jsonl')
    assert replaying.main([str(tmp_path)]) == 0
    assert 'verifier: no events' in capsys.readouterr().out
    assert path.exists()


def test_replay_of_a_drive_agrees_with_its_arrays(tmp_path: Path) -> None:
    path = record_drive(tmp_path / 'verifier.jsonl', tmp_path / 'blobs')
    steps = list(replay(path, 'verifier', tmp_path / 'blobs'))
    assert len(steps) > 15 and not any(steps)


def test_replay_in_a_merged_journal_agrees(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    record_mission(tmp_path / 'journal' / 'one' / 'belief.jsonl')
    record_drive(tmp_path / 'journal' / 'two' / 'verifier.jsonl', tmp_path / 'journal' / 'blobs')
    merge_journals(tmp_path / 'journal', tmp_path / 'journal.jsonl')
    assert replaying.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.count('the same outputs') == 2


@pytest.mark.parametrize('merged', [True, False])
def test_replay_of_a_run_takes_all_its_missions_merged_or_not(
        tmp_path: Path, merged: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ('first', 'second'):
        record_mission(tmp_path / name / 'journal' / 'one' / 'belief.jsonl')
        record_drive(tmp_path / name / 'journal' / 'two' / 'verifier.jsonl',
                     tmp_path / name / 'journal' / 'blobs')
    if merged:
        merge_journals(tmp_path / 'first' / 'journal', tmp_path / 'first' / 'journal.jsonl')
    # A node that had just been started, and one that a full disk let write nothing.
    (tmp_path / 'second' / 'journal' / 'two' / 'memory.jsonl').touch()
    assert replaying.main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert [line.partition(': ')[0] for line in said.splitlines()] == [
        'first, belief', 'first, verifier', 'second, belief', 'second, verifier']
    assert said.count('the same outputs') == 4
    [session] = (tmp_path / 'second' / 'journal').glob('*/verifier.jsonl')
    assert replaying.main([str(session)]) == 0, 'its blobs are found'
    tampered(tmp_path / 'second' / 'journal' / 'one' / 'belief.jsonl', change_output)
    assert replaying.main([str(tmp_path)]) == 1
    assert 'second, belief: event 1 differs' in capsys.readouterr().out


def tampered(path: Path, tamper: Callable[[list[dict[str, Any]]], None]) -> None:
    lines = list(read_lines(path))
    tamper(lines)
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines), encoding='utf-8')


def change_output(lines: list[dict[str, Any]]) -> None:
    step = next(output for output in lines[1]['outputs'] if output['type'] == 'Document')
    step['body']['reason'] = 'for no reason'


def drop_output(lines: list[dict[str, Any]]) -> None:
    del lines[1]['outputs'][1]


def add_output(lines: list[dict[str, Any]]) -> None:
    lines[1]['outputs'].append(lines[1]['outputs'][0])


def change_parameter(lines: list[dict[str, Any]]) -> None:
    lines[0]['start']['parameters']['look_deadline_s'] = 33.0


@pytest.mark.parametrize('tamper', [change_output, drop_output, add_output, change_parameter])
def test_replay_finds_the_first_difference(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        tamper: Callable[[list[dict[str, Any]]], None]) -> None:
    path = record_mission(tmp_path / 'belief.jsonl')
    tampered(path, tamper)
    assert replaying.main([str(path)]) == 1
    assert 'belief: event 1 differs' in capsys.readouterr().out


def test_replay_without_the_arrays_says_so(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    path = record_drive(tmp_path / 'verifier.jsonl', tmp_path / 'elsewhere')
    assert replaying.main([str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith('replay: ') and error.count('\n') == 1 and 'blob' in error
    assert replaying.main([str(path), '--blobs', str(tmp_path / 'elsewhere')]) == 0


def test_replay_of_what_is_no_journal_says_so(tmp_path: Path,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'text').write_text('hello\n')
    (tmp_path / 'line').write_text('hello')
    (tmp_path / 'bytes').write_bytes(b'\xff\n')
    (tmp_path / 'other').write_text('{"node": "cook", "start": {"node": "cook", "session": "s", '
                                    '"seed": 0, "parameters": {}}}\n')
    for name, words in (('nothing', 'not there'), ('text', 'line 1 is not JSON'),
                        ('line', 'no record'), ('bytes', 'line 1 is not JSON'), ('other', 'cook')):
        assert replaying.main([str(tmp_path / name)]) == 1
        error = capsys.readouterr().err
        assert words in error and error.count('\n') == 1


def test_replay_of_changed_parameters_is_refused(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    path = record_mission(tmp_path / 'belief.jsonl')
    tampered(path, lambda lines: lines[0]['start']['parameters'].update(time_limit_s=-1.0))
    assert replaying.main([str(path)]) == 1
    assert 'time_limit_s' in capsys.readouterr().err


def test_blob_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = record_drive(tmp_path / 'verifier.jsonl', tmp_path / 'blobs')
    blobs = FolderBlobs(tmp_path / 'blobs')
    other = tmp_path / 'blobs' / f'{blobs.put(np.zeros(3))}.npy.z'
    for file in (tmp_path / 'blobs').iterdir():
        if file != other:
            file.write_bytes(other.read_bytes())
    with pytest.raises(ContractError, match='was changed'):
        list(replay(path, 'verifier', tmp_path / 'blobs'))


def test_every_part_can_be_made_of_its_defaults() -> None:
    for part in replaying.PARTS.values():
        config = part.config()
        assert part.core(config, 's', 0) is not None
        assert dataclasses.is_dataclass(config)
