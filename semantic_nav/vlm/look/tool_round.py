"""The turns of a look in which the model calls tools instead of answering."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import ToolReply
from semantic_nav.vlm.conversation import Image, Text, Thinking, Tool, ToolResult, schema_words
from semantic_nav.vlm.events import ModelReplied, PictureCropped, PictureFailed
from semantic_nav.vlm.look import tools as toolbox
from semantic_nav.vlm.prompt.assembly import billed
from semantic_nav.vlm.prompt.budget import Budget
from semantic_nav.vlm.prompt.manifest import TOOLS, ManifestItem
from semantic_nav.vlm.prompt.prompt import Prompt, ToolTurn
from semantic_nav.vlm.prompt.tokens import PER_MESSAGE, count_picture, count_text
from semantic_nav.vlm.quoting import disarmed

#: Longest text beside the calls that goes back to the model, in characters.
_MAX_SAID = 2000
#: Events and documents that answer a call.
Answer = ToolReply | PictureCropped | PictureFailed


@dataclass
class Round:
    """The tool calls of one turn, until each has a result or the time is up.

    Attributes:
        thoughts: thoughts before the calls, if they must go back.
        requests: calls, in their order.
        due_steady_ns: time at which open calls are given up, on the steady clock.
        said: words beside the calls, which go back with them.
        waiting: index of each open call, by the id of the question about it.
        pictures_px: width and height of the pictures that came.
    """

    thoughts: tuple[Thinking, ...]
    requests: Sequence[toolbox.ToolRequest]
    due_steady_ns: int
    said: str = ''
    waiting: dict[str, int] = field(default_factory=dict)
    pictures_px: list[tuple[int, int]] = field(default_factory=list)
    _results: dict[int, ToolResult] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Answer the calls that cannot be carried out."""
        for index, request in enumerate(self.requests):
            if request.problem:
                self._results[index] = toolbox.failure(request.call, request.problem)

    def take(self, question_id: str, answer: Answer) -> None:
        """Take the answer to an open question."""
        index = self.waiting.pop(question_id)
        call = self.requests[index].call
        match answer:
            case ToolReply():
                self._results[index] = toolbox.answer(call, answer)
            case PictureCropped():
                self._results[index] = toolbox.picture(call, answer.jpeg)
                self.pictures_px.append((answer.width_px, answer.height_px))
            case PictureFailed():
                self._results[index] = toolbox.failure(call, answer.reason)

    def over(self, now: Now) -> bool:
        """Tell whether all calls are answered, or the time is up."""
        return not self.waiting or now.steady_ns >= self.due_steady_ns

    def turn(self) -> ToolTurn:
        """The calls with their results."""
        calls = [request.call for request in self.requests]
        late = {index: toolbox.failure(calls[index], 'no answer came in time')
                for index in self.waiting.values()}
        results = {**self._results, **late}
        return ToolTurn(self.thoughts, tuple(calls),
                        tuple(results[index] for index in range(len(calls))), self.said)


def words_beside(reply: ModelReplied) -> str:
    """The model's words beside its calls, as they go back to it.

    They are its own words, but may copy text in the picture.
    """
    return disarmed(reply.text[:_MAX_SAID])


def offering(prompt: Prompt, tools: tuple[Tool, ...], budget: Budget) -> Prompt:
    """The prompt with these tools for the next turn, or with none if there is no room."""
    bill = prompt.manifest
    without = tuple(part for part in bill.parts if part.name != TOOLS)
    if tools:
        # No schema is enforced where the server may answer with a call.
        in_words = any(part.name == 'schema' for part in without)
        told = toolbox.in_words(tools) + ('' if in_words else schema_words(prompt.schema))
        parts = (*without, ManifestItem(TOOLS, count_text(told)))
        offered = billed(replace(prompt, tools=tools), replace(bill, parts=parts), budget)
        if offered.manifest.within_budget:
            return offered
    return billed(replace(prompt, tools=()), replace(bill, parts=without), budget)


def with_round(prompt: Prompt, round_: Round, budget: Budget) -> Prompt:
    """The prompt with the calls of a turn and their results; no tools are offered."""
    prompt = offering(prompt, (), budget)
    turn = round_.turn()
    turns = (*prompt.turns, turn)
    words = [f'{call.name} {call.arguments}' for call in turn.calls]
    words += [turn.said, *(thought.text + thought.signature for thought in turn.thoughts)]
    parts = [part for result in turn.results for part in result.parts]
    words += [part.text for part in parts if isinstance(part, Text)]
    tokens = sum(map(count_text, words))
    tokens += sum(count_picture(budget.model, *size_px) for size_px in round_.pictures_px)
    # With some APIs a picture has a message of its own.
    messages = 1 + len(turn.results) + sum(isinstance(part, Image) for part in parts)
    more = ManifestItem(f'{TOOLS}:{len(turns)}', tokens + messages * PER_MESSAGE)
    bill = replace(prompt.manifest, parts=(*prompt.manifest.parts, more))
    return billed(replace(prompt, turns=turns), bill, budget)
