"""The hypothesis core: a look step becomes a picture, a question to the model, and one answer."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.core import DocumentReceived, Effect, Event, Output, Tick
from semantic_nav.contracts.documents import (
    Body,
    Candidate,
    Candidates,
    Document,
    Hypothesis,
    Look,
    Observation,
    Step,
    ToolQuery,
    ToolReply,
    Track,
)
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import CIRCUIT_OPEN, NOT_ASKED, Source, StepKind
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import NOT_THE_MODELS
from semantic_nav.vlm.events import (
    AskModel,
    CancelModel,
    CropPicture,
    ModelFailed,
    ModelProbed,
    ModelReplied,
    PictureCropped,
    PictureFailed,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.gate.gate import GateContext, GateKind, GateRefusal, gate
from semantic_nav.vlm.look.breaker import Breaker, BreakerState
from semantic_nav.vlm.look.fallback import propose
from semantic_nav.vlm.look.look_under_way import LookUnderWay, Taken
from semantic_nav.vlm.look.token_budget import TokenBudget
from semantic_nav.vlm.look.tool_offer import ToolOffer
from semantic_nav.vlm.look.tool_round import Answer, Round, offering, with_round
from semantic_nav.vlm.look.tools import read_calls
from semantic_nav.vlm.prompt import assembly as prompts
from semantic_nav.vlm.prompt.budget import OverBudgetError, hold_to_budget
from semantic_nav.vlm.prompt.manifest import Manifest

_NODE = 'hypothesis'
#: A question with less time than this left is not asked.
_MIN_CALL_S = 0.2
_MAX_ERROR = 500
#: How long memory, verifier and camera have to answer the calls of a turn, in s.
_TOOLS_S = 3.0

logger = logging.getLogger(__name__)


class HypothesisCore:
    """One look at a time, the newest; each ends in one hypothesis or in a look that failed.

    A look that a newer step replaces or stops ends silently, and what still comes of it is
    dropped and counted.
    """

    def __init__(self, config: HypothesisConfig, session: str, seed: int = 0) -> None:
        """Begin without a goal.

        Args:
            config: the parameters.
            session: distinguishes this start in the ids.
            seed: unused, for nothing here is random; the model's seed is its provider's.
        """
        del seed
        self._config = config
        self._ids = Ids(_NODE, session)
        self._requests = Ids('request', session)
        self._goal_id = ''
        self._look: LookUnderWay | None = None
        self._candidates: tuple[Candidate, ...] = ()
        self._early: Document | None = None
        self._track: Track | None = None
        self._tried: set[str] = set()
        self._breaker = Breaker(config.circuit_failures, config.circuit_pause_s,
                                config.circuit_pause_max_s)
        self._dropped = 0
        self._budget = TokenBudget(config)
        self._manifest = Manifest()
        self._offer = ToolOffer(config)

    @property
    def wants_ticks(self) -> bool:
        """Time matters while results of tools are waited for; the worker keeps its deadlines."""
        return self._look is not None and self._look.round is not None

    @property
    def dropped(self) -> int:
        """How many events and documents came too late or belonged to another goal."""
        return self._dropped

    def circuit(self, now: Now) -> BreakerState:
        """Return whether the model is asked at present."""
        return self._breaker.state(now)

    @property
    def manifest(self) -> Manifest:
        """The bill of the last prompt, whether it was sent or refused for its length."""
        return self._manifest

    @property
    def warnings(self) -> list[str]:
        """What an operator should know of the context window, in words."""
        return self._budget.warnings

    @property
    def no_tools_reason(self) -> str:
        """Why the model is offered no tools although it should be; empty where it is."""
        return self._offer.off

    def handle(self, event: Event, now: Now) -> Sequence[Output]:
        """Take one event in and return what follows from it, in order."""
        if isinstance(event, DocumentReceived):
            return self._document(event.document, now)
        if isinstance(event, ModelProbed):
            self._breaker.probed(event.ok, now)
            self._budget.probed(event)
            self._offer.probed(event)
            return []
        if isinstance(event, Tick):
            return self._after_tools(now)
        if isinstance(event, (PictureCropped, PictureFailed)):
            outputs = self._tool_answered(event.request_id, event, now)
            if outputs is not None:
                return outputs
        if not isinstance(event, (PictureTaken, PictureFailed, PictureCropped, ModelReplied,
                                  ModelFailed)):
            return []
        look = self._look
        if look is None or look.request_id != event.request_id:
            self._dropped += 1
            return []
        taken = look.taken
        if taken is None:
            if isinstance(event, PictureTaken):
                return self._picture(look, event, now)
            if isinstance(event, PictureFailed):
                return [self._no_picture(look, event, now)]
        elif isinstance(event, ModelReplied):
            look.took(event.latency_ms)
            self._breaker.replied()
            self._offer.replied(look)
            self._budget.counted(taken.prompt.manifest, event.prompt_tokens)
            return self._reply(look, taken, event, now)
        elif isinstance(event, ModelFailed):
            look.took(event.latency_ms)
            if taken.prompt.tools and self._offer.is_refusal(event) and (
                    look.left_s(now) >= _MIN_CALL_S):
                look.tools_over, look.tools_refusal = True, event.error
                return self._ask(look, taken, now)
            if event.error not in NOT_THE_MODELS:
                self._breaker.failed(event.error, now)
            return self._fallback(look, taken, event.error, now)
        self._dropped += 1
        return []

    # Documents

    def _document(self, document: Document, now: Now) -> list[Output]:
        body = document.body
        if isinstance(body, Step):
            return self._step(document, body, now)
        if isinstance(body, (Candidates, Observation)):
            self._learn(document)
        if isinstance(body, ToolReply) and document.goal_id == self._goal_id:
            return self._tool_answered(document.cause_id, body, now) or []
        return []

    def _learn(self, document: Document) -> None:
        if document.goal_id != self._goal_id:
            # Memory may know the new goal before its first step has come.
            if isinstance(document.body, Candidates):
                self._early = document
            else:
                self._dropped += 1
        elif isinstance(document.body, Candidates):
            self._candidates = document.body.candidates
        elif isinstance(document.body, Observation):
            self._track = document.body.track

    def _step(self, document: Document, step: Step, now: Now) -> list[Output]:
        outputs: list[Output] = []
        if document.goal_id != self._goal_id:
            outputs += self._end_look()
            self._new_goal(document.goal_id)
        if step.kind is StepKind.STOP:
            outputs += self._end_look()
        elif step.look is not None:
            outputs += self._end_look()
            due_ns = now.steady_ns + nanoseconds(step.look.deadline_s)
            self._look = LookUnderWay(
                document.id, step.goal_text, step.look, self._requests.mint(), due_ns)
            timeout_s = min(self._config.picture_timeout_s, step.look.deadline_s)
            outputs.append(TakePicture(self._look.request_id, document.stamp_ns, timeout_s))
        return outputs

    def _new_goal(self, goal_id: str) -> None:
        self._goal_id = goal_id
        self._candidates = ()
        self._track = None
        self._tried = set()
        if self._early is not None and self._early.goal_id == goal_id:
            self._learn(self._early)
        self._early = None

    def _end_look(self) -> list[Effect]:
        look, self._look = self._look, None
        if look is None or look.taken is None or look.round is not None:
            return []
        return [CancelModel(look.request_id)]

    # A look's stages

    def _no_picture(self, look: LookUnderWay, failed: PictureFailed, now: Now) -> Document:
        self._look = None
        return self._publish(self._ids.mint(), look.step_id, now.clock_ns, '',
                             Look(False, failed.reason, inform=look.request.inform))

    def _picture(self, look: LookUnderWay, picture: PictureTaken, now: Now) -> list[Output]:
        sent_px = (picture.sent_width_px, picture.sent_height_px)
        situation = prompts.Situation(
            look.goal_text, look.request.belief_target_status, self._candidates,
            look.request.last_refusal, sent_px)
        prompt = prompts.build(situation, self._config.boxes, self._budget.now,
                               strict_provenance=self._config.strict_provenance,
                               schema_in_words=self._config.schema_in_words,
                               tools=self._offer.wanted)
        told = prompts.told(self._candidates)
        context = GateContext(self._config.boxes, sent_px,
                              frozenset(candidate.node_id for candidate in told))
        taken = look.taken = Taken(self._ids.mint(), picture, prompt, context)
        announced = self._publish(
            taken.look_id, look.step_id, picture.stamp_ns, picture.frame_id,
            Look(True, '', picture.width_px, picture.height_px, look.request.inform))
        if look.request.fallback_only:
            return [announced, *self._fallback(look, taken, NOT_ASKED, now)]
        if look.left_s(now) < _MIN_CALL_S:
            return [announced, *self._fallback(look, taken, 'timeout', now)]
        if not self._breaker.lets_through(now):
            return [announced, *self._fallback(look, taken, CIRCUIT_OPEN, now)]
        return [announced, *self._ask(look, taken, now)]

    def _ask(self, look: LookUnderWay, taken: Taken, now: Now) -> list[Output]:
        taken.prompt = offering(taken.prompt, self._offer.now(look, taken, now),
                                self._budget.now)
        self._manifest = taken.prompt.manifest
        try:
            hold_to_budget(self._manifest)
        except OverBudgetError as error:
            return self._fallback(look, taken, f'{error.error}: {error}', now)
        look.request_id = self._requests.mint()
        return [AskModel(look.request_id, taken.prompt, taken.picture.jpeg, look.left_s(now))]

    def _reply(self, look: LookUnderWay, taken: Taken, reply: ModelReplied,
               now: Now) -> list[Output]:
        if reply.calls and taken.prompt.tools:
            return self._use_tools(look, taken, reply, now)
        result = gate(reply.text, taken.context)
        if isinstance(result, CanonicalHypothesis):
            look.parse_ok = look.schema_ok = True
            return [self._hypothesis(look, taken, Source.MODEL, result, '')]
        look.parse_ok = result.kind is not GateKind.PARSE_FAIL
        look.schema_ok = result.kind is GateKind.SEMANTIC_BAD
        refusal = _explained(result, reply)
        logger.info('reply refused: %s (schema %s)', refusal, refusal.schema_path or '-')
        if look.retries < self._config.max_retries and look.left_s(now) >= _MIN_CALL_S:
            look.retries += 1
            # Without tools the server holds the reply to the schema.
            look.tools_over = True
            taken.prompt = prompts.with_repair(taken.prompt, reply.text, refusal,
                                               self._budget.now)
            return self._ask(look, taken, now)
        return self._fallback(look, taken, str(refusal), now)

    # Tools

    def _use_tools(self, look: LookUnderWay, taken: Taken, reply: ModelReplied,
                   now: Now) -> list[Output]:
        if look.left_s(now) < _MIN_CALL_S:
            return self._fallback(look, taken, 'timeout', now)
        requests = read_calls(reply.calls, taken.context.boxes, taken.context.sent_px,
                              look.calls + 1)
        look.calls += len(requests)
        wait_s = min(_TOOLS_S, look.left_s(now))
        look.request_id = ''
        look.round = Round(reply.thoughts, requests, now.steady_ns + nanoseconds(wait_s))
        outputs: list[Output] = []
        for index, request in enumerate(requests):
            if request.box is not None:
                id_ = self._requests.mint()
                outputs.append(CropPicture(id_, taken.picture.stamp_ns, request.box))
            elif request.tool is not None:
                id_ = self._ids.mint()
                query = ToolQuery(request.tool, request.call.arguments, wait_s)
                outputs.append(self._publish(id_, taken.look_id, now.clock_ns, '', query))
            else:
                continue
            look.round.waiting[id_] = index
        return outputs + self._after_tools(now)

    def _tool_answered(self, question_id: str, answer: Answer, now: Now) -> list[Output] | None:
        """Take what a tool gave; None if nobody waits for it."""
        round_ = self._look.round if self._look is not None else None
        if round_ is None or question_id not in round_.waiting:
            return None
        round_.take(question_id, answer)
        return self._after_tools(now)

    def _after_tools(self, now: Now) -> list[Output]:
        """Ask the model again when all its tools have answered, or their time is up."""
        look = self._look
        if look is None or look.taken is None or look.round is None or not look.round.over(now):
            return []
        taken, round_, look.round = look.taken, look.round, None
        if look.left_s(now) < _MIN_CALL_S:
            return self._fallback(look, taken, 'timeout', now)
        prompt = with_round(taken.prompt, round_, self._budget.now)
        if prompt.manifest.within_budget:
            taken.prompt = prompt
        else:
            logger.info('there is no room for what the tools gave: the model answers without')
            look.tools_over = True
        return self._ask(look, taken, now)

    # The answer

    def _fallback(self, look: LookUnderWay, taken: Taken, error: str, now: Now) -> list[Output]:
        # Nothing but a model would tell that the target is not at a place the robot was sent to.
        left = [one for one in self._candidates if one.node_id not in self._tried]
        proposal = propose(look.request.belief_target_status, self._track, left, now.clock_ns,
                           self._config.target_memory_s)
        return [self._hypothesis(look, taken, Source.FALLBACK, proposal, error)]

    def _hypothesis(self, look: LookUnderWay, taken: Taken, source: Source,
                    hypothesis: CanonicalHypothesis, error: str) -> Document:
        self._look = None
        if hypothesis.action is Action.GOTO_NODE and not look.request.inform:
            self._tried.add(hypothesis.node_id or '')
        return self._publish(
            self._ids.mint(), taken.look_id, taken.picture.stamp_ns, taken.picture.frame_id,
            Hypothesis(look.step_id, source, hypothesis,
                       look.meta(taken, self._config, error[:_MAX_ERROR])))

    def _publish(self, id_: str, cause_id: str, stamp_ns: int, frame_id: str,
                 body: Body) -> Document:
        return Document(id_, cause_id, self._goal_id, stamp_ns, frame_id, body)


def _explained(refusal: GateRefusal, reply: ModelReplied) -> GateRefusal:
    """Return a refusal that says so where the server cut the reply off."""
    if reply.finish_reason != 'length':
        return refusal
    return replace(refusal, message=f'{refusal.message}; the reply was cut off after '
                                    f'{reply.reply_tokens} tokens, keep it short')
