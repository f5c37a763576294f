"""The operator page beside a memory that remembers a home, and a belief that is played."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import rclpy
from executors import destroy, shut_down, spun, until
from fake_belief import NAMESPACE, FakeBelief
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from remembered_home import HALL, KITCHEN, remember_home
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.belief.goal import TOUR
from semantic_nav.contracts.documents import RobotPose, ToolReply
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Purpose
from semantic_nav.nodes.memory import MemoryNode
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.operator.node import OperatorPage
from semantic_nav.operator.places import places_of
from semantic_nav.operator.standing import Command
from semantic_nav.operator.wish import Wish

EVIL = '<img src=x onerror=alert(1)>'
Told = tuple[bool, str, ToolReply | None]


@dataclass
class Home:
    """The page, and those whom it speaks to."""

    page: OperatorPage
    belief: FakeBelief

    def ask(self, deed: str, words: str = '', place: str = '', ends: str = '') -> Told:
        told: list[Told] = []
        self.page.desk.wishes.put(Wish(
            Command(deed), words, lambda *what: told.append(what), place, ends))
        until(lambda: bool(told))
        return told[0]

    @property
    def names(self) -> dict[str, str]:
        """The names of the places that are shown, by their ids."""
        return {one['id']: one['name'] for one in self.page.desk.view()['places']}


@pytest.fixture
def home(ros_domain: int, tmp_path: Path) -> Iterator[Home]:
    del ros_domain
    with ExitStack() as end:
        context = Context()
        rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
        end.callback(lambda: rclpy.shutdown(context=context))
        page = OperatorPage(context, NAMESPACE)
        end.callback(page.node.destroy_node)
        belief = FakeBelief(context, lambda node: None, NAMESPACE)
        end.callback(belief.destroy_node)
        memory = MemoryNode(context=context, namespace=NAMESPACE, parameter_overrides=[
            Parameter(name, value=value) for name, value in remember_home(tmp_path).items()])
        end.callback(destroy, memory)
        executor = make_executor(context)
        end.callback(lambda: shut_down(executor))
        for node in (page.node, belief, memory):
            executor.add_node(node)
        memory.trigger_configure()
        memory.trigger_activate()
        end.callback(memory.trigger_shutdown)
        end.enter_context(spun(executor))
        found = Home(page, belief)
        until(lambda: (page.desk.permits(Command.NAME) and page.node.ready
                       and len(found.names) == 2))
        yield found


def test_a_place_is_found_named_gone_to_and_forgotten(home: Home) -> None:
    taken, words, found = home.ask('search', 'the red mug')
    assert taken and found is not None and found.places and 'found' in words
    assert found.places[0].node_id == KITCHEN.id
    _, _, described = home.ask('describe', place=KITCHEN.id)
    assert described is not None and described.place is not None
    assert (described.place.kind, described.place.name) == ('kitchen', '')

    assert home.ask('name', f' my\n {EVIL} ', KITCHEN.id)[:2] == (
        True, f'it is called my {EVIL} now')
    until(lambda: home.names == {HALL.id: '', KITCHEN.id: f'my {EVIL}'})
    assert home.ask('go', place=KITCHEN.id)[0]
    until(lambda: home.belief.told.place == KITCHEN.id)
    assert home.belief.told.purpose is Purpose.GO
    until(lambda: (home.page.desk.view()['mission'] or {}).get('goal') == f'go to my {EVIL}')

    assert home.ask('name', '', KITCHEN.id)[0]
    until(lambda: home.names == {HALL.id: '', KITCHEN.id: ''})
    assert home.ask('forget', place=KITCHEN.id)[:2] == (True, 'forgotten: kitchen with red mug')
    until(lambda: home.names == {HALL.id: ''})
    taken, words, _ = home.ask('describe', place=KITCHEN.id)
    assert not taken and 'is remembered' in words


def test_the_place_here_is_named(home: Home) -> None:
    taken, words, _ = home.ask('name', 'home', 'here')
    assert not taken and 'does not know where it is' in words

    def named() -> bool:
        now_ns = home.belief.get_clock().now().nanoseconds
        home.belief.say(RobotPose(Pose2D(0.3, 0.0, 2.0), True, 0.0), now_ns)
        return home.ask('name', 'home', 'here')[0]

    until(named)
    until(lambda: home.names == {HALL.id: 'home', KITCHEN.id: ''})


def test_a_tour_begins(home: Home) -> None:
    assert home.ask('tour')[0]
    until(lambda: home.belief.told.goal_text == TOUR)
    until(lambda: (home.page.desk.view()['mission'] or {}).get('purpose') == 'tour')


@pytest.mark.parametrize(('deed', 'words', 'place'), [
    ('goal', 'find the mug', ''), ('tour', '', ''), ('go', '', HALL.id)])
def test_a_mission_is_ended_only_by_one_who_knows_of_it(home: Home, deed: str, words: str,
                                                        place: str) -> None:
    home.belief.tell(goal_text='find the cup')
    until(lambda: home.page.desk.in_hand == ('goal-find the cup', 'find the cup'))
    for ends in ('', 'goal-of another'):
        taken, said, _ = home.ask(deed, words, place, ends)
        assert not taken and said.startswith('this ends “find the cup”, which is under way')
    assert home.belief.told.goal_text == 'find the cup'
    assert home.ask(deed, words, place, 'goal-find the cup')[:2] == (True, 'said')
    until(lambda: home.belief.told.goal_text != 'find the cup')


@pytest.mark.parametrize(('place', 'said'), [
    ('home', 'no place home is remembered; “Name here” calls the place here home'),
    ('kichen', "no place kichen is remembered; is 'kitchen' meant?")])
def test_a_way_to_an_unknown_place_ends_nothing(home: Home, place: str, said: str) -> None:
    assert home.ask('name', 'kitchen', KITCHEN.id)[0]
    home.belief.tell(goal_text='find the cup')
    until(lambda: home.page.desk.in_hand[0] == 'goal-find the cup')
    assert home.ask('go', place=place, ends='goal-find the cup')[:2] == (
        False, f'the robot was sent nowhere: {said}')
    assert home.belief.told.goal_text == 'find the cup'
    assert home.ask('go', place='Kitchen', ends='goal-find the cup')[0]
    until(lambda: home.belief.told.place == 'Kitchen')


@pytest.mark.parametrize(('deed', 'words', 'place', 'said'), [
    ('name', 'x' * 61, KITCHEN.id, 'tool_name_place at $.name'),
    ('describe', '', '', 'tool_describe_place at $.node_id'),
    ('forget', '', 'x' * 161, 'tool_forget_place at $.node_id'),
    ('forget', '', 'place-s-9', 'no place place-s-9 is remembered')])
def test_what_can_be_no_place_is_refused(home: Home, deed: str, words: str, place: str,
                                         said: str) -> None:
    taken, told, _ = home.ask(deed, words, place)
    assert not taken and said in told
    assert home.names == {HALL.id: '', KITCHEN.id: ''}


@pytest.mark.parametrize(('text', 'known'), [
    (f'place-1\n{EVIL}', ('place-1', EVIL)), ('place-1\n', ('place-1', '')),
    ('', ('', '')), ('x' * 161, ('', '')), (f'place-1\n{"x" * 61}', ('', ''))])
def test_the_id_of_a_place_is_checked_where_it_comes_in(text: str, known: tuple[str, str]) -> None:
    markers = [Marker(ns='places', text=text), Marker(ns='names', text='hall (1)\ncoat'),
               Marker(ns='rooms', text='HALL')]
    (place,) = places_of(MarkerArray(markers=markers)).places
    assert (place.id, place.name) == known
    assert place.words == 'hall (1)\ncoat'
