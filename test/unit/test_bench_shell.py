"""Bus and shell of simulated time: what the nodes do over DDS, in one thread."""

import math
from pathlib import Path

import pytest
from builders import candidate, candidates, document, look_request, samples

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import GoalReceived, KeepMission, ListenersChanged
from semantic_nav.belief.goal import Goal
from semantic_nav.cli.replay import replay
from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.documents import Belief, Document, Step
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.journal import read_journal
from semantic_nav.contracts.vocabulary import StepKind
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import TakePicture
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.bench.shell import SESSION, Bus, CoreShell

LOOK = document(Step(StepKind.LOOK, 'find the red mug', reason='first', look=look_request()),
                id_='belief-s-1')


class Rig:
    """One shell on a bus, and all documents that crossed it."""

    def __init__(self, name: str, config: object, folder: Path) -> None:
        self.scheduler, self.bus = Scheduler(), Bus()
        self.crossed: list[Document] = []
        for schema in samples():
            self.bus.listen(schema, self.crossed.append)
        self.journal = folder / f'{name}.jsonl'
        self.shell = CoreShell(name, config, 7, self.scheduler, self.bus, folder, NoBlobs())
        self.shell.effects = {KeepMission: lambda effect: None}


# The bus

@pytest.mark.parametrize('schema', samples())
def test_a_document_goes_through_its_json_form(schema: str) -> None:
    bus, received = Bus(), []
    bus.listen(schema, received.append)
    sent = samples()[schema]
    bus.publish(sent)
    assert received == [sent]
    assert received[0].body is not sent.body


def test_only_readers_of_its_schema_get_it() -> None:
    bus, received = Bus(), []
    bus.listen('step', lambda document: received.append('first'))
    bus.listen('look', lambda document: received.append('other'))
    bus.listen('step', lambda document: received.append('second'))
    bus.publish(LOOK)
    assert received == ['first', 'second']


def test_what_is_written_meanwhile_waits_for_its_turn() -> None:
    bus, received = Bus(), []

    def answer(document: Document) -> None:
        received.append(('answering', document.schema))
        bus.publish(samples()['look'])
        received.append(('answered', document.schema))

    bus.listen('step', answer)
    bus.listen('step', lambda document: received.append(('second', document.schema)))
    bus.listen('look', lambda document: received.append(('reader', document.schema)))
    bus.publish(LOOK)
    assert received == [('answering', 'step'), ('answered', 'step'), ('second', 'step'),
                        ('reader', 'look')]


def test_a_document_that_breaks_its_schema_stops_the_run() -> None:
    bus, received = Bus(), []
    bus.listen('candidates', received.append)
    with pytest.raises(ContractError):
        bus.publish(document(candidates(candidate('memory-s-1', score=math.nan))))
    assert received == []
    bus.publish(samples()['candidates'])
    assert received == [samples()['candidates']]


# The shell

def test_an_event_becomes_documents_and_a_record_of_both(tmp_path: Path) -> None:
    rig = Rig('belief', BeliefConfig(memory_wait_s=0.0), tmp_path)
    rig.shell.feed(ListenersChanged(()))
    rig.shell.feed(GoalReceived(Goal('goal-s-1', 'find the red mug')))
    rig.shell.close()
    start, records = read_journal(rig.journal, 'belief')
    assert (start.node, start.session, start.seed) == ('belief', SESSION, 7)
    written = list(records)
    assert [record.event['type'] for record in written] == ['ListenersChanged', 'GoalReceived']
    assert written[-1].now == rig.scheduler.now
    assert [output['id'] for output in written[-1].outputs if 'id' in output] == [
        one.id for one in rig.crossed if one.goal_id]
    assert {type(one.body) for one in rig.crossed} == {Belief, Step}


def test_effects_are_carried_out_and_documents_come_in(tmp_path: Path) -> None:
    rig = Rig('hypothesis', HypothesisConfig(), tmp_path)
    asked: list[TakePicture] = []
    rig.shell.effects = {TakePicture: asked.append}
    rig.bus.publish(LOOK)
    rig.shell.close()
    [effect] = asked
    assert effect.after_ns >= LOOK.stamp_ns
    [record] = read_journal(rig.journal, 'hypothesis')[1]
    assert record.event['type'] == 'DocumentReceived'
    assert [output['type'] for output in record.outputs
            if output['type'] not in ('Ticking', 'Report')] == ['TakePicture']


def test_an_effect_that_nobody_carries_out_stops_the_run(tmp_path: Path) -> None:
    rig = Rig('hypothesis', HypothesisConfig(), tmp_path)
    with pytest.raises(KeyError):
        rig.bus.publish(LOOK)


def test_it_ticks_only_while_the_core_wants_it(tmp_path: Path) -> None:
    rig = Rig('belief', BeliefConfig(), tmp_path)
    rig.scheduler.run(lambda: False, 2.0)
    rig.shell.feed(GoalReceived(Goal('goal-s-2', 'find the red mug')))
    rig.scheduler.run(lambda: False, 1.0)
    rig.shell.close()
    kinds = [record.event['type'] for record in read_journal(rig.journal, 'belief')[1]]
    assert kinds == ['GoalReceived', *['Tick'] * 4]


def test_its_journal_replays(tmp_path: Path) -> None:
    rig = Rig('belief', BeliefConfig(), tmp_path)
    rig.shell.feed(ListenersChanged(()))
    rig.shell.feed(GoalReceived(Goal('goal-s-3', 'find the red mug')))
    rig.scheduler.run(lambda: False, 80.0)
    rig.shell.close()
    assert len(rig.crossed) > 2, 'the look expired'
    differences = list(replay(rig.journal, 'belief', tmp_path))
    assert len(differences) > 100 and set(differences) == {None}


def test_one_that_was_closed_neither_hears_nor_says_anything(tmp_path: Path) -> None:
    rig = Rig('belief', BeliefConfig(), tmp_path)
    rig.shell.feed(GoalReceived(Goal('goal-s-4', 'find the red mug')))
    rig.shell.close()
    said = list(rig.crossed)
    rig.scheduler.run(lambda: False, 80.0)
    rig.shell.feed(GoalReceived(Goal('goal-s-5', 'find the green bottle')))
    assert rig.crossed == said


def test_a_start_anew_has_a_session_of_its_own(tmp_path: Path) -> None:
    rig = Rig('belief', BeliefConfig(), tmp_path)
    rig.shell.close()
    again = CoreShell('belief', BeliefConfig(), 7, rig.scheduler, rig.bus, tmp_path / 'again',
                      NoBlobs(), 'again')
    again.effects = rig.shell.effects
    again.feed(GoalReceived(Goal('goal-s-6', 'find the red mug')))
    again.close()
    assert {one.id.rpartition('-')[0] for one in rig.crossed} == {'belief-again'}
    start, _ = read_journal(tmp_path / 'again' / 'belief.jsonl', 'belief')
    assert start.session == 'again'
