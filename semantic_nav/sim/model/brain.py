"""A brain that answers by a small rule where a real model would answer by experience.

It reads the goal from the prompt, looks for it among what the eyes saw, and proposes one action.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from semantic_nav.sim.model.eyes import Box, SeenObject, Sight
from semantic_nav.sim.model.words import (
    COLOURS,
    GoalWords,
    is_room,
    normalise,
    noun_score,
    parse_goal,
)

_JSON_BLOCK = re.compile(r'```json[ \t]*\r?\n(.*?)\r?\n?[ \t]*```', re.DOTALL)
_SCENE_OBJECTS = 12
_RATIONALE_CHARS = 200
_STANDS_OUT = 4.0
"""The larger of two matches is *the* one from this ratio of visible areas on."""


@dataclass(frozen=True)
class Task:
    """What the prompt asks.

    Attributes:
        goal: The goal in words.
        belief: Where the mission stands ('searching', 'likely_in_memory', ...), '' if not said.
        candidates: Remembered places, as given.
        refused: Whether the last proposal was refused.
    """

    goal: str
    belief: str = ''
    candidates: tuple[dict[str, Any], ...] = ()
    refused: bool = False


def read_block(text: str) -> dict[str, Any] | None:
    """Read the fenced JSON object of a message; None if it has none."""
    match = _JSON_BLOCK.search(text)
    try:
        block = json.loads(match.group(1)) if match else None
    except ValueError:
        return None
    return block if isinstance(block, dict) else None


def read_task(text: str) -> Task:
    """Read the task from a user message.

    Args:
        text: A message with one fenced JSON block that has a `goal`, or a plain sentence.

    Returns:
        The task; of a plain sentence, the sentence itself is the goal.
    """
    block = read_block(text)
    if block is None or not isinstance(block.get('goal'), str):
        return Task(goal=_JSON_BLOCK.sub(' ', text).strip())
    candidates = block.get('candidates')
    return Task(
        goal=block['goal'],
        belief=str(block.get('belief_target_status') or ''),
        candidates=tuple(
            item for item in candidates if isinstance(item, dict) and 'node_id' in item)
        if isinstance(candidates, list) else (),
        refused=bool(block.get('last_refusal')))


def answer(task: Task, sight: Sight, per_mille: bool = False) -> dict[str, Any]:
    """Propose what to do next.

    Args:
        task: What is asked.
        sight: What the eyes saw.
        per_mille: Give boxes as 0..1000 of the picture instead of in its pixels.

    Returns:
        The reply, with the fields its action allows and in the order a schema would force.
    """
    words = parse_goal(task.goal)
    matches = _matches(words, sight)
    reply = _decide(task, words, matches, sight)
    target = matches[0] if matches else None
    if reply['action'] == 'approach' and target is not None:
        reply['target_box'] = _whole(target.box_px, sight, per_mille)
    rationale = reply.pop('rationale')
    reply['scene'] = _scene(sight, target, per_mille)
    reply['rationale'] = rationale[:_RATIONALE_CHARS]
    return reply


def target_box(task: Task, sight: Sight, per_mille: bool = False) -> list[int] | None:
    """Where the target is seen, as `answer` writes boxes; None if it is not."""
    matches = _matches(parse_goal(task.goal), sight)
    return _whole(matches[0].box_px, sight, per_mille) if matches else None


def keep_known(reply: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Drop the fields a JSON schema has no property for, in the reply and in its scene.

    Args:
        reply: A reply of `answer`.
        schema: The request's `format`; anything but a schema with properties drops nothing.
    """
    known = _properties(schema, schema)
    if not known:
        return reply
    kept = {key: value for key, value in reply.items() if key in known}
    scene = _properties(known.get('scene'), schema)
    if scene and isinstance(kept.get('scene'), dict):
        kept['scene'] = {key: value for key, value in kept['scene'].items() if key in scene}
        things = scene.get('objects')
        thing = _properties(things.get('items'), schema) if isinstance(things, dict) else {}
        if thing and 'objects' in kept['scene']:
            kept['scene']['objects'] = [
                {key: value for key, value in item.items() if key in thing}
                for item in kept['scene']['objects']]
    return kept


def _decide(task: Task, words: GoalWords, matches: list[SeenObject],
            sight: Sight) -> dict[str, Any]:
    if not words.phrases and not words.colours:
        return {
            'action': 'ask_clarification', 'target_status': 'not_visible', 'confidence': 0.4,
            'clarification_question': 'What should I look for?',
            'rationale': 'The goal names nothing I could look for.'}
    if matches:
        ambiguous = _ambiguous(words, matches)
        confidence = _confidence(matches[0], sight)
        return {
            'action': 'approach',
            'target_status': 'ambiguous' if ambiguous else 'visible',
            'confidence': min(confidence, 0.6) if ambiguous else confidence,
            'rationale': f'I see {_named(matches[0])}'
            + (' and another that fits as well.' if ambiguous else ', which is what was asked.')}
    unseen = ('I do not see it here.' if sight.recognised
              else 'I cannot make out this picture.')
    best = max(task.candidates, key=_score, default=None)
    if best is not None and task.belief == 'likely_in_memory' and not task.refused:
        return {
            'action': 'goto_node', 'target_status': 'not_visible',
            'confidence': round(min(_score(best), 0.9), 2), 'node_id': best['node_id'],
            'rationale': f'{unseen} A remembered place fits.'}
    return {
        'action': 'explore', 'target_status': 'not_visible', 'confidence': 0.4,
        'rationale': f'{unseen} I would look elsewhere.'}


def _matches(words: GoalWords, sight: Sight) -> list[SeenObject]:
    """Objects the goal may mean, best first: by how well the words fit, then by size."""
    if words.room and sight.room and not is_room(sight.room, words.room):
        return []
    if words.room_is_target:
        return list(sight.objects[:1]) if sight.room else []
    for phrase in words.phrases or ((),):
        scored = [
            (noun_score(phrase, (item.kind, item.name)) if phrase else 1, item)
            for item in sight.objects if _has_colours(item, words.colours)]
        best = max((score for score, _ in scored), default=0)
        if best:
            return [item for score, item in scored if score == best]
    return []


def _ambiguous(words: GoalWords, matches: list[SeenObject]) -> bool:
    return (words.definite and len(matches) > 1
            and matches[0].pixels < _STANDS_OUT * matches[1].pixels)


def _has_colours(item: SeenObject, colours: frozenset[str]) -> bool:
    own = set(normalise(f'{item.colour} {item.name}').split()) & COLOURS
    return colours <= own


def _confidence(item: SeenObject, sight: Sight) -> float:
    area = max(1, sight.width_px * sight.height_px)
    return round(0.6 + 0.35 * min(1.0, math.sqrt(item.pixels / area) / 0.4), 2)


def _score(candidate: dict[str, Any]) -> float:
    score = candidate.get('score')
    return float(score) if isinstance(score, int | float) else 0.0


def _named(item: SeenObject) -> str:
    return f'{"an" if item.name[:1] in "aeiou" else "a"} {item.name}'


def _scene(sight: Sight, target: SeenObject | None, per_mille: bool) -> dict[str, Any]:
    shown = list(sight.objects[:_SCENE_OBJECTS])
    if target is not None and target not in shown:
        shown[-1] = target
    return {
        'place': sight.room.replace('_', ' ') or 'unknown',
        'objects': [
            {'name': item.name, 'box': _whole(item.box_px, sight, per_mille)} for item in shown]}


def _whole(box: Box, sight: Sight, per_mille: bool) -> list[int]:
    """A box in whole units with an area, inside the picture."""
    out = []
    for low, high, size in ((box[0], box[2], sight.width_px), (box[1], box[3], sight.height_px)):
        scale, limit = (1000.0 / size, 1000) if per_mille else (1.0, size)
        first = min(max(math.floor(low * scale), 0), limit - 1)
        out.append((first, min(max(math.ceil(high * scale), first + 1), limit)))
    (x1, x2), (y1, y2) = out
    return [x1, y1, x2, y2]


def _properties(schema: Any, root: Any) -> dict[str, Any]:
    """All properties a schema names, its branches and references included."""
    found: dict[str, Any] = {}
    for part in _branches(schema, root, depth=8):
        properties = part.get('properties')
        if isinstance(properties, dict):
            found = {**properties, **found}
    return found


def _branches(schema: Any, root: Any, depth: int) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict) or depth == 0:
        return
    yield schema
    reference = schema.get('$ref')
    if isinstance(reference, str) and reference.startswith('#/'):
        target = root
        for key in reference[2:].split('/'):
            target = target.get(key) if isinstance(target, dict) else None
        yield from _branches(target, root, depth - 1)
    for key in ('allOf', 'anyOf', 'oneOf'):
        for branch in schema.get(key) or ():
            yield from _branches(branch, root, depth - 1)
    for key in ('then', 'else'):
        yield from _branches(schema.get(key), root, depth - 1)
