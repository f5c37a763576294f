"""The operator page in headless Chromium: a node process, beside a belief node that is played."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import builders
import chromium
import httpx
import pytest
from fake_belief import NAMESPACE, NOBODY, FakeBelief, beliefs
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters
from remembered_home import KITCHEN, remember_home
from sensor_msgs.msg import Image
from std_msgs.msg import String
from websockets.sync.client import connect

from semantic_nav.belief.goal import TOUR
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import (
    Body,
    Document,
    GroundedObject,
    Hypothesis,
    Look,
    RobotPose,
    ToolReply,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Scene, SceneObject
from semantic_nav.contracts.vocabulary import Outcome, Phase, QueryTool, Source
from semantic_nav.nodes.ros import qos
from semantic_nav.operator.config import OperatorConfig
from semantic_nav.operator.desk import Desk
from semantic_nav.operator.history import History
from semantic_nav.operator.serving import Serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.browser() is None, reason='no browser: none of '
                       f'{", ".join(chromium.NAMES)} is installed')]
EVIL = '<img src=x onerror=pwned=1>'
SCRIPT = '<script>pwned=1</script><svg onload=pwned=1>'


class Robot:
    """The belief node, and whoever else speaks."""

    def __init__(self, belief: FakeBelief) -> None:
        self.belief = belief
        self._publishers: dict[str, Any] = {}
        self._count = 0

    def say(self, body: Body, cause_id: str = '', *, stamp_ns: int = 7) -> Document:
        """Publish a document of the goal in hand; returns it."""
        self._count += 1
        document = Document(f'other-x-{self._count}', cause_id,
                            f'goal-{self.belief.told.goal_text}', stamp_ns, 'map', body)
        if document.schema not in self._publishers:
            self.listen(document.schema)
        self._publishers[document.schema].publish(String(data=encode_document(document)))
        return document

    def listen(self, schema: str) -> None:
        """Let the readers of a document find its writer before it is said."""
        self._publishers[schema] = self.belief.create_publisher(
            String, f'semantic_nav/{schema}', qos.OF_DOCUMENT[schema])


@pytest.fixture
def start(ros_domain: int) -> Iterator[Callable[..., FakeBelief]]:
    del ros_domain
    with beliefs() as start:
        yield start


@contextmanager
def page_process(port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open('ab') as out:
        process = subprocess.Popen(
            [sys.executable, '-m', 'semantic_nav.operator.node', '--ros-args', '-r',
             f'__ns:=/{NAMESPACE}', '-p', f'port:={port}'], stdout=out, stderr=out)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, log.read_text()


def wait_for(port: int) -> str:
    url = f'http://127.0.0.1:{port}/'

    def answers() -> bool:
        try:
            return httpx.get(url).status_code == 200
        except httpx.TransportError:
            return False

    pause = threading.Event()
    for _ in range(600):
        if answers():
            return url
        pause.wait(0.1)
    raise AssertionError('the page did not come up')


@pytest.fixture
def page(start: Callable[..., FakeBelief], free_port: int, tmp_path: Path,
         ) -> Iterator[Callable[..., tuple[chromium.Tab, Robot]]]:
    with ExitStack() as opened:
        def show(react: Callable[[FakeBelief], None] = lambda node: None,
                 ) -> tuple[chromium.Tab, Robot]:
            robot = Robot(start(react, places=None))
            opened.enter_context(page_process(free_port, tmp_path / 'operator.log'))
            tab = opened.enter_context(chromium.tab(wait_for(free_port), tmp_path / 'browser'))
            tab.until(lambda: tab.text('#state') == 'ready', 'ready')
            return tab, robot

        yield show


def test_a_goal_is_typed_and_its_arrival_shown(page: Any) -> None:
    tab, robot = page(lambda belief: belief.tell(phase=Phase.DRIVING, next_action='drive: explore',
                                                 reason='to a view of 3 m² of unseen floor'))
    assert tab.run('document.querySelector("#cancel").disabled')
    tab.type('#goal', 'find the mug')
    tab.until(lambda: tab.text('#state') == 'executing', 'executing')
    tab.until(lambda: 'to a view of 3 m² of unseen floor' in tab.text('#reason'), 'the reason')
    assert not tab.run('document.querySelector("#cancel").disabled')
    robot.belief.finish(Outcome.ARRIVED)
    tab.until(lambda: tab.text('#state') == 'ready', 'ready')
    assert 'arrived' in tab.text('#reason')
    tab.until(lambda: 'arrived: as told' in tab.text('#timeline'), 'the timeline')
    assert robot.belief.told.goal_text == 'find the mug'


def test_a_question_is_answered(page: Any) -> None:
    tab, robot = page(lambda belief: belief.tell(phase=Phase.ASKING, question='which mug?'))
    assert tab.run('document.querySelector("#answer-form").hidden')
    tab.type('#goal', 'find the mug')
    tab.until(lambda: tab.text('#question') == 'which mug?', 'the question')
    assert tab.text('#state') == 'needs assistance'
    tab.type('#answer', 'the red one')
    tab.until(lambda: 'arrived' in tab.text('#reason'), 'arrived')
    assert robot.belief.answers == ['the red one']
    assert tab.run('document.querySelector("#answer-form").hidden')


def test_a_mission_is_paused_resumed_and_cancelled(page: Any) -> None:
    tab, _ = page()
    tab.type('#goal', 'find the mug')
    for button, state in (('#pause', 'waiting'), ('#resume', 'executing'), ('#cancel', 'ready')):
        tab.until(lambda button=button: not tab.run(
            f'document.querySelector("{button}").disabled'), button)
        tab.click(button)
        tab.until(lambda state=state: tab.text('#state') == state, state)
    assert 'cancelled' in tab.text('#reason')


def test_the_token_is_asked_for_once(tmp_path: Path) -> None:
    """Of a journal, for which no node is needed."""
    history = History()
    history.add(0.0, Document('belief-x-1', '', 'goal-x', 1, 'map', replace(
        NOBODY, goal_text='find the mug')))
    token = tmp_path / 'token'
    token.touch(0o600)
    token.write_text('correct horse battery')
    config = OperatorConfig(port=0, token_file=str(token))
    with Serving(Desk(lambda: 0.0, history), config) as serving, (
            chromium.tab(serving.url, tmp_path / 'browser')) as tab:
        assert tab.run('location.pathname') == '/login'
        tab.type('[name=token]', 'correct horse battery')
        tab.until(lambda: tab.run('location.pathname') == '/' and tab.run(
            'document.querySelector("#link")?.textContent') == 'journal', 'the page')
        assert tab.text('#state') == 'executing'


def test_the_model_is_switched_while_no_step_is_open_and_not_before(
        page: Any, free_port: int, tmp_path: Path) -> None:
    """With the real hypothesis node, whose life cycle goes once round for it."""
    tab, robot = page()
    node = robot.belief
    asked = node.create_client(GetParameters, 'hypothesis/get_parameters')
    state = node.create_client(GetState, 'hypothesis/get_state')

    def answer(client: Any, request: Any) -> Any:
        """Ask again where nobody answers: at first the way back may not be found yet."""
        for _ in range(10):
            came = threading.Event()
            future = client.call_async(request)
            future.add_done_callback(lambda _, came=came: came.set())
            if came.wait(6.0):
                return future.result()
        raise AssertionError(f'{client.srv_name} does not answer')

    def model() -> str:
        return answer(asked, GetParameters.Request(names=['model'])).values[0].string_value

    def is_active() -> bool:
        return answer(state, GetState.Request()).current_state.label == 'active'

    hypothesis = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav.nodes.hypothesis', '--ros-args', '-r',
         f'__ns:=/{NAMESPACE}', '-p', 'vlm_backend:=mock', '-p', 'model:=first', '-p',
         f'journal_dir:={tmp_path}', '-p', f'request_log_dir:={tmp_path}'])
    try:
        tab.until(lambda: asked.service_is_ready() and state.service_is_ready(), 'the node')
        tab.until(is_active, 'active')
        tab.type('#goal', 'find the mug')
        tab.until(lambda: tab.text('#state') == 'executing', 'executing')
        assert tab.run('document.querySelector("#model-go").disabled')
        url = f'http://127.0.0.1:{free_port}'
        with connect(f'{url.replace("http", "ws")}/live', origin=url) as socket:
            socket.send(json.dumps({'do': 'model', 'words': 'second'}))
            said = next(value for value in map(json.loads, socket) if value['kind'] == 'said')
        assert not said['taken'] and 'no step is open' in said['words']
        assert model() == 'first'

        tab.click('#pause')
        tab.until(lambda: not tab.run('document.querySelector("#model-go").disabled'), 'paused')
        tab.click('[data-tab=model]')
        tab.type('#model-name', 'second')
        tab.until(lambda: 'the model is second now' in tab.text('#said'), 'switched')
        assert model() == 'second' and is_active()
    finally:
        hypothesis.terminate()
        assert hypothesis.wait(60) == 0


def test_the_page_comes_back_after_its_node_did(
        start: Callable[..., FakeBelief], free_port: int, tmp_path: Path) -> None:
    """And whatever becomes of the page, the mission goes on."""
    belief = start(places=None)
    log = tmp_path / 'operator.log'
    with page_process(free_port, log) as process:
        url = wait_for(free_port)
        with chromium.tab(url, tmp_path / 'browser') as tab:
            tab.until(lambda: tab.text('#state') == 'ready', 'ready')
            tab.type('#goal', 'find the mug')
            tab.until(lambda: tab.text('#state') == 'executing', 'executing')
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            tab.until(lambda: tab.text('#link') == 'no connection', 'no connection')
            tab.until(lambda: tab.run('document.querySelector("main.stale") !== null'), 'stale')
            assert belief.told.outcome is None
            belief.tell(phase=Phase.DRIVING, next_action='drive: approach')
            with page_process(free_port, log):
                tab.until(lambda: tab.text('#link') == 'live', 'live')
                tab.until(lambda: 'approach' in tab.text('#reason'), 'the state')
                assert not tab.run('document.querySelector("main.stale") !== null')
                tab.click('#cancel')
                tab.until(lambda: 'cancelled' in tab.text('#reason'), 'cancelled')


def test_the_end_of_the_belief_node_is_shown(page: Any) -> None:
    tab, robot = page()
    node = robot.belief
    node.destroy_node()
    tab.until(lambda: tab.text('#state') == 'faulted', 'faulted')
    assert 'no belief node' in tab.text('#reason')
    assert tab.run('document.querySelector("#go").disabled')


def test_the_camera_is_listened_to_only_while_a_page_is_open(
        start: Callable[..., FakeBelief], free_port: int, tmp_path: Path) -> None:
    robot = Robot(start(places=None))
    node = robot.belief
    pictures = node.create_publisher(Image, 'camera/image_raw', qos.IMAGES)
    for schema in ('look', 'hypothesis'):
        robot.listen(schema)
    topic = pictures.topic_name
    red = Image(height=3, width=4, step=12, encoding='rgb8', data=bytes((200, 0, 0)) * 12)
    red.header.stamp.nanosec, red.header.frame_id = 1, 'map'
    with page_process(free_port, tmp_path / 'operator.log'):
        url = wait_for(free_port)
        assert node.count_subscribers(topic) == 0
        with chromium.tab(url, tmp_path / 'browser') as tab:
            tab.until(lambda: tab.text('#state') == 'ready', 'ready')
            tab.until(lambda: node.count_subscribers(topic) == 1, 'somebody listens')
            node.tell(goal_text='find the mug')

            def looked() -> bool:
                """Publish the picture, that it was taken, and what the model makes of it."""
                pictures.publish(red)
                look = robot.say(Look(True), stamp_ns=1)
                robot.say(Hypothesis('step-1', Source.MODEL, builders.approach(),
                                     builders.meta()), look.id, stamp_ns=1)
                return tab.run('document.querySelector("#camera-empty").hidden')

            tab.until(looked, 'the look')
            tab.click('#tab-live')
            tab.until(lambda: not tab.run('document.querySelector("#camera-empty").hidden'),
                      'no picture of now')

            def comes() -> bool:
                pictures.publish(red)
                return tab.run('document.querySelector("#camera-empty").hidden')

            tab.until(comes, 'the camera')
            colour = tab.run('Array.from(document.querySelector("#camera").getContext("2d")'
                             '.getImageData(200, 100, 1, 1).data)')
            assert colour[0] > 150 > 60 > colour[1]
        deadline = threading.Event()
        for _ in range(600):
            if node.count_subscribers(topic) == 0:
                break
            deadline.wait(0.1)
        assert node.count_subscribers(topic) == 0


def test_the_slider_shows_the_past(page: Any) -> None:
    tab, robot = page()
    tab.type('#goal', 'find the mug')
    tab.until(lambda: tab.text('#state') == 'executing', 'executing')
    robot.belief.finish(Outcome.ARRIVED)
    tab.until(lambda: tab.text('#state') == 'ready', 'ready')
    tab.run('Array.from(document.querySelectorAll("#timeline li")).find('
            '(one) => one.dataset.kind === "goal").click()')
    tab.until(lambda: tab.text('#state') == 'executing', 'the past')
    assert tab.text('#link') == 'the past'
    assert tab.run('document.querySelector("#cancel").disabled'), 'nothing is done in the past'
    tab.click('#now')
    tab.until(lambda: tab.text('#state') == 'ready', 'now')
    assert tab.text('#link') == 'live'


@contextmanager
def memory_process(folder: Path) -> Iterator[None]:
    """Run a memory node that remembers a home."""
    parameters = [word for name, value in remember_home(folder).items()
                  for word in ('-p', f'{name}:={value}')]
    process = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav.nodes.memory', '--ros-args', '-r',
         f'__ns:=/{NAMESPACE}', *parameters])
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(60) == 0


def test_a_place_is_found_named_gone_to_and_forgotten(page: Any, tmp_path: Path) -> None:
    """By the real memory node; its name is one that must not become markup."""
    tab, robot = page()
    assert tab.run('document.querySelector("#name-here").disabled'), 'nobody remembers'
    with memory_process(tmp_path):
        tab.click('[data-tab=memory]')
        tab.until(lambda: not tab.run('document.querySelector("#name-here").disabled'), 'memory')
        tab.type('#search', 'the red mug')
        tab.until(lambda: 'kitchen with red mug' in tab.text('#found'), 'found')
        tab.click('#found button')
        tab.until(lambda: tab.text('#place-title') == 'kitchen', 'described')

        tab.type('#place-name', EVIL)
        tab.until(lambda: tab.text('#place-title') == EVIL, 'named')
        assert f'it is called {EVIL} now' in tab.text('#said')
        tab.click('#place-go')
        tab.until(lambda: tab.text('#state') == 'executing', 'on the way')
        assert robot.belief.told.place == KITCHEN.id
        tab.until(lambda: f'go to {EVIL}' in tab.text('#facts'), 'the way by its name')
        tab.click('#tour')
        assert tab.text('#ends-words') == f'This ends “go to {EVIL}”, which is under way.'
        tab.click('#ends-keep')
        assert tab.run('document.querySelector("#ends").hidden')
        assert robot.belief.told.place == KITCHEN.id
        tab.click('#tour')
        tab.click('#ends-go')
        tab.until(lambda: TOUR in tab.text('#facts'), 'the tour')
        robot.belief.finish(Outcome.TOURED)
        tab.until(lambda: 'looked everywhere: as told' in tab.text('#facts'), 'its end')
        tab.click('#home')
        tab.until(lambda: 'no place home is remembered' in tab.text('#said'), 'no home')
        assert robot.belief.told.outcome is Outcome.TOURED

        tab.click('#place-forget')
        assert not tab.run('document.querySelector("#place-sure").hidden'), 'it asks once more'
        tab.click('#place-keep')
        assert tab.run('document.querySelector("#place-sure").hidden')
        tab.click('#place-forget')
        tab.click('#place-forget-sure')
        tab.until(lambda: tab.text('#said') == f'forgotten: {EVIL}: kitchen with red mug', 'gone')
        assert tab.run('document.querySelector("#place").hidden')

        robot.listen('pose')
        def drawn() -> bool:
            robot.say(RobotPose(Pose2D(1.0, 0.0, 0.0), True, 0.0))
            return tab.run('document.querySelector("#map-empty").hidden')

        tab.until(drawn, 'the map, two metres around the robot')
        left, top, width, height = tab.run(
            '(({ left, top, width, height }) => [left, top, width, height])'
            '(document.querySelector("#map").getBoundingClientRect())')
        tab.press(left + width / 2 - min(width, height) / 4, top + height / 2)
        tab.until(lambda: tab.text('#place-title') == 'hall', 'the hall, a metre left of it')
    assert tab.run('typeof pwned') == 'undefined' and tab.dialogs == []
    assert tab.run('document.querySelectorAll("img").length') == 0


def test_no_word_of_anybody_becomes_markup(page: Any) -> None:
    tab, robot = page()
    for schema in ('observation', 'hypothesis', 'pose', 'reply'):
        robot.listen(schema)
    tab.type('#goal', EVIL)
    tab.until(lambda: EVIL in tab.text('#facts'), 'the goal')

    answer = builders.approach(scene=Scene(EVIL, (SceneObject(EVIL, (1.0, 1.0, 9.0, 9.0)),)),
                               rationale=SCRIPT)
    seen = builders.observation('step-1', scene_place=EVIL, objects=(GroundedObject(
        EVIL, (0.0, 0.0, 9.0, 9.0), (1.0, 1.0, 0.5), (0.1, 0.1, 0.1), 2.0, False, False),))

    def told() -> bool:
        robot.say(RobotPose(Pose2D(0.0, 0.0, 0.0), True, 0.0))
        robot.say(Hypothesis('step-1', Source.MODEL, answer, replace(
            builders.meta(), vlm_model=EVIL)))
        robot.say(seen)
        return SCRIPT in tab.text('#look-words')

    tab.until(told, 'what the model said')
    robot.belief.tell(phase=Phase.ASKING, question=f'which {SCRIPT}?', reason=EVIL)
    tab.until(lambda: SCRIPT in tab.text('#question'), 'the question')

    place = replace(builders.candidate('place-1'), summary=EVIL, reasons=(SCRIPT,))
    robot.belief.create_subscription(String, 'semantic_nav/query', lambda message: robot.say(
        ToolReply(QueryTool.RECALL_PLACES, places=(place,)),
        decode_document(message.data, 'query').id), qos.EVENTS)
    tab.click('[data-tab=memory]')

    def found() -> bool:
        tab.type('#search', EVIL)
        threading.Event().wait(0.3)
        return SCRIPT in tab.text('#found')

    tab.until(found, 'what was found')
    assert EVIL in tab.text('#timeline') and EVIL in tab.text('#found')
    assert tab.run('typeof pwned') == 'undefined'
    assert tab.run('document.querySelectorAll("img, svg, main script, footer script").length') == 0
    assert tab.dialogs == []
