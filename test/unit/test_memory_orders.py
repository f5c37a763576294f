"""What an operator changes of the memory, and that nobody else does."""

from typing import Any

import pytest
from memory_rig import BEDROOM, KITCHEN, STARTED, Bench, of_type

from semantic_nav.contracts.core import DocumentReceived, Output, Tick
from semantic_nav.contracts.documents import (
    Belief,
    Budgets,
    Candidates,
    Document,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.vocabulary import Phase, Purpose, QueryTool, Status
from semantic_nav.memory.events import (
    ForgetFailed,
    ForgetPlace,
    PlaceSaved,
    SaveFailed,
    StoreFailed,
)

NAME, FORGET = QueryTool.NAME_PLACE, QueryTool.FORGET_PLACE


def order(bench: Bench, tool: QueryTool, goal_id: str = '', /, **arguments: Any) -> ToolReply:
    before, bench.goal_id = bench.goal_id, goal_id
    outputs = bench.receive(ToolQuery(tool, arguments, 5.0))
    bench.goal_id = before
    (reply,) = replies(outputs)
    return reply


def replies(outputs: list[Output]) -> list[ToolReply]:
    return [one.body for one in of_type(outputs, Document) if isinstance(one.body, ToolReply)]


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
    offers = [one.body for one in bench.published if isinstance(one.body, Candidates)]
    assert 'place-s-2' not in [one.node_id for one in offers[-1].candidates]
    assert not order(bench, QueryTool.DESCRIBE_PLACE, node_id='place-s-1').place.ways
    bench.look(BEDROOM)
    assert [place.id for place in bench.places] == ['place-s-1', 'place-s-3'], 'a new one'
    assert not order(bench, QueryTool.DESCRIBE_PLACE, node_id='place-s-3').place.ways


def test_what_cannot_be_forgotten_is_tried_again(bench: Bench) -> None:
    bench.working = False
    outputs = bench.receive(ToolQuery(FORGET, {'node_id': 'place-s-2'}, 5.0))
    assert not replies(outputs), 'nothing is said before the disk has it'
    (reply,) = replies(bench.feed(ForgetFailed('place-s-2', 'the disk is full')))
    assert reply.error == 'not on the disk yet, and tried again: the disk is full'
    assert bench.ticking and 'the disk is full' in bench.store[1]
    bench.pass_time(11.0)
    bench.working = True
    bench.feed(Tick())
    assert bench.forgotten == ['place-s-2']
    assert not bench.ticking and bench.store[0] == 0
    bench.pass_time(11.0)
    bench.feed(Tick())
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


def test_a_name_that_cannot_be_written_is_said_to_be_none_yet(bench: Bench) -> None:
    bench.working = False
    assert not replies(bench.receive(ToolQuery(NAME, {'node_id': 'place-s-1', 'name': 'x'}, 5.0)))
    (reply,) = replies(bench.feed(SaveFailed('place-s-1', None, 'the disk is full')))
    assert reply.error.endswith('the disk is full') and reply.place is None
    assert not replies(bench.feed(PlaceSaved('place-s-1'))), 'it was told already'


def test_a_memory_without_a_disk_takes_no_orders(bench: Bench) -> None:
    bench.feed(StoreFailed('it is corrupt'))
    before = list(bench.places)
    for tool, arguments in ((NAME, {'name': 'x'}), (FORGET, {})):
        reply = order(bench, tool, node_id='place-s-1', **arguments)
        assert reply.error == 'the memory cannot be written: it is corrupt'
    assert bench.places == before


def test_a_memory_that_is_loading_takes_none_either() -> None:
    bench = Bench(working=False)
    bench.feed(STARTED)
    assert order(bench, FORGET, node_id='place-s-1').error == 'the memory is still loading'


def test_an_order_is_not_carried_out_after_its_deadline(bench: Bench) -> None:
    late = Document('other-s-9', '', '', bench.now.clock_ns, 'map',
                    ToolQuery(FORGET, {'node_id': 'place-s-1'}, 3.0))
    bench.pass_time(3.1)
    (reply,) = replies(bench.feed(DocumentReceived(late)))
    assert reply.error == 'it came too late' and len(bench.places) == 2


@pytest.mark.parametrize('name', [
    'here', 'the\nhall', 'den\x00', 'a\u202eb', 'so\u00adft', 'x\u200b', 'a\u00a0b'])
def test_a_name_that_nobody_could_type_is_none(bench: Bench, name: str) -> None:
    assert 'no place can be called' in order(bench, NAME, node_id='place-s-1', name=name).error


def test_a_name_is_the_same_in_whatever_form_it_is_written(bench: Bench) -> None:
    order(bench, NAME, node_id='place-s-1', name='K\u00fcche')
    go(bench, 'KU\u0308CHE')
    assert bench.offered == ['place-s-1']


def test_an_id_goes_before_a_name(bench: Bench) -> None:
    order(bench, NAME, node_id='place-s-2', name='place-s-1')
    go(bench, 'place-s-1')
    assert bench.offered == ['place-s-1']


def test_only_a_name_can_be_given_to_what_is_here(bench: Bench) -> None:
    assert order(bench, FORGET, node_id='here').error == 'no place here is remembered'


def test_no_model_moves_a_place_that_has_a_name(bench: Bench) -> None:
    order(bench, NAME, node_id='place-s-2', name='home')
    where = bench.places[1].pose
    for step in range(1, 5):
        bench.be_at(3.0 + 0.4 * step)
        bench.look(BEDROOM, seen='box')
    assert bench.places[1].pose == where


def test_nothing_seen_on_a_tour_moves_a_place(bench: Bench) -> None:
    bench.goal_id = 'goal-s-10'
    bench.receive(Belief(
        'look around', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', '',
        Budgets(0, 1, 0, 1, 0, 1, 0, 1), purpose=Purpose.TOUR))
    bench.be_at(3.5)
    bench.look(BEDROOM, seen='box')
    assert bench.places[1].pose.x == 3.0


def test_a_question_about_the_goal_leaves_it_a_way(bench: Bench) -> None:
    order(bench, NAME, node_id='place-s-1', name='home')
    go(bench, 'home')
    bench.receive(Belief(
        'go to home (the answer)', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', '',
        Budgets(0, 1, 0, 1, 0, 1, 0, 1), purpose=Purpose.GO, place='home'))
    assert bench.offered == ['place-s-1']
