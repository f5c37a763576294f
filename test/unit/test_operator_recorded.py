"""The operator page of a journal: what it shows of a mission that is over, and what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import httpx
import pytest
from stored_places import make_place

from semantic_nav.contracts.blobs import FolderBlobs, NoBlobs
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import JournalWriter, Start
from semantic_nav.memory.events import RECORD_KINDS, HidePlace, ShowPlaces
from semantic_nav.operator.desk import Desk
from semantic_nav.operator.recorded import history_of

if TYPE_CHECKING:
    from pathlib import Path

    from bench_rig import Carried


def command(*args: str) -> list[str]:
    return [sys.executable, '-m', 'semantic_nav', 'operator', *args]


@pytest.mark.slow
def test_a_mission_can_be_looked_at_again(small_mission: Carried) -> None:
    history = history_of(small_mission.journal,
                         FolderBlobs(small_mission.folder / 'journal' / 'blobs'))
    desk = Desk(lambda: 0.0, history)
    end, middle = desk.view(), desk.view(history.last_s / 2)
    assert end['mission']['outcome'] == small_mission.record.belief.outcome.value
    assert middle['standing']['state'] == 'executing' and middle['mission']['outcome'] is None
    assert len(middle['path']) < len(end['path'])
    assert end['places'] and end['things'] and end['map']
    assert desk.map_png(None).startswith(b'\x89PNG') and desk.map_png(0.0) != desk.map_png(None)
    assert desk.heat_png(None).startswith(b'\x89PNG')
    assert desk.picture(end['look']['picture']).startswith(b'\xff\xd8')
    assert [line['kind'] for line in desk.timeline(0)][0] == 'goal'
    assert 'finished' in {line['kind'] for line in desk.timeline(0)}


@pytest.mark.slow
def test_without_its_pictures_a_mission_is_shown_all_the_same(small_mission: Carried) -> None:
    desk = Desk(lambda: 0.0, history_of(small_mission.journal, NoBlobs()))
    view = desk.view()
    assert view['mission']['outcome'] and view['map'] is None
    assert desk.map_png(None) is None and desk.picture(view['look']['picture']) is None


@pytest.mark.slow
def test_the_command_serves_a_journal_until_it_is_asked_to_end(small_mission: Carried) -> None:
    process = subprocess.Popen(command('--journal', str(small_mission.journal), '--port', '0'),
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        assert httpx.get(url).status_code == 200
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM


def test_a_forgotten_place_is_shown_until_it_was_forgotten(tmp_path: Path) -> None:
    journal = tmp_path / 'memory.jsonl'
    shown = ShowPlaces((make_place(1), make_place(2).called('home')), ())
    with JournalWriter(journal, Start('memory', 's', 0, {}),
                       RecordCodec(RECORD_KINDS, NoBlobs())) as writer:
        for second, output in enumerate((shown, HidePlace('place-s-1'))):
            writer.append(Now(0, second * NS_PER_S, 0), Tick(), [output], durable=False)
    desk = Desk(lambda: 0.0, history_of(journal, NoBlobs()))
    assert [(one['id'], one['name'], one['words']) for one in desk.view(0.5)['places']] == [
        ('place-s-1', '', 'kitchen (1)'), ('place-s-2', 'home', 'home (1)')]
    assert [one['id'] for one in desk.view()['places']] == ['place-s-2']


def test_of_a_memory_that_knew_no_names_places_are_shown_too(tmp_path: Path) -> None:
    journal = tmp_path / 'memory.jsonl'
    with JournalWriter(journal, Start('memory', 's', 0, {}),
                       RecordCodec(RECORD_KINDS, NoBlobs())) as writer:
        writer.append(Now(0, 0, 0), Tick(), [ShowPlaces((make_place(1),), ())], durable=False)
    before = journal.read_text()
    journal.write_text(before.replace(',"name":""', ''))
    assert journal.read_text() != before
    desk = Desk(lambda: 0.0, history_of(journal, NoBlobs()))
    assert [one['words'] for one in desk.view()['places']] == ['kitchen (1)']


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'empty.jsonl').touch()
    with pytest.raises(ContractError, match='nothing that can be shown'):
        history_of(tmp_path / 'empty.jsonl', NoBlobs())


@pytest.mark.parametrize(('args', 'words'), [
    (('--journal', 'nowhere'), 'nowhere is not there'),
    (('--journal', 'none.jsonl', '--bind', '0.0.0.0'), 'not there'),
    (('--port', '65536'), 'port'), (('--journal', ''), 'names no file')])
def test_a_wrong_command_line_is_one_line(args: tuple[str, ...], words: str) -> None:
    done = subprocess.run(command(*args), capture_output=True, text=True, check=False,
                          env={**os.environ, 'COLUMNS': '200'})
    assert done.returncode in (1, 2)
    assert words in done.stderr and len(done.stderr.splitlines()) == 1
