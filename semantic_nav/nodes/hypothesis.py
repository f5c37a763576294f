"""The hypothesis node: takes a picture for each look and asks the model about it."""

import os
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event as Flag
from typing import Any

from semantic_nav.contracts.core import Core, Effect, Event
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.parameters import build, parameter
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import parameters
from semantic_nav.nodes.ros.camera import Camera, Cameras
from semantic_nav.nodes.ros.camera_topics import CameraTopics, cameras_of
from semantic_nav.nodes.ros.clock import read_clocks
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.deadman import Deadman
from semantic_nav.nodes.ros.look_picture import LookPicture
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.ros.names import PREFIX, ros_home
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import (
    READS,
    RECORD_KINDS,
    WRITES,
    AskModel,
    CancelModel,
    CropPicture,
    LogUnsentPrompt,
    ModelFailed,
    ModelProbed,
    ModelProved,
    ModelReplied,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.picture import crop, prepare
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.question import question_of
from semantic_nav.vlm.providers.worker import ModelWorker
from semantic_nav.vlm.proving import prove
from semantic_nav.vlm.redaction import secrets_in
from semantic_nav.vlm.request_log.log import RequestLog
from semantic_nav.vlm.request_log.record import RequestRecorder
from semantic_nav.vlm.settings.environment import with_environment
from semantic_nav.vlm.settings.ollama_names import is_same_model

_REPORT_S = 1.0
#: Number of reports between two probes of a model that is missing, and of one that answered badly.
_PROBE_EVERY, _PROVE_EVERY = 10, 60
_MB = 1 << 20


@dataclass(frozen=True)
class HypothesisWiring:
    """Parameters of the node itself: topics of the cameras, and the request log."""

    camera_name: str = parameter(
        'camera', 'Name of the camera in looks and observations.')
    image_topic: str = parameter(
        'camera/image_raw', 'Camera topic: sensor_msgs/Image in any colour or grey encoding, or '
        'sensor_msgs/CompressedImage.')
    other_cameras: str = parameter(
        '', 'Names of further cameras, separated by commas, as in other_cameras of the '
        'verifier. The pictures of each come on NAME/image_raw. Empty: none.')
    request_log: bool = parameter(True, 'Keep a log of all requests to the model.')
    request_log_dir: str = parameter(
        '', 'Folder of the request log; empty: $ROS_HOME/semantic_nav/requests.')
    request_log_pictures: bool = parameter(
        False, 'Keep the pictures that were sent beside the request log.')
    request_log_mb: int = parameter(
        100, 'Largest size of the request logs in their folder, pictures included, in MB. The '
        'oldest are deleted first.', 1, 1000000)


class HypothesisNode(CoreNode):
    """Shell of the hypothesis core.

    Parameters: `HypothesisConfig`, `HypothesisWiring`, `ShellConfig`.
    Environment: values that `with_environment` takes for empty parameters, and the server's key.
    Subscribes: step, belief, candidates, observation, reply; a camera while its picture is wanted;
    verdict and alive/verifier, for `Deadman`.
    Publishes: look, hypothesis, query; look_picture while somebody listens; on diagnostics camera,
        model, proof, schema, circuit, context, tools, request_log, look.
    Talks to: a model server on this machine or one of `allowed_hosts`, over HTTP in the API of
        `vlm_backend`, from one worker thread. It probes the server at the start, after failures,
        and when the server is gone or back, which shows within some two seconds.
    Writes: a log of its requests to the model, from another thread.
    """

    config_class = HypothesisConfig
    reads = READS
    writes = WRITES
    record_kinds = RECORD_KINDS

    def __init__(self, **kwargs: Any) -> None:
        """Declare the parameters."""
        super().__init__('hypothesis', **kwargs)
        self.parameters.declare(HypothesisWiring)

    def read_config(self) -> HypothesisConfig:
        """Configuration from parameters and environment."""
        return build(HypothesisConfig, with_environment(
            parameters.values(self, HypothesisConfig), os.environ))

    def make_core(self, config: HypothesisConfig, session: str, seed: int) -> Core:
        """The core; also makes the objects that live as long as it."""
        self._wiring = parameters.read(self, HypothesisWiring)
        self._config = config
        self._provider = make_provider(config, os.environ)
        self._server = Server.of(config, os.environ)
        self._secrets = secrets_in(os.environ) | self._server.secrets
        self._question = partial(question_of, config=config, seed=seed)
        self._cameras = self._make_cameras(self._wiring, config)
        self._session = session
        return HypothesisCore(config, session, seed)

    def _make_cameras(self, wiring: HypothesisWiring, config: HypothesisConfig) -> Cameras:
        cameras = cameras_of(
            CameraTopics(wiring.camera_name, wiring.image_topic), wiring.other_cameras)
        return Cameras([Camera(self, camera.name, camera.image, self.feed,
                               lambda rgb, boxes: prepare(rgb, config, boxes),
                               partial(crop, config=config))
                        for camera in cameras], self.feed)

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        """Handlers of the effects of the core."""
        return {TakePicture: self._cameras.take, CropPicture: self._cameras.crop,
                AskModel: self._ask,
                CancelModel: lambda effect: self._worker.cancel(effect.request_id),
                LogUnsentPrompt: lambda effect: self._recorder.unsent(effect)}

    def activated(self) -> None:
        """Start the workers, and let one probe the model server."""
        Deadman(self)
        self._picture = self.undo_with(lambda picture: picture.close(), LookPicture(self))
        self._log = self._open_log()
        self._recorder = self._record()
        self._worker = ModelWorker(self._provider, self._question, self._config.warm_up,
                                   self._secrets, self._server.listens,
                                   self._prove if self._config.is_proved else None)
        self.undo_with(lambda worker: worker.close(), self._worker)
        self.undo_with(lambda cameras: cameras.close(), self._cameras)
        self._probed: ModelProbed | None = None
        self._answered_as = ''
        self._reports = 0
        self._probe()
        self.steady_timer(_REPORT_S, self._report)
        if self._config.vlm_backend == 'mock':
            self.diagnostics.report(
                'backend', Level.WARN,
                'vlm_backend is mock: replies come from a script, nothing is really seen')
        self._report()

    def _open_log(self) -> RequestLog | None:
        wiring = self._wiring
        if not wiring.request_log:
            return None
        folder = Path(wiring.request_log_dir).expanduser() if wiring.request_log_dir else (
            ros_home() / PREFIX / 'requests')
        log = RequestLog(folder, self._session, wiring.request_log_mb * _MB,
                         pictures=wiring.request_log_pictures, secrets=self._secrets)
        return self.undo_with(lambda log: log.close(), log)

    def _record(self) -> RequestRecorder:
        write = self._log.write if self._log is not None else lambda record, jpeg: None
        recorder = RequestRecorder(self._config, write, lambda: str(uuid.uuid4()))
        return self.undo_with(lambda recorder: recorder.close(), recorder)

    def _ask(self, effect: AskModel) -> None:
        self._recorder.asked(effect, read_clocks(self))
        self._worker.submit(effect, self.post)

    def feed(self, event: Event) -> None:
        """Feed the core; probe the model server again when the model failed."""
        if self.active and isinstance(event, ModelReplied | ModelFailed):
            self._recorder.answered(event, read_clocks(self))
        if self.active and isinstance(event, PictureTaken):
            self._picture.taken(event)
        super().feed(event)
        if isinstance(event, ModelReplied):
            self._name(event.answered_as)
        if isinstance(event, ModelProbed):
            self._probed = event
            self._recorder.probed(event)
            if self.active:
                self._report_model(event)
        if self.active and isinstance(event, ModelFailed) and event.tells_of_model:
            self._probe()

    def _name(self, answered_as: str) -> None:
        """Note the name under which the server answers: servers rename models."""
        probed = self._probed
        asked = probed.model if probed is not None and probed.ok else self._config.model
        other = '' if is_same_model(answered_as, asked) else answered_as
        if other and other != self._answered_as:
            self.get_logger().info(
                f'{self._config.base_url} answers as {other}, not as {asked}')
        self._answered_as = other

    def published(self, document: Document) -> None:
        """Follow a look to its end, for the request log and the look picture."""
        self._recorder.published(document, read_clocks(self))
        self._picture.follow(document)

    def _probe(self) -> None:
        self._worker.probe(self.post)

    def _report(self) -> None:
        """Report the camera, the model and the request log."""
        topic = self.resolve_topic_name(self._wiring.image_topic)
        absent, misfits = self._cameras.absent, self._cameras.misfits
        if misfits:
            self.diagnostics.report('camera', Level.ERROR, misfits)
        elif absent:
            self.diagnostics.report('camera', Level.WARN, 'waiting for camera '
                                    + ', '.join(camera.topic for camera in absent))
        else:
            self.diagnostics.report('camera', Level.OK, f'pictures are offered on {topic}')
        probed = self._probed
        if probed is None:
            self.diagnostics.report('model', Level.WARN, f'looking for {self._config.model}')
        else:
            self._report_model(probed)
        self._report_log()
        self._reports += 1
        if probed is not None and (
                not probed.ok and self._reports % _PROBE_EVERY == 0
                or not self._worker.is_proved and self._reports % _PROVE_EVERY == 0):
            self._probe()

    def _prove(self, found: ModelProbed, cancelled: Flag) -> ModelProved:
        proof = prove(self._config, self._provider, found, cancelled, self._secrets)
        return ModelProved(proof.ok, '; '.join((proof.words, *proof.notes)), proof.doubted)

    def _report_model(self, probed: ModelProbed) -> None:
        level = Level.ERROR if not probed.ok else Level.WARN if probed.notes else Level.OK
        named = (f'answers as {self._answered_as}',) if self._answered_as else ()
        self.diagnostics.report(
            'model', level, '; '.join((probed.message, *probed.notes, *named)),
            digest=probed.digest, vision=probed.vision, tools=probed.tools,
            window_tokens=probed.window_tokens, on_gpu=probed.on_gpu,
            offered='\n'.join(probed.offered))

    def _report_log(self) -> None:
        log = self._log
        if log is None:
            return
        level, text = (Level.WARN, log.failure) if log.failure else (
            Level.OK, 'requests are logged')
        self.diagnostics.report('request_log', level, text, dropped=log.dropped)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run(HypothesisNode, args)


if __name__ == '__main__':
    sys.exit(main())
