"""What the memory answers to queries, and that no query changes what it remembers or offers."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from memory_rig import BEDROOM, HASH, KITCHEN, STARTED, Bench, of_type

from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Document, ToolQuery, ToolReply
from semantic_nav.contracts.vocabulary import Phase, QueryTool
from semantic_nav.memory.events import Embed, Embedded, EmbedFailed

RECALL, DESCRIBE = QueryTool.RECALL_PLACES, QueryTool.DESCRIBE_PLACE


def ask(bench: Bench, tool: QueryTool, deadline_s: float = 5.0, /,
        **arguments: Any) -> list[Output]:
    return bench.receive(ToolQuery(tool, arguments, deadline_s))


def reply(outputs: list[Output]) -> ToolReply:
    (document,) = of_type(outputs, Document)
    assert isinstance(document.body, ToolReply)
    return document.body


@pytest.fixture
def bench() -> Bench:
    """A memory of a kitchen and a bedroom 3 m from it, with a goal."""
    bench = Bench().started()
    bench.be_at(0)
    bench.look(KITCHEN)
    bench.drive_to(3)
    bench.look(BEDROOM)
    bench.believe('find the red mug')
    return bench


def test_recall_finds_places_by_what_was_seen_there(bench: Bench) -> None:
    found = reply(ask(bench, RECALL, query='somewhere with a double bed'))
    assert found.error == '' and found.places is not None
    assert [place.node_id for place in found.places][0] == 'place-s-2'
    assert found.places[0].pose == bench.places[1].pose
    assert found.places[0].reasons[0] == "names 'double bed'"


def test_recall_gives_no_more_places_than_asked_for(bench: Bench) -> None:
    found = reply(ask(bench, RECALL, query='red mug, kettle, double bed', k=1))
    assert found.places is not None and len(found.places) == 1


def test_answer_belongs_to_its_query_and_goal(bench: Bench) -> None:
    outputs = ask(bench, RECALL, query='bed')
    (document,) = of_type(outputs, Document)
    assert document.cause_id == f'other-s-{next(bench.numbers) - 1}'
    assert document.goal_id == 'goal-s-1'


def test_description_tells_what_is_remembered_and_what_lies_near(bench: Bench) -> None:
    bench.pass_time(60)
    told = reply(ask(bench, DESCRIBE, node_id='place-s-1')).place
    assert told is not None
    assert (told.kind, told.tags, told.visits) == ('kitchen', ('red mug', 'kettle'), 1)
    assert told.seen_ago_s == pytest.approx(60, abs=5)
    assert [(way.node_id, way.length_m) for way in told.ways] == [('place-s-2', 3.0)]


@pytest.mark.parametrize(('tool', 'arguments', 'words'), [
    (DESCRIBE, {'node_id': 'node-99'}, 'no place node-99'),
    (DESCRIBE, {}, '"node_id" is a required property'),
    (RECALL, {'query': ''}, 'shorter than 1 character'),
    (RECALL, {'query': 'bed', 'k': 1000}, '1000 is greater'),
    (RECALL, {'query': 'bed', 'go': True}, "'go' was unexpected"),
    (RECALL, {'query': 5.0}, '5.0 is not of type')])
def test_wrong_arguments_are_an_error_in_words(bench: Bench, tool: QueryTool,
                                               arguments: dict[str, Any], words: str) -> None:
    answer = reply(ask(bench, tool, **arguments))
    assert answer.places is None and answer.place is None
    assert re.search(words, answer.error), answer.error


def test_query_of_another_goal_or_for_another_part_is_dropped(bench: Bench) -> None:
    assert ask(bench, QueryTool.CHECK_REACHABLE, node_id='place-s-1') == []
    bench.goal_id = 'goal-s-0'
    assert ask(bench, RECALL, query='bed') == []
    bench.believe(phase=Phase.FINISHED, goal_id='goal-s-1')
    assert ask(bench, RECALL, query='bed') == []


@pytest.mark.parametrize('phase', [None, Phase.FINISHED])
def test_query_of_no_goal_is_that_of_a_person_and_answered_at_any_time(
        bench: Bench, phase: Phase | None) -> None:
    if phase is not None:
        bench.believe(phase=phase, goal_id='goal-s-1')
    bench.goal_id = ''
    outputs = ask(bench, RECALL, query='somewhere with a double bed')
    found = reply(outputs)
    assert found.places is not None and found.places[0].node_id == 'place-s-2'
    assert of_type(outputs, Document)[0].goal_id == ''


def test_query_that_overtakes_the_first_word_of_its_goal_waits_for_it(bench: Bench) -> None:
    bench.goal_id = 'goal-s-2'
    assert ask(bench, RECALL, query='bed') == []
    answers = [output.body for output in of_type(bench.step('find the bed', 'goal-s-2'), Document)
               if isinstance(output.body, ToolReply)]
    (answer,) = answers
    assert answer.places is not None and answer.places[0].node_id == 'place-s-2'


def test_memory_that_is_loading_says_so() -> None:
    bench = Bench(working=False)
    bench.believe()
    assert 'loading' in reply(ask(bench, RECALL, query='bed')).error
    bench.feed(STARTED)
    assert 'loading' in reply(ask(bench, DESCRIBE, node_id='place-s-1')).error


def test_recall_without_an_embedding_goes_by_words(bench: Bench) -> None:
    bench.working = False
    (embed,) = of_type(ask(bench, RECALL, query='double bed'), Embed)
    assert embed.texts == ('double bed',)
    places = reply(bench.feed(EmbedFailed(embed.request_id, 'out of memory'))).places
    assert places is not None and [place.node_id for place in places] == ['place-s-2']
    assert 'keywords only: out of memory' in places[0].reasons


def test_answer_after_the_deadline_is_none(bench: Bench) -> None:
    bench.working = False
    (embed,) = of_type(ask(bench, RECALL, 2.0, query='double bed'), Embed)
    bench.pass_time(2.1)
    assert bench.feed(Embedded(embed.request_id, HASH.embed(embed.texts))) == []


def test_few_recalls_wait_at_once_and_late_ones_make_room(bench: Bench) -> None:
    bench.working = False
    for _ in range(4):
        assert of_type(ask(bench, RECALL, query='bed'), Embed)
    assert 'too many' in reply(ask(bench, RECALL, query='bed')).error
    bench.pass_time(5.1)
    assert of_type(ask(bench, RECALL, query='bed'), Embed)


def test_loading_again_forgets_what_waits(bench: Bench) -> None:
    bench.working = False
    (embed,) = of_type(ask(bench, RECALL, query='bed'), Embed)
    bench.feed(replace(STARTED, embedder='other'))
    assert bench.feed(Embedded(embed.request_id, np.zeros((1, HASH.dimension), np.float32))) == []


def test_queries_change_nothing(bench: Bench) -> None:
    before = (bench.places, bench.edges, dict(bench.reports), bench.candidates)
    heard = len(bench.outputs)
    for _ in range(3):
        ask(bench, RECALL, query='find the double bed, not the mug')
        ask(bench, DESCRIBE, node_id='place-s-2')
        ask(bench, DESCRIBE, node_id='go to node 99')
    others = [output for output in bench.outputs[heard:] if not isinstance(output, Embed) and not (
        isinstance(output, Document) and isinstance(output.body, ToolReply))]
    assert others == []
    bench.outputs = bench.outputs[:heard]
    assert before == (bench.places, bench.edges, bench.reports, bench.candidates)
