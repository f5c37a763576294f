"""The hypothesis core: a look step becomes a picture, a question to the model, and one answer."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.core import (
    Dispatch,
    Effect,
    Event,
    Output,
    StandingEffects,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import (
    Belief,
    Body,
    Candidates,
    Document,
    Hypothesis,
    Look,
    LookRequest,
    Observation,
    Step,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.goal_in_hand import GoalChange, GoalInHand
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import (
    DEFAULT_CAMERA,
    ModelAnswer,
    Purpose,
    Source,
    StepKind,
)
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import (
    MOST_LOOKS,
    AskModel,
    CancelModel,
    CropPicture,
    LogUnsentPrompt,
    ModelFailed,
    ModelProbed,
    ModelProved,
    ModelReplied,
    PictureCropped,
    PictureFailed,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateRefusal, judged
from semantic_nav.vlm.look import health
from semantic_nav.vlm.look.breaker import Breaker
from semantic_nav.vlm.look.fallback import propose
from semantic_nav.vlm.look.known_model import KnownModel
from semantic_nav.vlm.look.known_of_goal import KnownOfGoal
from semantic_nav.vlm.look.look_under_way import LookUnderWay, Taken
from semantic_nav.vlm.look.schema_offer import SchemaOffer
from semantic_nav.vlm.look.token_budget import TokenBudget
from semantic_nav.vlm.look.tool_offer import ToolOffer
from semantic_nav.vlm.look.tool_round import Answer, Round, offering, with_round, words_beside
from semantic_nav.vlm.look.tools import read_calls
from semantic_nav.vlm.prompt.assembly import with_repair, with_schema_in_words
from semantic_nav.vlm.prompt.budget import OVER_BUDGET, over_budget
from semantic_nav.vlm.prompt.manifest import Manifest

_NODE = 'hypothesis'
_MAX_ERROR = 500
#: Time for memory, verifier and camera to answer the calls of a turn, in s.
_TOOLS_S = 3.0
#: First pause before a failing model is tried again, in s; each failed trial doubles it.
_CIRCUIT_PAUSE_S = 10.0
#: Longest such pause, in s.
_CIRCUIT_PAUSE_MAX_S = 300.0

logger = logging.getLogger(__name__)


class HypothesisCore:
    """The core: each look ends in one hypothesis or in a failed look; the model has one at a time.

    A look that a newer step replaces or stops ends silently, and its late results are dropped and
    counted. Only looks that inform wait in line behind other looks that do.
    """

    def __init__(self, config: HypothesisConfig, session: str, seed: int = 0) -> None:
        """Begin without a goal.

        Args:
            config: the parameters.
            session: word that distinguishes this start in the ids.
            seed: unused, as nothing here is random; the model's seed is its provider's.
        """
        del seed
        self._config = config
        self._ids = Ids(_NODE, session)
        self._requests = Ids('request', session)
        self._goal = GoalInHand()
        # The oldest first.
        self._looks: list[LookUnderWay] = []
        self._known = KnownOfGoal()
        self._breaker = Breaker(config.circuit_failures, _CIRCUIT_PAUSE_S, _CIRCUIT_PAUSE_MAX_S)
        self._model = KnownModel(config)
        self._budget = TokenBudget(config, self._model)
        self._manifest = Manifest()
        #: Number of replies that were read as meant, though not written as asked for.
        self._read_otherwise = 0
        self._offer = ToolOffer(config)
        self._schema = SchemaOffer(config)
        self._proved: ModelProved | None = None
        #: The last answered proof if the model does not see, or its boxes are read wrong.
        self._doubted: ModelProved | None = None
        self._standing = StandingEffects()
        self._dispatch = Dispatch()
        self._dispatch.on_body(Belief, lambda document, _, now: self._follow(document, now))
        self._dispatch.on_body(Step, self._step)
        for body in (Candidates, Observation, ToolReply):
            self._dispatch.on_body(body, lambda document, _, now: self._of_goal(document, now))
        self._dispatch.on(PictureTaken, self._picture_taken)
        self._dispatch.on(PictureFailed, self._picture_failed)
        self._dispatch.on(PictureCropped, self._tool_answered)
        self._dispatch.on(ModelReplied, self._model_replied)
        self._dispatch.on(ModelFailed, self._model_failed)
        self._dispatch.on(ModelProbed, self._probed)
        self._dispatch.on(ModelProved, self._take_proof)
        self._dispatch.on(Tick, lambda _, now: self._after_tools(now))

    def handle(self, event: Event, now: Now) -> Sequence[Output]:
        """Handle one event; returns the outputs in order."""
        outputs = self._dispatch(event, now)
        return [*outputs, *self._standing.changed(
            # The worker keeps the deadlines of calls; only those of tools are kept here.
            Ticking(any(look.round is not None for look in self._looks)),
            health.circuit(self._breaker.state(now)),
            health.context(self._manifest, self._budget.warnings),
            *health.tools(self._config.tool_rounds, self._offer.off),
            health.schema(self._schema),
            health.proof(self._proved), self._dispatch.report())]

    # Documents

    def _step(self, document: Document, step: Step, now: Now) -> list[Output]:
        outputs = self._follow(document, now)
        if not self._goal.owns(document):
            return self._dispatch.drop()
        if step.kind is StepKind.STOP:
            outputs += self._end_looks()
        elif step.look is not None:
            if not self._may_wait_in_line(step.look):
                outputs += self._end_looks()
            due_ns = now.steady_ns + nanoseconds(step.look.deadline_s)
            look = LookUnderWay(
                document.id, step.goal_text, step.look, self._requests.mint(), due_ns,
                self._model.boxes, step.purpose is Purpose.GO)
            self._looks.append(look)
            timeout_s = min(self._config.picture_timeout_s, step.look.deadline_s)
            outputs.append(TakePicture(look.request_id, document.stamp_ns, timeout_s,
                                       step.look.camera, look.boxes))
        return outputs

    def _may_wait_in_line(self, request: LookRequest) -> bool:
        """Tell whether a look may wait behind the others: all have pictures, and only inform."""
        return request.inform and len(self._looks) < MOST_LOOKS and all(
            look.request.inform and look.taken is not None for look in self._looks)

    def _follow(self, document: Document, now: Now) -> list[Output]:
        """Follow the goal in hand by a step or a belief."""
        before = self._goal.id
        change = self._goal.follow(document, now.steady_ns)
        if change is GoalChange.NONE:
            return []
        outputs: list[Output] = [*self._end_looks()]
        if self._goal.id != before:
            self._known = KnownOfGoal()
            self._goal.early(lambda early: outputs.extend(self._of_goal(early, now)))
        if change is GoalChange.REWORDED:
            self._known.track = None
        return outputs

    def _of_goal(self, document: Document, now: Now) -> list[Output]:
        """Take a document of another node on the goal in hand; one on the next goal waits."""
        if not self._goal.owns(document):
            return [] if self._goal.keep_early(document) else self._dispatch.drop()
        match document.body:
            case Candidates() as body:
                self._known.candidates = body.candidates
            case Observation() as body:
                self._known.track = body.track
            case ToolReply() as body:
                return self._take_result(document.cause_id, body, now)
        return []

    def _end_looks(self) -> list[Effect]:
        looks, self._looks = self._looks, []
        return [CancelModel(look.request_id) for look in looks
                if look.begun and look.round is None]

    # The picture

    def _picture_taken(self, picture: PictureTaken, now: Now) -> list[Output]:
        look = self._waiting_for(picture.request_id)
        if look is None or look.taken is not None:
            return self._dispatch.drop()
        taken = look.taken = Taken.of(
            look, picture, self._ids.mint(), self._known.offered(look.request), self._config,
            self._budget.now, tools=self._offer.wanted,
            schema_in_words=self._schema.in_words)
        announced = self._publish(
            taken.look_id, look.step_id, picture.stamp_ns, picture.frame_id,
            Look(True, '', picture.width_px, picture.height_px, look.request.inform,
                 picture.camera, picture.fingerprint or None))
        return [announced, *self._begin_next(now)]

    def _begin_next(self, now: Now) -> list[Output]:
        """Show the model the picture whose turn it is, unless it looks at another one."""
        look = self._first
        if look is None or look.taken is None or look.begun:
            return []
        look.begun = True
        if look.request.fallback_only:
            return self._fallback(look, look.taken, ModelAnswer.NOT_ASKED, 'not_asked', now)
        if not look.has_time(now):
            return self._timed_out(look, look.taken, now)
        if not self._breaker.lets_through(now):
            return self._fallback(look, look.taken, ModelAnswer.SILENT, 'circuit_open', now)
        return self._ask(look, look.taken, now)

    def _picture_failed(self, failed: PictureFailed, now: Now) -> list[Output]:
        look = self._waiting_for(failed.request_id)
        if look is None or look.taken is not None:
            return self._tool_answered(failed, now)
        self._looks.remove(look)
        return [self._publish(self._ids.mint(), look.step_id, now.clock_ns, '',
                              Look(False, failed.reason, inform=look.request.inform,
                                   camera=look.request.camera or DEFAULT_CAMERA)),
                health.no_look(failed.reason)]

    @property
    def _first(self) -> LookUnderWay | None:
        """The look whose turn it is."""
        return self._looks[0] if self._looks else None

    def _waiting_for(self, request_id: str) -> LookUnderWay | None:
        """The look that waits for the result of a request; None if none does any more."""
        return next((look for look in self._looks if look.request_id == request_id), None)

    # The model

    def _ask(self, look: LookUnderWay, taken: Taken, now: Now) -> list[Output]:
        if look.unheld or not self._schema.held:
            taken.prompt = replace(with_schema_in_words(taken.prompt, self._budget.now),
                                   unheld=True)
        taken.prompt = offering(taken.prompt, self._offer.now(look, taken, now),
                                self._budget.now)
        manifest = self._manifest = taken.prompt.manifest
        if not manifest.within_budget:
            error = f'{OVER_BUDGET}: {over_budget(manifest)}'
            return [LogUnsentPrompt(taken.look_id, manifest),
                    *self._fallback(look, taken, ModelAnswer.UNSENT, error, now)]
        look.request_id = self._requests.mint()
        return [AskModel(look.request_id, taken.prompt, taken.picture.jpeg, look.left_s(now))]

    def _model_replied(self, reply: ModelReplied, now: Now) -> list[Output]:
        look = self._waiting_for(reply.request_id)
        if look is None or look.taken is None:
            return self._dispatch.drop()
        taken = look.taken
        look.replied(reply)
        self._model.replied(reply)
        self._breaker.replied()
        self._offer.replied(look)
        in_pixels = taken.context.boxes is BoxConvention.PIXELS
        self._budget.counted(taken.prompt.manifest, reply.prompt_tokens,
                             taken.context.sent_px if in_pixels else None)
        if reply.calls and taken.prompt.tools:
            return self._use_tools(look, taken, reply, now)
        result = judged(reply.text, taken.context)
        if isinstance(result, GateRefusal):
            return self._refused(look, taken, reply, look.refused(result, reply), now)
        look.accepted(result)
        self._schema.passed(taken)
        if result.otherwise:
            self._read_otherwise += 1
            logger.info('read as meant, though not written as asked for: %s',
                        ', '.join(result.otherwise))
        hypothesis = result.hypothesis
        if self._budget.shrunk:
            # The picture size that its boxes refer to is not known.
            if hypothesis.target_box is not None:
                return self._fallback(look, taken, ModelAnswer.REFUSED, self._budget.shrunk, now)
            hypothesis = replace(hypothesis, scene=hypothesis.scene.without_boxes())
        return self._hypothesis(look, taken, ModelAnswer.VALID, hypothesis, '', now)

    def _refused(self, look: LookUnderWay, taken: Taken, reply: ModelReplied,
                 refusal: GateRefusal, now: Now) -> list[Output]:
        """Send a reply back for repair, as often as retries and budget allow."""
        logger.info('reply refused: %s (schema %s)', refusal, refusal.schema_path or '-')
        in_words = self._schema.refused(taken, reply)
        if look.retries >= self._config.max_retries or not (
                look.has_time(now) and look.has_calls(1)):
            return self._fallback(look, taken, ModelAnswer.REFUSED, str(refusal), now)
        look.retries += 1
        # Without tools the server enforces the schema.
        look.tools_over = True
        if in_words:
            taken.prompt = with_schema_in_words(taken.prompt, self._budget.now)
        taken.prompt = with_repair(taken.prompt, reply.text.rstrip(), refusal, self._budget.now)
        return self._ask(look, taken, now)

    def _model_failed(self, failed: ModelFailed, now: Now) -> list[Output]:
        look = self._waiting_for(failed.request_id)
        if look is None or look.taken is None:
            return self._dispatch.drop()
        taken = look.taken
        look.took(failed.latency_ms)
        if taken.prompt.tools and self._offer.is_refusal(failed) and look.has_time(now):
            look.tools_over, look.tools_refusal = True, failed.error
            return self._ask(look, taken, now)
        if failed.is_empty and not look.unheld and look.has_time(now):
            # The grammar, or the tools, may have left the model nothing to say.
            look.unheld = not taken.prompt.tools
            look.tools_over = True
            return self._ask(look, taken, now)
        if failed.tells_of_model:
            self._breaker.failed(failed.error, now)
        if failed.broke and not look.resent and look.has_time(now) and (
                self._breaker.lets_through(now)):
            look.resent = True
            return self._ask(look, taken, now)
        return self._fallback(look, taken, ModelAnswer.SILENT, failed.error, now)

    def _probed(self, found: ModelProbed, now: Now) -> list[Output]:
        self._breaker.probed(found.ok, now)
        self._model.probed(found)
        self._budget.probed(found)
        self._offer.probed(found)
        self._schema.probed(found)
        return []

    def _take_proof(self, proved: ModelProved, now: Now) -> list[Output]:
        del now
        self._proved = proved
        if proved.ok:
            self._doubted = proved if proved.doubted else None
        return []

    # Tools

    def _use_tools(self, look: LookUnderWay, taken: Taken, reply: ModelReplied,
                   now: Now) -> list[Output]:
        if not look.has_time(now):
            return self._timed_out(look, taken, now)
        requests = read_calls(reply.calls, taken.context.boxes, taken.context.sent_px,
                              look.calls + 1)
        look.calls += len(requests)
        wait_s = min(_TOOLS_S, look.left_s(now))
        look.request_id = ''
        look.round = Round(reply.thoughts, requests, now.steady_ns + nanoseconds(wait_s),
                           words_beside(reply))
        outputs: list[Output] = []
        for index, request in enumerate(requests):
            if request.box is not None:
                id_ = self._requests.mint()
                outputs.append(CropPicture(id_, taken.picture.stamp_ns, request.box,
                                           taken.picture.camera))
            elif request.tool is not None:
                id_ = self._ids.mint()
                query = ToolQuery(request.tool, request.call.arguments, wait_s)
                outputs.append(self._publish(id_, taken.look_id, now.clock_ns, '', query))
            else:
                continue
            look.round.waiting[id_] = index
        return outputs + self._after_tools(now)

    def _tool_answered(self, answer: PictureCropped | PictureFailed, now: Now) -> list[Output]:
        return self._take_result(answer.request_id, answer, now)

    def _take_result(self, question_id: str, answer: Answer, now: Now) -> list[Output]:
        round_ = self._first.round if self._first is not None else None
        if round_ is None or question_id not in round_.waiting:
            return self._dispatch.drop()
        round_.take(question_id, answer)
        return self._after_tools(now)

    def _after_tools(self, now: Now) -> list[Output]:
        """Ask the model again once all its tools have answered, or their time is up."""
        look = self._first
        if look is None or look.taken is None or look.round is None or not look.round.over(now):
            return []
        taken, round_, look.round = look.taken, look.round, None
        if not look.has_time(now):
            return self._timed_out(look, taken, now)
        prompt = with_round(taken.prompt, round_, self._budget.now)
        if prompt.manifest.within_budget:
            taken.prompt = prompt
        else:
            logger.info('there is no room for what the tools gave: the model answers without')
            look.tools_over = True
        return self._ask(look, taken, now)

    # The answer

    def _timed_out(self, look: LookUnderWay, taken: Taken, now: Now) -> list[Output]:
        return self._fallback(look, taken, ModelAnswer.SILENT, 'timeout', now)

    def _fallback(self, look: LookUnderWay, taken: Taken, answer: ModelAnswer, error: str,
                  now: Now) -> list[Output]:
        known, request = self._known, look.request
        # On the way to a place nothing is looked for, so it is offered as often as belief asks.
        places = known.offered(request) if look.to_a_place else known.untried(request)
        proposal = propose(request.belief_target_status, known.track, places, now.clock_ns)
        return self._hypothesis(look, taken, answer, proposal, error, now)

    def _hypothesis(self, look: LookUnderWay, taken: Taken, answer: ModelAnswer,
                    hypothesis: CanonicalHypothesis, error: str, now: Now) -> list[Output]:
        self._looks.remove(look)
        source = Source.MODEL if answer is ModelAnswer.VALID else Source.FALLBACK
        if source is Source.MODEL:
            self._known.answered()
            # A model that gets no picture, or is read wrong, answers looks too: the doubt stays.
            self._proved = self._doubted or ModelProved(True, 'a look was answered by the schema')
        if hypothesis.action is Action.GOTO_NODE and not look.request.inform:
            self._known.sent_to(hypothesis.node_id or '', silent=answer not in {
                ModelAnswer.VALID, ModelAnswer.NOT_ASKED})
        body = Hypothesis(look.step_id, source, hypothesis,
                          look.meta(taken, self._config.vlm_backend, self._model.name, answer,
                                    error[:_MAX_ERROR]))
        return [self._publish(self._ids.mint(), taken.look_id, taken.picture.stamp_ns,
                              taken.picture.frame_id, body),
                health.look(body, self._read_otherwise), *self._begin_next(now)]

    def _publish(self, id_: str, cause_id: str, stamp_ns: int, frame_id: str,
                 body: Body) -> Document:
        return Document(id_, cause_id, self._goal.id, stamp_ns, frame_id, body)
