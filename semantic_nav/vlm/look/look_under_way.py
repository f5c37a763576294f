"""A look under way, between its step and its hypothesis."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import Candidate, LookRequest, ModelMeta
from semantic_nav.contracts.vocabulary import ModelAnswer
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import BLANKS, REPEATS, ServerTimes, Usage
from semantic_nav.vlm.events import ModelReplied, PictureTaken
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext, GateKind, GateRefusal, Passed
from semantic_nav.vlm.look.tool_round import Round
from semantic_nav.vlm.prompt import assembly
from semantic_nav.vlm.prompt.budget import Budget
from semantic_nav.vlm.prompt.prompt import Prompt

_MAX_PATH = 200
_ENDLESS = {BLANKS: 'the reply was broken off, for the model wrote nothing but blanks any more',
            REPEATS: 'the reply was broken off, for the model repeated the same words'}
#: Least time left for a question, in s.
_MIN_CALL_S = 0.2


@dataclass
class Taken:
    """The picture of a look, with its prompt.

    Attributes:
        look_id: id of the look document.
        picture: picture.
        prompt: prompt, with the repairs so far.
        context: context by which the reply is judged.
    """

    look_id: str
    picture: PictureTaken
    prompt: Prompt
    context: GateContext

    @classmethod
    def of(cls, look: 'LookUnderWay', picture: PictureTaken, look_id: str,
           candidates: Sequence[Candidate], config: HypothesisConfig, budget: Budget, *,
           tools: bool, schema_in_words: bool) -> 'Taken':
        """The picture of a look with its first prompt.

        Args:
            look: look for which the picture was taken.
            picture: picture.
            look_id: id of the look document.
            candidates: remembered places.
            config: parameters of the hypothesis node.
            budget: token budget of the prompt.
            tools: the prompt mentions tools.
            schema_in_words: the prompt holds the schema.
        """
        sent_px = (picture.sent_width_px, picture.sent_height_px)
        situation = assembly.PromptContext(
            look.goal_text, look.request.belief_target_status, candidates,
            look.request.last_refusal, sent_px, look.request.camera)
        prompt = assembly.build(
            situation, look.boxes, budget, strict_provenance=config.strict_provenance,
            schema_in_words=schema_in_words, tools=tools)
        place_ids = frozenset(one.node_id for one in situation.told)
        return cls(look_id, picture, prompt, GateContext(look.boxes, sent_px, place_ids))


@dataclass
class LookUnderWay:
    """A look under way.

    Attributes:
        step_id: id of the step that asked for it.
        goal_text: the operator's words.
        request: body of the step.
        request_id: id of the effect whose result it waits for.
        due_steady_ns: deadline of the step, on the steady clock.
        boxes: box convention asked of the model.
        to_a_place: the robot goes to a remembered place, whatever a model would see.
        taken: picture and prompt; None until the picture is taken.
        begun: its turn has come.
        retries: number of replies that were sent back for repair.
        unheld: the server is not asked any more to enforce the schema.
        resent: the question was sent again, because the connection broke.
        round: tool calls that the model waits for; None while it is the model's turn.
        replies: number of replies of the model so far.
        calls: number of tool calls so far.
        tools_over: no more tools are offered.
        tools_refusal: reason of the server for refusing a question with tools; empty if it did
            not.
        latency_ms: latency of the model, over all its calls.
        longest_ms: latency of its longest call.
        parse_ok: the last reply was JSON.
        schema_ok: the last reply kept the schemas too.
        schema_path: JSON pointer to the schema keyword that the last refused reply broke; empty if
            none.
        otherwise: number of fields of the answer that were not written as asked for.
        usage: tokens of all calls.
        times: durations of all calls by the server.
    """

    step_id: str
    goal_text: str
    request: LookRequest
    request_id: str
    due_steady_ns: int
    boxes: BoxConvention
    to_a_place: bool = False
    taken: Taken | None = None
    begun: bool = False
    retries: int = 0
    unheld: bool = False
    resent: bool = False
    round: Round | None = None
    replies: int = 0
    calls: int = 0
    tools_over: bool = False
    tools_refusal: str = ''
    latency_ms: float = 0.0
    longest_ms: float = 0.0
    parse_ok: bool = False
    schema_ok: bool = False
    schema_path: str = ''
    otherwise: int = 0
    usage: Usage = Usage()
    times: ServerTimes = ServerTimes()

    def left_s(self, now: Now) -> float:
        """The time left until the deadline in seconds."""
        return seconds(self.due_steady_ns - now.steady_ns)

    def has_time(self, now: Now) -> bool:
        """Tell whether there is time for another call of the model."""
        return self.left_s(now) >= _MIN_CALL_S

    def has_calls(self, count: int) -> bool:
        """Tell whether the mission's budget allows `count` more calls of the model."""
        limit = self.request.model_calls_left
        return limit is None or self.replies + count <= limit

    def took(self, latency_ms: float) -> None:
        """Add the latency of a call of the model."""
        self.latency_ms += latency_ms
        self.longest_ms = max(self.longest_ms, latency_ms)

    def replied(self, reply: ModelReplied) -> None:
        """Add latency, tokens and times of a reply."""
        self.took(reply.latency_ms)
        self.replies += 1
        self.usage = Usage(self.usage.prompt_tokens + reply.prompt_tokens,
                           self.usage.reply_tokens + reply.reply_tokens)
        self.times = ServerTimes(self.times.load_ms + reply.times.load_ms,
                                 self.times.prompt_ms + reply.times.prompt_ms,
                                 self.times.reply_ms + reply.times.reply_ms)

    def accepted(self, passed: Passed) -> None:
        """Take note that the last reply passed the gate."""
        self.parse_ok = self.schema_ok = True
        self.otherwise = len(passed.otherwise)

    def refused(self, refusal: GateRefusal, reply: ModelReplied) -> GateRefusal:
        """Take note of a refused reply; returns the refusal, which names a cut-off if any."""
        self.parse_ok = refusal.kind is not GateKind.PARSE_FAIL
        self.schema_ok = refusal.kind is GateKind.SEMANTIC_BAD
        self.schema_path = refusal.schema_path
        if reply.finish_reason in _ENDLESS:
            self.unheld = self.taken is not None and not self.taken.prompt.tools
            return replace(refusal, message=f'{refusal.message}; {_ENDLESS[reply.finish_reason]}')
        if reply.finish_reason != 'length':
            return refusal
        return replace(refusal, message=f'{refusal.message}; the reply was cut off after '
                                        f'{reply.reply_tokens} tokens, keep it short')

    def meta(self, taken: Taken, backend: str, model: str, answer: ModelAnswer,
             error: str) -> ModelMeta:
        """The provenance of the answer to this look."""
        missing = taken.prompt.manifest.missing
        return ModelMeta(
            vlm_answer=answer, vlm_backend=backend, vlm_model=model,
            vlm_latency_ms=self.latency_ms, vlm_parse_ok=self.parse_ok,
            vlm_schema_ok=self.schema_ok, vlm_retry_count=self.retries,
            vlm_reply_count=self.replies, vlm_error=error,
            image_sha256=hashlib.sha256(taken.picture.jpeg).hexdigest(),
            prompt_sha256=taken.prompt.sha256, memory_context_missing_nodes=len(missing),
            memory_context_missing_node_ids=missing,
            vlm_schema_path=self.schema_path[:_MAX_PATH], vlm_reread_count=self.otherwise,
            vlm_prompt_tokens=self.usage.prompt_tokens, vlm_reply_tokens=self.usage.reply_tokens,
            vlm_load_ms=self.times.load_ms, vlm_prompt_ms=self.times.prompt_ms,
            vlm_reply_ms=self.times.reply_ms)
