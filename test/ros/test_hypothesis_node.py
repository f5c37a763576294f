"""The hypothesis node with real topics, a fake camera and a fake model server."""

import json
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from apis import OpenAIApi
from cv_bridge import CvBridge
from diagnostic_msgs.msg import DiagnosticArray
from executors import destroy
from fake_ollama import Exchange, FakeOllama, chunk, fake_ollama, show, status, streamed
from numpy.typing import NDArray
from PIL import Image as PilImage
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import CompressedImage, Image, PointCloud2
from std_msgs.msg import String
from stranger import stranger

from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import Document, Hypothesis, Look, LookRequest, Step
from semantic_nav.contracts.vocabulary import Source, Status, StepKind
from semantic_nav.nodes.hypothesis import HypothesisNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.clock import read_clocks, to_stamp
from semantic_nav.vlm.content import fingerprint

PATIENCE_S = 90.0
GOOD = json.dumps({
    'action': 'approach', 'target_status': 'visible', 'confidence_percent': 80,
    'target_box': [259, 196, 518, 392], 'scene': {'place': 'kitchen', 'objects': []},
    'rationale': 'a red mug'})


def shown() -> NDArray[np.uint8]:
    """Return what the camera in front shows."""
    rgb = np.full((480, 640, 3), 90, np.uint8)
    rgb[:, :320] = (200, 30, 30)
    return rgb


class Rig:
    """The node under test and a peer that plays belief and camera."""

    def __init__(self, context: Context, folder: Path) -> None:
        self.context = context
        self.folder = folder
        self.executor = make_executor(context)
        self.peer = Node('peer', context=context, namespace='robot')
        self.executor.add_node(self.peer)
        self.node: HypothesisNode | None = None
        self.documents: list[Document] = []
        self.statements: dict[str, tuple[int, str]] = {}
        self.steps = self.peer.create_publisher(String, 'semantic_nav/step', qos.EVENTS)
        self.camera = self.peer.create_publisher(Image, 'front/image', qos.IMAGES)
        self.left = self.peer.create_publisher(Image, 'left/image_raw', qos.IMAGES)
        for schema in ('look', 'hypothesis'):
            self.peer.create_subscription(
                String, f'semantic_nav/{schema}',
                lambda message, schema=schema: self.documents.append(
                    decode_document(message.data, schema)), qos.EVENTS)
        self.peer.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics,
                                      qos.EVENTS)
        self.encoding = 'rgb8'
        self.age_s = 0.0
        self._pictures: Any = None

    def start(self, base_url: str, **parameters: Any) -> HypothesisNode:
        # The question at the start would be one more than those that are counted here.
        overrides = {'warm_up': False, 'base_url': base_url, 'image_topic': 'front/image',
                     'camera_name': 'front', 'picture_timeout_s': 20.0,
                     'journal_dir': str(self.folder),
                     'request_log_dir': str(self.folder / 'requests'), **parameters}
        self.node = HypothesisNode(
            context=self.context, namespace='robot',
            parameter_overrides=[Parameter(name, value=value)
                                 for name, value in overrides.items()])
        self.executor.add_node(self.node)
        if self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.node.trigger_activate()
            self.until(lambda: self.steps.get_subscription_count() == 1)
        return self.node

    def run_camera(self) -> None:
        self._pictures = self.peer.create_timer(0.02, self._shoot)

    def _shoot(self) -> None:
        rgb = shown()
        array = {'rgb8': rgb, 'bgr8': rgb[..., ::-1], '16UC1': rgb[..., 0].astype(np.uint16)}
        message = CvBridge().cv2_to_imgmsg(np.ascontiguousarray(array[self.encoding]),
                                           self.encoding)
        now = read_clocks(self.peer).clock_ns
        message.header.stamp = to_stamp(now - int(self.age_s * 1e9))
        message.header.frame_id = 'camera_optical'
        self.camera.publish(message)

    def look(self, goal: str = 'belief-s-1', **request: Any) -> int:
        """Publish a look step and return its stamp."""
        fields = {'deadline_s': 20.0, 'inform': False, 'confirm': False, 'fallback_only': False,
                  'belief_target_status': Status.SEARCHING, 'last_refusal': None, **request}
        return self.step(Step(StepKind.LOOK, 'find the red mug', LookRequest(**fields)), goal)

    def step(self, step: Step, goal: str = 'belief-s-1') -> int:
        stamp = read_clocks(self.peer).clock_ns
        self.steps.publish(String(data=encode_document(
            Document(f'belief-s-{stamp}', '', goal, stamp, '', step))))
        return stamp

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, 'waited too long'
            self.executor.spin_once(timeout_sec=0.05)

    def next_document(self, kind: type) -> Document:
        found: list[Document] = []

        def look_for() -> bool:
            found.extend(one for one in self.documents if isinstance(one.body, kind))
            return bool(found)

        self.until(look_for)
        self.documents.remove(found[0])
        return found[0]

    def statement(self, name: str, level: int, word: str) -> None:
        self.until(lambda: name in self.statements and self.statements[name][0] == level
                   and word in self.statements[name][1])

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for one in message.status:
            self.statements[one.name.removeprefix('robot/hypothesis: ')] = (
                one.level[0], one.message)

    def close(self) -> None:
        if self.node is not None:
            self.node.trigger_shutdown()
        self.executor.shutdown()
        if self.node is not None:
            destroy(self.node)
        self.peer.destroy_node()


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    rig = Rig(context, tmp_path)
    yield rig
    rig.close()
    rclpy.shutdown(context=context)


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        running.answers['/api/show'] = show('vision')
        yield running


def hypothesis_of(document: Document) -> Hypothesis:
    assert isinstance(document.body, Hypothesis)
    return document.body


@pytest.mark.parametrize('encoding', ['rgb8', 'bgr8'])
def test_a_look_becomes_a_hypothesis(rig: Rig, server: FakeOllama, encoding: str) -> None:
    server.on_chat(streamed(GOOD))
    rig.start(server.url, warm_up=True)
    rig.encoding = encoding
    rig.run_camera()
    stamp = rig.look()
    look = rig.next_document(Look)
    assert look.body == Look(True, '', 640, 480, camera='front', fingerprint=fingerprint(shown()))
    assert look.frame_id == 'camera_optical'
    assert look.stamp_ns > stamp
    document = rig.next_document(Hypothesis)
    hypothesis = hypothesis_of(document)
    assert hypothesis.source is Source.MODEL
    assert hypothesis.hypothesis.target_box == pytest.approx((250, 250, 500, 500))
    assert (document.cause_id, document.stamp_ns) == (look.id, look.stamp_ns)
    # After an answer to a look no other question is asked.
    *_, body = [body for path, _, body in server.requests if path == '/api/chat']
    assert 'find the red mug' in body['messages'][1]['content']
    sent = PilImage.open(BytesIO(b64decode(body['messages'][1]['images'][0])))
    assert sent.size == (1036, 784)
    red, green, blue = sent.getpixel((100, 100))
    assert red > 150 > green
    assert blue < 80
    # The model is loaded with the window that it is asked with.
    rig.until(lambda: bool(server.loads))
    asked_with = body['options']['num_ctx']
    assert all(load['options'] == {'num_ctx': asked_with} for load in server.loads)
    # Nothing is listened to while nothing is wanted.
    rig.until(lambda: rig.camera.get_subscription_count() == 0)
    rig.statement('model', 0, 'qwen2.5vl:7b')
    rig.statement('camera', 0, '/robot/front/image')
    rig.statement('look', 0, 'answered by the model')
    rig.statement('request_log', 0, 'requests are logged')


@pytest.fixture
def camera(ros_domain: int) -> Iterator[Node]:
    with stranger(ros_domain) as node:
        yield node


def test_type_of_a_topic_is_the_one_that_is_published(rig: Rig, server: FakeOllama,
                                                      camera: Node) -> None:
    """Names tell little: image_compressed is compressed, and image/compressed may be raw."""
    server.on_chat(streamed(GOOD))
    rig.start(server.url, image_topic='front/image/compressed')
    rig.camera = camera.create_publisher(Image, 'front/image/compressed', qos.IMAGES)
    rig.run_camera()
    rig.look()
    look = rig.next_document(Look).body
    assert isinstance(look, Look) and look.taken, look


def test_topic_of_something_else_than_pictures_is_named(rig: Rig, server: FakeOllama,
                                                        camera: Node) -> None:
    rig.start(server.url, image_topic='front/points', picture_timeout_s=0.5)
    points = camera.create_publisher(PointCloud2, 'front/points', qos.IMAGES)
    words = '/robot/front/points comes as sensor_msgs/msg/PointCloud2 of stranger'
    rig.statement('camera', 2, words)
    rig.look()
    look = rig.next_document(Look).body
    assert isinstance(look, Look) and not look.taken and words in look.reason
    camera.destroy_publisher(points)


@pytest.mark.parametrize('kind', ['jpeg', 'png'])
@pytest.mark.parametrize('topic', ['front/image/compressed', 'front/image_compressed'])
def test_a_compressed_picture_is_one_too(rig: Rig, server: FakeOllama, camera: Node, kind: str,
                                         topic: str) -> None:
    server.on_chat(streamed(GOOD))
    rig.start(server.url, image_topic=topic)
    publisher = camera.create_publisher(CompressedImage, topic, qos.IMAGES)
    packed = BytesIO()
    PilImage.new('RGB', (640, 480), (200, 30, 30)).save(packed, kind)

    def shoot() -> None:
        message = CompressedImage(format=f'rgb8; {kind} compressed bgr8', data=packed.getvalue())
        message.header.stamp = rig.peer.get_clock().now().to_msg()
        message.header.frame_id = 'camera_optical'
        publisher.publish(message)

    rig.peer.create_timer(0.02, shoot)
    rig.look()
    assert rig.next_document(Look).body == Look(True, '', 640, 480, camera='front')
    assert hypothesis_of(rig.next_document(Hypothesis)).source is Source.MODEL
    [body] = [body for path, _, body in server.requests if path == '/api/chat']
    sent = PilImage.open(BytesIO(b64decode(body['messages'][1]['images'][0])))
    red, green, blue = sent.getpixel((500, 400))
    assert red > 150 and max(green, blue) < 80
    packed.truncate(200)
    rig.look(deadline_s=6.0)
    look = rig.next_document(Look).body
    assert isinstance(look, Look)
    assert not look.taken and f'{kind} compressed' in look.reason


def test_a_look_goes_through_the_camera_that_is_named(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD))
    rig.start(server.url, other_cameras='left, right')
    rig.run_camera()

    def shoot_left() -> None:
        message = CvBridge().cv2_to_imgmsg(np.full((240, 320, 3), 90, np.uint8), 'rgb8')
        message.header.stamp = to_stamp(read_clocks(rig.peer).clock_ns)
        message.header.frame_id = 'left_optical'
        rig.left.publish(message)

    rig.peer.create_timer(0.02, shoot_left)
    rig.look(camera='left')
    look = rig.next_document(Look)
    assert (look.body, look.frame_id) == (Look(True, '', 320, 240, camera='left'), 'left_optical')
    assert rig.next_document(Hypothesis).cause_id == look.id
    rig.look()
    look = rig.next_document(Look)
    assert (look.body, look.frame_id) == (
        Look(True, '', 640, 480, camera='front', fingerprint=fingerprint(shown())),
        'camera_optical')
    rig.look(camera='rear')
    assert rig.next_document(Look).body == Look(
        False, "there is no camera 'rear', only front, left, right", camera='rear')
    # Of all cameras nobody publishes one.
    rig.statement('camera', 1, '/robot/right/image_raw')
    assert '/robot/left' not in rig.statements['camera'][1]


@pytest.mark.parametrize('names', ['front', 'left,left', 'left,', 'my left', '/left', '1'])
def test_other_cameras_with_names_that_are_none_are_refused(rig: Rig, server: FakeOllama,
                                                            names: str) -> None:
    node = rig.start(server.url, other_cameras=names)
    assert node.core is None


def test_the_model_is_asked_once_at_the_start_and_badly_answered_is_told(
        rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD.replace('approach', 'fly')))
    rig.start(server.url, warm_up=True)
    rig.statement('proof', 2, 'no reply passes')
    server.on_chat(streamed(GOOD))
    rig.run_camera()
    rig.look()
    rig.statement('proof', 0, 'a look was answered by the schema')


def test_a_model_that_answers_at_the_start_is_proved(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD))
    rig.start(server.url, warm_up=True)
    rig.statement('proof', 0, 'answered a look by the schema')
    assert rig.node.core._looks == [], 'it is no look of the core'


def test_a_model_that_gets_no_picture_stays_unproved(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD))
    server.counts = (600, 600)
    rig.start(server.url, warm_up=True)
    rig.statement('proof', 1, 'the picture never reached qwen2.5vl:7b')
    rig.run_camera()
    rig.look()
    rig.statement('look', 0, 'answered by the model')
    rig.statement('proof', 1, 'the picture never reached qwen2.5vl:7b')


def test_without_a_model_the_fallback_answers(rig: Rig, free_port: int) -> None:
    rig.start(f'http://127.0.0.1:{free_port}')
    rig.run_camera()
    rig.look()
    hypothesis = hypothesis_of(rig.next_document(Hypothesis))
    assert hypothesis.source is Source.FALLBACK
    assert hypothesis.meta.vlm_error == 'connection_failed'
    rig.statement('model', 2, 'is it running?')
    rig.statement('look', 1, 'connection_failed')


def test_a_model_that_keeps_failing_is_left_alone(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(status(503, 'busy'))
    rig.start(server.url, circuit_failures=2)
    rig.run_camera()
    rig.statement('circuit', 0, 'the model is asked')
    errors = []
    for _ in range(3):
        rig.look()
        errors.append(hypothesis_of(rig.next_document(Hypothesis)).meta.vlm_error)
    assert errors == ['ollama_error:busy', 'ollama_error:busy', 'circuit_open']
    assert [path for path, _, _ in server.requests].count('/api/chat') == 2
    rig.statement('circuit', 1, 'the model failed 2 times in a row (ollama_error:busy)')


def test_a_model_that_is_not_there_is_looked_for_again(rig: Rig, server: FakeOllama) -> None:
    server.answers['/api/show'] = status(404, 'model not found')
    server.on_chat(status(404, 'model not found'))
    rig.start(server.url)
    rig.statement('model', 2, 'ollama pull qwen2.5vl:7b')
    server.answers['/api/show'] = show('vision')
    rig.run_camera()
    rig.look()
    assert hypothesis_of(rig.next_document(Hypothesis)).meta.vlm_error.startswith('ollama_error')
    rig.statement('model', 0, 'qwen2.5vl:7b')


def test_a_server_that_goes_and_comes_back_is_told_without_any_look(rig: Rig) -> None:
    with fake_ollama() as server:
        server.answers['/api/show'] = show('vision')
        server.on_chat(streamed('ready'))
        rig.start(server.url)
        rig.statement('model', 0, 'qwen2.5vl:7b')
        server.shutdown()
        server.socket.close()
        rig.statement('model', 2, 'is it running?')
        with FakeOllama(server.server_address[1]) as back:
            back.answers['/api/show'] = show('vision')
            back.on_chat(streamed('ready'))
            threading.Thread(target=back.serve_forever, daemon=True).start()
            rig.statement('model', 0, 'qwen2.5vl:7b')
            back.shutdown()


def test_a_server_that_answers_under_another_name_is_told(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD))
    rig.start(server.url)
    rig.run_camera()
    rig.look()
    assert hypothesis_of(rig.next_document(Hypothesis)).source is Source.MODEL
    rig.statement('model', 0, 'answers as m')


def test_a_reply_from_another_machine_counts_for_nothing(rig: Rig, server: FakeOllama) -> None:
    def elsewhere(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.line(chunk(GOOD, done=True, remote_host='elsewhere'))

    server.on_chat(elsewhere)
    rig.start(server.url)
    rig.run_camera()
    for _ in range(2):
        rig.look()
        assert hypothesis_of(rig.next_document(Hypothesis)).meta.vlm_error == 'remote_model'
    assert [path for path, _, _ in server.requests].count('/api/chat') == 1
    rig.statement('model', 2, 'runs on elsewhere')


def test_without_a_camera_the_look_fails(rig: Rig, server: FakeOllama) -> None:
    rig.peer.destroy_publisher(rig.camera)
    rig.start(server.url, picture_timeout_s=0.2)
    rig.statement('camera', 1, 'waiting for camera /robot/front/image')
    rig.look()
    look = rig.next_document(Look).body
    assert isinstance(look, Look)
    assert not look.taken
    assert look.reason == ('no picture came on /robot/front/image within 0.2 s: nobody publishes '
                           '/robot/front/image')


def test_a_picture_from_before_the_step_does_not_count(rig: Rig, server: FakeOllama) -> None:
    rig.start(server.url, picture_timeout_s=1.0)
    rig.age_s = 5.0
    rig.run_camera()
    reason = 'no picture came'
    # As long as the node has not found the camera.
    while 'no picture came' in reason:
        rig.look()
        look = rig.next_document(Look).body
        assert isinstance(look, Look)
        assert not look.taken
        reason = look.reason
    assert 'older than asked for' in reason


def test_a_picture_that_cannot_be_converted_fails_the_look(rig: Rig, server: FakeOllama) -> None:
    rig.start(server.url)
    rig.encoding = '16UC1'
    rig.run_camera()
    rig.look(deadline_s=6.0)
    look = rig.next_document(Look).body
    assert isinstance(look, Look)
    assert not look.taken
    assert '16UC1' in look.reason


def test_a_stop_breaks_the_call_off(rig: Rig, server: FakeOllama) -> None:
    def drip(exchange: Any) -> None:
        exchange.begin_stream()
        while not server.release.wait(0.01):
            exchange.line({'message': {'role': 'assistant', 'content': ' '}, 'done': False})

    server.on_chat(drip)
    rig.start(server.url)
    rig.run_camera()
    rig.look()
    rig.next_document(Look)
    rig.until(lambda: any(path == '/api/chat' for path, _, _ in server.requests))
    rig.step(Step(StepKind.STOP, 'find the red mug'))
    rig.until(server.broken_off.is_set)
    server.on_chat(streamed(GOOD))
    rig.look()
    assert hypothesis_of(rig.next_document(Hypothesis)).source is Source.MODEL
    assert not [one for one in rig.documents if isinstance(one.body, Hypothesis)]


def test_the_mock_backend_never_passes_for_a_model(rig: Rig) -> None:
    rig.start('http://localhost:11434', vlm_backend='mock')
    rig.run_camera()
    rig.look()
    hypothesis = hypothesis_of(rig.next_document(Hypothesis))
    assert hypothesis.meta.vlm_backend == 'mock'
    rig.statement('backend', 1, 'vlm_backend is mock')


def requests(rig: Rig) -> list[dict[str, Any]]:
    """Return the lines of the request log; it is complete once the node is inactive."""
    return [json.loads(line) for path in sorted((rig.folder / 'requests').glob('*.jsonl'))
            for line in path.read_text().splitlines()]


def test_every_request_is_logged(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed('no JSON'))
    node = rig.start(server.url, request_log_pictures=True)
    rig.run_camera()
    rig.look()
    meta = hypothesis_of(rig.next_document(Hypothesis)).meta
    node.trigger_deactivate()
    first, second = requests(rig)
    for line in (first, second):
        assert line['reply'] == 'no JSON'
        assert line['meta']['vlm_retry_count'] == 1
        assert line['prompt_tokens'] == 1700
        assert line['estimated_tokens'] == line['manifest']['estimated_tokens'] > 1700
        assert line['total_ms'] >= line['latency_ms'] > 0
        assert line['image_sha256'] == meta.image_sha256
    assert first['prompt_sha256'] == first['manifest']['sha256']
    assert second['prompt_sha256'] == meta.prompt_sha256
    [picture] = (rig.folder / 'requests' / 'requests-pictures').iterdir()
    assert picture.stem == meta.image_sha256
    assert PilImage.open(picture).size == (1036, 784)


def test_a_failed_request_is_logged_with_its_stack(rig: Rig, free_port: int) -> None:
    node = rig.start(f'http://127.0.0.1:{free_port}')
    rig.run_camera()
    rig.look()
    rig.next_document(Hypothesis)
    node.trigger_deactivate()
    first, again = requests(rig)
    for line in (first, again):
        assert line['error']['code'] == 'connection_failed'
        assert 'ConnectionFailed' in line['error']['stack']


def test_a_key_that_the_server_repeats_is_written_nowhere(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(status(401, 'no entry with gate-key-seven'))
    file = rig.folder / 'headers'
    file.write_text('X-Gate: gate-key-seven')
    node = rig.start(server.url, extra_headers_file=str(file))
    rig.run_camera()
    rig.look()
    hypothesis = hypothesis_of(rig.next_document(Hypothesis))
    assert hypothesis.meta.vlm_error == 'ollama_error:no entry with ***'
    node.trigger_deactivate()
    [line] = requests(rig)
    assert line['error']['code'] == 'ollama_error:no entry with ***'
    written = list(rig.folder.rglob('*.jsonl'))
    assert len(written) == 2, 'the request log and the journal'
    assert not any('gate-key-seven' in path.read_text() for path in written)


def test_a_prompt_beyond_the_window_is_refused_and_logged(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD))
    node = rig.start(server.url, num_ctx=2048)
    rig.statement('context', 1, 'num_ctx limits the context to 2048 tokens')
    rig.run_camera()
    rig.look()
    hypothesis = hypothesis_of(rig.next_document(Hypothesis))
    assert hypothesis.source is Source.FALLBACK
    assert hypothesis.meta.vlm_error.startswith('over_budget')
    rig.statement('context', 2, 'raise num_ctx')
    assert [path for path, _, _ in server.requests if path == '/api/chat'] == []
    node.trigger_deactivate()
    [line] = requests(rig)
    assert line['error']['code'] == 'over_budget'
    assert line['manifest']['within_budget'] is False


def test_a_prompt_that_the_server_cut_is_told(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD, prompt_tokens=300))
    rig.start(server.url)
    rig.statement('context', 0, 'prompts fit')
    rig.run_camera()
    rig.look()
    rig.next_document(Hypothesis)
    rig.statement('context', 1, 'it counted 300 tokens')


def test_without_a_log_nothing_is_written(rig: Rig, server: FakeOllama) -> None:
    server.on_chat(streamed(GOOD))
    node = rig.start(server.url, request_log=False)
    rig.run_camera()
    rig.look()
    rig.next_document(Hypothesis)
    node.trigger_deactivate()
    assert not (rig.folder / 'requests').exists()


def test_the_environment_chooses_where_no_parameter_does(
        rig: Rig, server: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    api = OpenAIApi()
    monkeypatch.setenv('VLM_BACKEND', 'OpenAI')
    monkeypatch.setenv('OPENAI_BASE_URL', f'{server.url}/v1')
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-secret')
    server.answers = {api.path: api.said(GOOD), '/v1/models': lambda exchange: exchange.send(
        200, b'{"data": [{"id": "Qwen/Qwen2.5-VL-7B-Instruct", "max_model_len": 16384}]}')}
    node = rig.start('')
    rig.run_camera()
    rig.look()
    hypothesis = hypothesis_of(rig.next_document(Hypothesis))
    assert hypothesis.source is Source.MODEL
    assert hypothesis.meta.vlm_backend == 'openai'
    rig.statement('model', 0, f'Qwen/Qwen2.5-VL-7B-Instruct at {server.url}')
    [(headers, _)] = api.asks(server)
    assert headers['authorization'] == 'Bearer sk-secret'
    node.trigger_deactivate()
    written = [path.read_text() for path in rig.folder.rglob('*.jsonl')]
    assert any('"ModelProbed"' in text and '"openai"' in text for text in written)
    assert not any('sk-secret' in text for text in written)


@pytest.mark.parametrize(('name', 'value'), [
    ('base_url', 'http://192.168.1.5:11434'), ('model', 'qwen3-vl:cloud'),
    ('allowed_hosts', '*'), ('api_key_file', '/nowhere'), ('mock_script', '/nowhere.jsonl'),
    ('temperature', 7.0)])
def test_a_wrong_parameter_keeps_the_node_from_starting(rig: Rig, name: str, value: Any) -> None:
    backend = {'mock_script': 'mock', 'api_key_file': 'openai'}.get(name, 'ollama')
    node = rig.start(**{'base_url': 'http://localhost:11434', 'vlm_backend': backend, name: value})
    assert not node.active


def test_it_can_be_deactivated_in_the_middle_and_activated_again(rig: Rig,
                                                                 server: FakeOllama) -> None:
    server.on_chat(lambda exchange: server.release.wait(PATIENCE_S))
    node = rig.start(server.url)
    rig.run_camera()
    rig.look()
    rig.until(lambda: any(path == '/api/chat' for path, _, _ in server.requests))
    node.trigger_deactivate()
    server.on_chat(streamed(GOOD))
    node.trigger_activate()
    rig.until(lambda: rig.steps.get_subscription_count() == 1)
    rig.look()
    assert hypothesis_of(rig.next_document(Hypothesis)).source is Source.MODEL
