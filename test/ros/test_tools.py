"""The tools of the model between the real nodes: it asks memory and verifier, then it answers."""

import json
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import GOAL_ID, Block, Room, look_request
from cv_bridge import CvBridge
from fake_nav2 import PATIENT, FakeNav2, FakeRobot, Rig, running
from fake_ollama import Exchange, FakeOllama, chunk, fake_ollama, show
from PIL import Image as PilImage
from rclpy.context import Context
from sensor_msgs.msg import Image

from semantic_nav.cli.replay import replay
from semantic_nav.contracts.documents import (
    Belief,
    Budgets,
    Candidates,
    Hypothesis,
    Observation,
    Step,
    ToolQuery,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Phase, Source, Status, StepKind
from semantic_nav.nodes.hypothesis import HypothesisNode
from semantic_nav.nodes.memory import MemoryNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import read_clocks, to_stamp
from semantic_nav.nodes.verifier import VerifierNode

ANSWER = {'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 50,
          'scene': {'place': 'kitchen', 'objects': [{'name': 'kettle', 'box': None}]},
          'rationale': 'no mug here'}
CALLS = [('recall_places', {'query': 'kettle'}), ('check_reachable', {'x': 2.0, 'y': 4.5}),
         ('look_at', {'box': [0, 0, 250, 250]}), ('navigate_to_pose', {'x': 1000, 'y': 1000})]


class Model:
    """Calls tools when it is offered some and has no results yet; answers otherwise."""

    def __call__(self, exchange: Exchange) -> None:
        asked = exchange.body
        exchange.begin_stream()
        if asked.get('tools') and asked['messages'][-1]['role'] == 'user' and not any(
                message['role'] == 'tool' for message in asked['messages']):
            called = chunk('')
            called['message']['tool_calls'] = [
                {'function': {'name': name, 'arguments': arguments}} for name, arguments in CALLS]
            exchange.line(called)
        else:
            exchange.line(chunk(json.dumps(ANSWER)))
        exchange.line(chunk('', done=True, done_reason='stop'))


class Bench(Rig):
    """The nodes of hypothesis, memory and verifier, a robot in a room, and Nav2."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(blocks=[Block((4.0, 4.8), (2.6, 3.4))]),
                                        Pose2D(2.0, 3.0, 0.0), ()))
        self.nav2 = self.add(FakeNav2(self.robot, context))
        self.listen('hypothesis', 'observation', 'query', 'candidates')
        self._camera = self.peer.create_publisher(Image, 'camera/image_raw', qos.IMAGES)
        self.peer.create_timer(0.05, self._shoot)
        self._rgb = np.full((960, 1280, 3), 90, np.uint8)
        # Finer than the picture that is sent can show.
        self._rgb[:, ::4] = 255

    def _shoot(self) -> None:
        message = CvBridge().cv2_to_imgmsg(self._rgb, 'rgb8')
        message.header.stamp = to_stamp(read_clocks(self.peer).clock_ns)
        message.header.frame_id = 'camera'
        self._camera.publish(message)

    def up(self, base_url: str, **parameters: Any) -> Any:
        self.start(MemoryNode, embedder='hash',
                   memory_db=str(self.folder / 'memory.sqlite'))
        verifier = self.start(VerifierNode, **PATIENT)
        node = self.start(HypothesisNode, base_url=base_url, box_convention='permille',
                          request_log=False, journal_blobs=True, **parameters)
        self.until(lambda: verifier.core._surroundings.map is not None)
        self.statement('memory: store', 0, 'open')
        self.say(Belief('find the kettle', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '',
                        '', Budgets(0, 1, 0, 1, 0, 1, 0, 1)), goal=GOAL_ID)
        return node

    def look(self) -> Hypothesis:
        """Take a look; returns its hypothesis when the verifier has observed it."""
        self.say(Step(StepKind.LOOK, 'find the kettle', look=look_request()), goal=GOAL_ID)
        hypothesis = self.next(Hypothesis).body
        self.next(Observation)
        return hypothesis


    def until_something_is_remembered(self) -> None:
        """Take looks; the first ones may come before depth and pose."""
        for _ in range(20):
            self.look()
            if any(document.body.places_total for document in self.of(Candidates)):
                return
        raise AssertionError('no look was remembered')


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        running.answers['/api/show'] = show('vision', 'tools')
        running.on_chat(Model())
        yield running


def test_model_asks_memory_verifier_and_camera_and_then_answers(
        bench: Bench, server: FakeOllama, tmp_path: Path) -> None:
    node = bench.up(server.url, tool_rounds=1)
    bench.until_something_is_remembered()
    server.requests.clear()
    bench.documents.clear()
    hypothesis = bench.look()
    assert hypothesis.source is Source.MODEL

    first, second = (body for path, _, body in server.requests if path == '/api/chat')
    assert len(first['tools']) == 4 and 'tools' not in {
        key for key, value in second.items() if value}
    told = {message['tool_name']: json.loads(message['content'])
            for message in second['messages'] if message['role'] == 'tool'}
    assert told['recall_places']['places'][0]['summary'] == 'kitchen with kettle'
    assert told['check_reachable']['reachable'] is True
    assert told['check_reachable']['way_m'] == pytest.approx(1.5, abs=0.2)
    assert 'there is no tool navigate_to_pose' in told['unknown']['error']
    pictures = [image for message in second['messages'] for image in message.get('images') or ()]
    assert len(pictures) == 2
    sharp = np.asarray(PilImage.open(BytesIO(b64decode(pictures[1]))).convert('L'))
    blurred = np.asarray(PilImage.open(BytesIO(b64decode(pictures[0]))).convert('L'))
    assert sharp.std() > 2 * blurred.std()

    asked = [one.body.tool.value for one in bench.of(ToolQuery)]
    assert asked == ['recall_places', 'check_reachable']
    assert bench.nav2.asked == [] and bench.nav2.sent == [], 'nobody was sent anywhere'
    node.trigger_shutdown()
    (journal,) = tmp_path.glob('*/hypothesis.jsonl')
    assert all(step is None for step in replay(journal, 'hypothesis', tmp_path / 'blobs'))
