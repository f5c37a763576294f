"""What an operator changes of the memory, and that nobody else does."""

from typing import Any

import pytest
from memory_rig import BEDROOM, KITCHEN, Bench, of_type

from semantic_nav.contracts.core import Output, Tick
from semantic_nav.contracts.documents import Belief, Budgets, Document, ToolQuery, ToolReply
from semantic_nav.contracts.vocabulary import Phase, Purpose, QueryTool, Status
from semantic_nav.memory.events import ForgetFailed, ForgetPlace

NAME, FORGET = QueryTool.NAME_PLACE, QueryTool.FORGET_PLACE


def order(bench: Bench, tool: QueryTool, goal_id: str = '', /, **arguments: Any) -> ToolReply:
    before, bench.goal_id = bench.goal_id, goal_id
    outputs = bench.receive(ToolQuery(tool, arguments, 5.0))
    bench.goal_id = before
    reply, = (one.body for one in of_type(outputs, Document) if isinstance(one.body, ToolReply))
    return reply


@pytest.fixture
def bench() -> Bench:
    """A memory of a kitchen and a bedroom 3 m from it; the robot is in the bedroom."""
    bench = Bench().started()
    bench.be_at(0)
    bench.look(KITCHEN)
    bench.drive_to(3)
    bench.look(BEDROOM)
    return bench


def go(bench: Bench, place: str, goal_id: str = 'goal-s-9') -> list[Output]:
    bench.goal_id = goal_id
    return bench.receive(Belief(
        f'go to {place}', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', '',
        Budgets(0, 1, 0, 1, 0, 1, 0, 1), purpose=Purpose.GO, place=place))


def test_a_name_is_kept_told_and_found(bench: Bench) -> None:
    reply = order(bench, NAME, node_id='place-s-1', name=' Home ')
    assert reply.place is not None and reply.place.name == 'Home'
    assert bench.saved[-1].place.name == 'Home', 'and on the disk'
    assert bench.places[0].summary.startswith('Home: kitchen with ')
    assert bench.saved[-1].vector is not None, 'its words are compared with goals'
    bench.drive_to(0)
    bench.look(KITCHEN)
    assert bench.places[0].name == 'Home', 'a look does not take it away'
    for words in ('home', 'HOME', 'place-s-1'):
        go(bench, words, f'goal-{words}')
        assert bench.offered == ['place-s-1']
        assert bench.candidates.candidates[0].score == 1.0


def test_a_name_has_one_place(bench: Bench) -> None:
    order(bench, NAME, node_id='place-s-1', name='home')
    order(bench, NAME, node_id='place-s-2', name='Home')
    assert [place.name for place in bench.places] == ['', 'Home']
    assert bench.places[0].summary.startswith('kitchen with ')
    order(bench, NAME, node_id='place-s-2', name='')
    assert [place.name for place in bench.places] == ['', '']


def test_here_is_the_nearest_place_to_the_robot(bench: Bench) -> None:
    assert order(bench, NAME, node_id='here', name='dock').place.node_id == 'place-s-2'
    bench.be_at(30.0)
    assert 'within 1 m of the robot' in order(bench, NAME, node_id='here', name='x').error
    bench.pass_time(60.0)
    assert 'within 1 m of the robot' in order(bench, NAME, node_id='here', name='x').error
    bench.pass_time(60.0)
    assert order(bench, NAME, node_id='here', name='x').error == (
        'the robot does not know where it is')


def test_what_is_forgotten_is_gone_with_the_ways_to_it(bench: Bench) -> None:
    assert bench.edges
    bench.believe('find the double bed')
    assert bench.offered[0] == 'place-s-2'
    reply = order(bench, FORGET, node_id='place-s-2')
    assert reply.place is not None and reply.place.ways, 'it is told what is gone'
    assert bench.forgotten == ['place-s-2']
    assert [place.id for place in bench.places] == ['place-s-1']
    assert 'place-s-2' not in bench.offered
    assert not order(bench, QueryTool.DESCRIBE_PLACE, node_id='place-s-1').place.ways
    bench.look(BEDROOM)
    assert [place.id for place in bench.places] == ['place-s-1', 'place-s-3'], 'a new one'
    assert not order(bench, QueryTool.DESCRIBE_PLACE, node_id='place-s-3').place.ways


def test_what_cannot_be_forgotten_is_tried_again(bench: Bench) -> None:
    bench.working = False
    order(bench, FORGET, node_id='place-s-2')
    bench.feed(ForgetFailed('place-s-2', 'the disk is full'))
    assert bench.ticking and 'the disk is full' in bench.store[1]
    bench.pass_time(11.0)
    bench.working = True
    bench.feed(Tick())
    assert bench.forgotten == ['place-s-2']
    assert not bench.ticking and bench.store[0] == 0
    assert len(of_type(bench.outputs, ForgetPlace)) == 2


@pytest.mark.parametrize(('tool', 'arguments', 'why'), [
    (FORGET, {'node_id': 'place-s-7'}, 'no place place-s-7 is remembered'),
    (NAME, {'node_id': 'place-s-1', 'name': 'x' * 61}, 'name'),
    (NAME, {'node_id': 'place-s-1'}, 'name'), (FORGET, {}, 'node_id')])
def test_an_order_that_cannot_be_is_refused_with_the_reason(
        bench: Bench, tool: QueryTool, arguments: dict[str, str], why: str) -> None:
    before = list(bench.places)
    reply = order(bench, tool, **arguments)
    assert reply.place is None and why in reply.error
    assert bench.places == before


@pytest.mark.parametrize('tool', [NAME, FORGET])
def test_no_goal_changes_what_is_remembered(bench: Bench, tool: QueryTool) -> None:
    bench.believe()
    before = list(bench.places)
    arguments = {'node_id': 'place-s-1'} | ({'name': 'x'} if tool is NAME else {})
    reply = order(bench, tool, 'goal-s-1', **arguments)
    assert reply.error == 'no goal changes what is remembered'
    assert bench.places == before and not bench.forgotten


def test_a_tour_and_a_place_of_another_name_are_offered_nothing(bench: Bench) -> None:
    go(bench, 'attic')
    assert bench.offered == [] and not bench.candidates.retrieval_ran
    bench.goal_id = 'goal-s-10'
    bench.receive(Belief(
        'look around for a red mug', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', '',
        Budgets(0, 1, 0, 1, 0, 1, 0, 1), purpose=Purpose.TOUR))
    assert bench.offered == []
