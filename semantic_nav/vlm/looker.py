"""Looks at single pictures without ROS, by the rules of the hypothesis node."""

import time
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event as Flag
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import DocumentReceived, Event, Output, Report, Ticking
from semantic_nav.contracts.documents import (
    Document,
    Hypothesis,
    LookRequest,
    Step,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.errors import ModelUnavailable
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Level, Source, Status, StepKind
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import (
    AskModel,
    CropPicture,
    LogUnsentPrompt,
    ModelFailed,
    ModelProbed,
    ModelReplied,
    PictureCropped,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.picture import crop, prepare
from semantic_nav.vlm.prompt.manifest import Manifest
from semantic_nav.vlm.providers.caller import Caller
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.providers.question import question_of

#: Shape (height, width, 3), red first.
Rgb = NDArray[np.uint8]

SESSION = 'vlm'
#: Goal for the built-in picture.
EXAMPLE_GOAL = 'find the red mug'
_EXAMPLE_PX = (640, 480)
#: Box of the mug in it, in per mille: left, top, right and bottom edge. It lies off the diagonal,
#: so that a box with its axes exchanged lies elsewhere.
EXAMPLE_BOX: Final = (250.0, 466.7, 384.4, 629.2)
#: Error for a model that asks memory or verifier.
NOT_HERE = 'there is neither a memory nor a map here'
#: Subjects of the core's reports that belong to a look.
_TOLD = ('context', 'schema', 'tools')
#: Largest value of circuit_failures, so that each picture is tried in spite of earlier failures.
_NEVER_OPENS = 100


@dataclass(frozen=True)
class Seen:
    """The result of one look.

    Attributes:
        hypothesis: hypothesis as the node would publish it; the fallback's if the model gave none.
        manifest: manifest of the last prompt, whether it was sent or refused for its length.
        requests: calls, in order; empty if nothing was sent.
        results: results of the calls.
        warnings: warnings of the core on the context window, the schema and the tools.
        boxes: box convention that the model was asked for.
        sent_px: width and height of the picture that was sent.
    """

    hypothesis: Hypothesis
    manifest: Manifest
    requests: tuple[AskModel, ...]
    results: tuple[ModelReplied | ModelFailed, ...]
    warnings: tuple[str, ...]
    boxes: BoxConvention
    sent_px: tuple[int, int]

    @property
    def valid(self) -> bool:
        """Tell whether the hypothesis is the model's own."""
        return self.hypothesis.source is Source.MODEL

    @property
    def replies(self) -> list[ModelReplied]:
        """Results of the calls that the model answered."""
        return [result for result in self.results if isinstance(result, ModelReplied)]

    @property
    def failure(self) -> str:
        """Reason why no call brought a reply, in words; empty if one did."""
        if self.replies:
            return ''
        last = self.results[-1] if self.results else None
        return last.message if isinstance(last, ModelFailed) else self.hypothesis.meta.vlm_error


class Looker:
    """A shell of the hypothesis core without ROS: core, calls and provider are those of the node.

    Each look belongs to a goal of its own, so that looks are independent.
    """

    def __init__(self, config: HypothesisConfig, provider: Provider, deadline_s: float,
                 secrets: Collection[str] = (), cancelled: Flag | None = None,
                 seed: int = 0) -> None:
        """Prepare the core; nothing is sent yet.

        Args:
            config: parameters of the hypothesis node.
            provider: provider of the model.
            deadline_s: time for a look, all its calls together.
            secrets: words that are hidden where a server repeats them.
            cancelled: flag that breaks the running call off.
            seed: seed of the model's sampling.
        """
        self._config = replace(config, circuit_failures=_NEVER_OPENS)
        self._deadline_s = deadline_s
        self._provider = provider
        self._core = HypothesisCore(self._config, SESSION, seed)
        self._goals = Ids('goal', SESSION)
        self._reports: dict[str, Report] = {}
        self._cancelled = cancelled or Flag()
        self._caller = Caller(
            provider, partial(question_of, config=self._config, seed=seed), secrets)

    def ready(self) -> ModelProbed:
        """Probe the server and have the model loaded; returns the findings.

        Raises:
            ModelUnavailable: a question would not be answered.
            Errors of `Provider.warm_up`.
        """
        found = self._probe()
        if self._config.warm_up and found.on_gpu is None and self._provider.warm_up(
                found, self._cancelled):
            found = self._probe()
        self.take(found)
        return found

    def take(self, found: ModelProbed) -> None:
        """Take note of a probe's findings."""
        self._feed(found)

    def _probe(self) -> ModelProbed:
        found = self._provider.probe(self._cancelled)
        if not found.ok:
            raise ModelUnavailable(found.message)
        return found

    def look(self, rgb: Rgb, goal: str) -> Seen:
        """Look at a picture for a goal, with all retries of the node."""
        request = LookRequest(self._deadline_s, inform=False, confirm=False, fallback_only=False,
                              belief_target_status=Status.SEARCHING, last_refusal=None)
        step = Step(StepKind.LOOK, goal, request)
        goal_id = self._goals.mint()
        requests: list[AskModel] = []
        results: list[ModelReplied | ModelFailed] = []
        manifest, boxes, sent_px = Manifest(), BoxConvention.PERMILLE, (0, 0)
        waiting = deque(self._feed(DocumentReceived(
            Document(f'step-{goal_id}', goal_id, goal_id, 0, '', step))))
        while waiting:
            output = waiting.popleft()
            if isinstance(output, TakePicture):
                boxes = output.boxes
                picture = prepare(rgb, self._config, boxes)
                sent_px = (picture.sent_width_px, picture.sent_height_px)
                waiting += self._feed(PictureTaken(
                    output.request_id, 0, '', picture.jpeg, picture.width_px, picture.height_px,
                    *sent_px))
            elif isinstance(output, AskModel):
                manifest = output.prompt.manifest
                requests.append(output)
                results.append(self.ask(output))
                waiting += self._feed(results[-1])
            elif isinstance(output, CropPicture):
                part = crop(rgb, output.box, self._config)
                waiting += self._feed(PictureCropped(
                    output.request_id, part.jpeg, part.sent_width_px, part.sent_height_px))
            elif isinstance(output, Document) and isinstance(output.body, ToolQuery):
                waiting += self._feed(DocumentReceived(Document(
                    f'reply-{output.id}', output.id, goal_id, 0, '',
                    ToolReply(output.body.tool, NOT_HERE))))
            elif isinstance(output, LogUnsentPrompt):
                manifest = output.manifest
            elif isinstance(output, Document) and isinstance(output.body, Hypothesis):
                warnings = tuple(report.text for report in self._reports.values()
                                 if report.level is not Level.OK)
                return Seen(output.body, manifest, tuple(requests), tuple(results), warnings,
                            boxes, sent_px)
        raise AssertionError('the core ended a look without a hypothesis')

    def ask(self, request: AskModel) -> ModelReplied | ModelFailed:
        """Send a request unchanged, past the core and its budget; returns its result."""
        return self._caller.call(request, request.deadline_s, self._cancelled)

    def _feed(self, event: Event) -> Sequence[Output]:
        # One clock is enough, as nothing here has an age on another.
        now_ns = time.monotonic_ns()
        outputs = self._core.handle(event, Now(now_ns, now_ns, now_ns))
        self._reports |= {report.subject: report for report in outputs
                          if isinstance(report, Report) and report.subject in _TOLD}
        return [output for output in outputs if not isinstance(output, Report | Ticking)]


def example_picture() -> Rgb:
    """The built-in picture: a drawing of a red mug on a table."""
    image = Image.new('RGB', _EXAMPLE_PX, (214, 208, 196))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 400, 640, 480), fill=(120, 96, 72))
    draw.rectangle((120, 300, 540, 330), fill=(150, 104, 60))
    for left in (140, 500):
        draw.rectangle((left, 330, left + 20, 450), fill=(130, 90, 50))
    draw.ellipse((206, 244, 246, 288), outline=(196, 30, 30), width=8)
    draw.rounded_rectangle((160, 232, 220, 302), 8, fill=(196, 30, 30))
    draw.ellipse((160, 224, 220, 242), fill=(150, 16, 16))
    return np.asarray(image)
