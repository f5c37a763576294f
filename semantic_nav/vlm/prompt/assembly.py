"""Assembly of the prompt for each look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.documents import Candidate, Refusal
from semantic_nav.contracts.schemas import Json
from semantic_nav.contracts.vocabulary import Status
from semantic_nav.vlm.conversation import schema_words
from semantic_nav.vlm.gate import wire
from semantic_nav.vlm.gate.boxes import BoxConvention, box_words
from semantic_nav.vlm.gate.gate import GateRefusal
from semantic_nav.vlm.prompt import template
from semantic_nav.vlm.prompt.budget import Budget
from semantic_nav.vlm.prompt.chunks import Chunk, select
from semantic_nav.vlm.prompt.manifest import (
    PICTURE,
    Excluded,
    Included,
    Manifest,
    ManifestItem,
)
from semantic_nav.vlm.prompt.prompt import Exchange, Prompt
from semantic_nav.vlm.prompt.tokens import (
    PER_MESSAGE,
    count_picture,
    count_text,
    least_of_picture,
    least_of_text,
)
from semantic_nav.vlm.quoting import disarmed, quoted

#: Most remembered places in a prompt.
MAX_CANDIDATES = 3
_MAX_SUMMARY = 300
_MAX_TAGS = 8
#: Longest part of a refused reply that goes back to the model, in characters.
_MAX_BAD_REPLY = 2000


@dataclass(frozen=True)
class PromptContext:
    """The situation of a look, for its prompt.

    Attributes:
        goal: the operator's words.
        status: belief about the target.
        candidates: remembered places in any order.
        last_refusal: refusal of the last act of this goal; None if it was not refused.
        sent_px: width and height of the picture as it is sent.
        camera: name of the camera that took it; empty for the first, which looks ahead.
    """

    goal: str
    status: Status
    candidates: Sequence[Candidate]
    last_refusal: Refusal | None
    sent_px: tuple[int, int]
    camera: str = ''

    @property
    def ranked(self) -> list[Candidate]:
        """The candidates, best first, equal ones by id."""
        return sorted(self.candidates, key=lambda one: (-one.score, one.node_id))

    @property
    def told(self) -> list[Candidate]:
        """The candidates in the prompt, best first."""
        return self.ranked[:MAX_CANDIDATES]


def build(situation: PromptContext, boxes: BoxConvention, budget: Budget, *,
          strict_provenance: bool = False, schema_in_words: bool = False,
          tools: bool = False) -> Prompt:
    """The prompt of a look with its manifest, which depends on the arguments only.

    Memory of the candidates goes in as far as the budget allows. If even the rest does not fit,
    the manifest says so, and the prompt must not be sent.

    Args:
        situation: situation of the look.
        boxes: box convention of the model.
        budget: token budget of the prompt.
        strict_provenance: leave out memory of unknown provenance.
        schema_in_words: the system message holds the schema too.
        tools: tools will be offered.
    """
    chunks = [_chunk(candidate) for candidate in situation.ranked]
    picture = count_picture(budget.model, *situation.sent_px)
    place_ids = [one.node_id for one in situation.told]
    schema = wire.request_schema(boxes, situation.sent_px, place_ids)
    name = template.PICTURE_NAME.format(name='0' * template.NAME_DIGITS)
    system = template.SYSTEM.format(camera=template.OTHER_CAMERA.format(
        name=quoted(situation.camera)) if situation.camera else template.FIRST_CAMERA)
    fixed = [ManifestItem('system', count_text(system + name)),
             ManifestItem('template', 2 * PER_MESSAGE)]
    if schema_in_words:
        fixed.append(_schema_item(schema))
    fixed_tokens = sum(part.tokens for part in fixed)

    def request(included: Sequence[Chunk]) -> str:
        words = _request(situation, boxes, {chunk.id: chunk.text for chunk in included})
        return words + template.TOOLS if tools else words

    def fits(included: Sequence[Chunk]) -> bool:
        return budget.holds(picture + fixed_tokens + count_text(request(included)))

    chosen = select(chunks, MAX_CANDIDATES, fits, strict_provenance=strict_provenance)
    user = request(chosen.included)
    memory = [ManifestItem(f'memory:{chunk.id}', count_text(chunk.text))
              for chunk in chosen.included]
    rest = count_text(user) - sum(part.tokens for part in memory)
    known = {chunk.id for chunk in chosen.included}
    sure = fixed_tokens + least_of_text(user) + least_of_picture(
        budget.model, *situation.sent_px)
    bill = Manifest(
        parts=(*fixed, ManifestItem('request', rest), *memory, ManifestItem(PICTURE, picture)),
        included=tuple(Included(chunk.id, chunk.score, chunk.provenance)
                       for chunk in chosen.included),
        excluded=tuple(Excluded(chunk.id, chunk.score, chunk.provenance, reason,
                                count_text(chunk.text)) for chunk, reason in chosen.excluded),
        missing=tuple(one for one in place_ids if one not in known),
        sure_tokens=sure)
    return billed(Prompt(template.VERSION, system, user, schema,
                         schema_in_words=schema_in_words), bill, budget)


def with_schema_in_words(prompt: Prompt, budget: Budget) -> Prompt:
    """The prompt with the schema in words, for a server that may not enforce it."""
    if prompt.schema_in_words:
        return prompt
    bill = prompt.manifest
    bill = replace(bill, parts=(*bill.parts, _schema_item(prompt.schema)))
    return billed(replace(prompt, schema_in_words=True), bill, budget)


def with_repair(prompt: Prompt, bad_reply: str, refusal: GateRefusal, budget: Budget) -> Prompt:
    """The prompt with the model's refused reply and the reason."""
    reply = disarmed(bad_reply[:_MAX_BAD_REPLY])
    # The message quotes the reply, so it is data too.
    complaint = template.COMPLAINT.format(refusal=quoted(to_plain(refusal)))
    repairs = (*prompt.repairs, Exchange(reply, complaint))
    bill = prompt.manifest
    more = ManifestItem(f'repair:{len(repairs)}',
                        count_text(reply) + count_text(complaint) + 2 * PER_MESSAGE)
    sure = bill.sure_tokens + least_of_text(reply) + least_of_text(complaint)
    bill = replace(bill, parts=(*bill.parts, more), sure_tokens=sure)
    return billed(replace(prompt, repairs=repairs), bill, budget)


def billed(prompt: Prompt, bill: Manifest, budget: Budget) -> Prompt:
    """A prompt with the manifest of its parts, summed up and compared with the budget."""
    counted = sum(part.tokens for part in bill.parts)
    manifest = replace(
        bill, version=prompt.version, counted_tokens=counted,
        estimated_tokens=budget.estimate(counted), budget_tokens=budget.limit_tokens,
        window_tokens=budget.window_tokens, within_budget=budget.holds(counted),
        sha256=prompt.sha256)
    return replace(prompt, manifest=manifest, window_tokens=budget.window_tokens)


def _schema_item(schema: Json) -> ManifestItem:
    return ManifestItem('schema', count_text(schema_words(schema)))


def _chunk(candidate: Candidate) -> Chunk:
    known = candidate.summary or candidate.tags
    text = quoted({'node_id': candidate.node_id, 'summary': candidate.summary[:_MAX_SUMMARY],
                   'tags': list(candidate.tags[:_MAX_TAGS])}) if known else ''
    return Chunk(candidate.node_id, candidate.score, text, candidate.provenance)


def _request(situation: PromptContext, boxes: BoxConvention, remembered: Mapping[str, str]) -> str:
    """The text that goes with the picture.

    Args:
        situation: situation of the look.
        boxes: box convention of the model.
        remembered: memory of candidates as JSON, by id; the others get a placeholder.
    """
    width_px, height_px = situation.sent_px
    refusal = situation.last_refusal
    candidates = situation.told
    memory = [remembered.get(one.node_id) or quoted({'node_id': one.node_id, 'missing': True})
              for one in candidates]
    context = {
        'goal': quoted(situation.goal),
        'belief_target_status': quoted(situation.status.value),
        'candidates': _lines([quoted({'node_id': one.node_id, 'score': round(one.score, 3)})
                              for one in candidates]),
        'memory_context': _lines(memory),
        'last_refusal': quoted(refusal and {'code': refusal.code.value, 'reason': refusal.reason}),
        'image': quoted({'width': width_px, 'height': height_px, 'box': box_words(boxes)}),
    }
    block = ',\n'.join(f' "{key}": {value}' for key, value in context.items())
    return template.REQUEST.format(context=f'{{\n{block}\n}}')


def _lines(items: Sequence[str]) -> str:
    """A JSON list of values, each on a line of its own."""
    return '[\n  {}\n ]'.format(',\n  '.join(items)) if items else '[]'
