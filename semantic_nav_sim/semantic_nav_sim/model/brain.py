"""Stands in for the reasoning of a vision-language model by a small rule.

It reads the goal from the prompt, looks for it among the objects that the eyes saw, and proposes
one action.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from semantic_nav_sim.model.common_sense import direction_deg
from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import Box, Sight
from semantic_nav_sim.model.finding import Found, find
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.model.telling import name_of, scene
from semantic_nav_sim.model.words import parse_goal, unknown_words

_JSON_BLOCK = re.compile(r'```json[ \t]*\r?\n(.*?)\r?\n?[ \t]*```', re.DOTALL)
_ASKED_THINGS = re.compile(r'up to (\d+) objects')
#: Number of listed things if the prompt names none.
_USUAL_THINGS = 6
_RATIONALE_CHARS = 200
_WORD_CHARS = 60
#: Step of the stated confidence: models answer in twentieths.
_ROUND = 0.05


@dataclass(frozen=True)
class Task:
    """The task of a prompt.

    Attributes:
        goal: The goal in words.
        belief: State of the mission ('searching', 'likely_in_memory', ...), '' if not given.
        candidates: Remembered places, as given.
        refused: Whether the last proposal was rejected.
        most_things: Number of scene objects asked for.
        is_look: Whether it asks for a target in a picture; False for a plain sentence.
    """

    goal: str
    belief: str = ''
    candidates: tuple[dict[str, Any], ...] = ()
    refused: bool = False
    most_things: int = _USUAL_THINGS
    is_look: bool = True


def read_block(text: str) -> dict[str, Any] | None:
    """Read the fenced JSON object of a message; None if it has none."""
    match = _JSON_BLOCK.search(text)
    try:
        block = json.loads(match.group(1)) if match else None
    except ValueError:
        return None
    return block if isinstance(block, dict) else None


def read_task(text: str, rules: str = '') -> Task:
    """Read the task from a user message.

    Args:
        text: A message with one fenced JSON block that has a `goal`, or a plain sentence.
        rules: System prompt.

    Returns:
        The task; a plain sentence is itself the goal.
    """
    block, asked = read_block(text), _ASKED_THINGS.search(rules)
    most_things = int(asked.group(1)) if asked else _USUAL_THINGS
    if block is None or not isinstance(block.get('goal'), str):
        return Task(goal=_JSON_BLOCK.sub(' ', text).strip(), most_things=most_things,
                    is_look=False)
    candidates = block.get('candidates')
    return Task(
        goal=block['goal'],
        belief=str(block.get('belief_target_status') or ''),
        candidates=tuple(
            item for item in candidates if isinstance(item, dict) and 'node_id' in item)
        if isinstance(candidates, list) else (),
        refused=bool(block.get('last_refusal')), most_things=most_things)


@dataclass(frozen=True)
class Mind:
    """Faults and random numbers of a model.

    Attributes:
        profile: Faults of the model.
        draws: Random numbers.
    """

    profile: ModelProfile = field(default_factory=ModelProfile)
    draws: Draws = field(default_factory=lambda: Draws(0, 0.0))


def look_for(task: Task, sight: Sight, mind: Mind, truth: Sight | None = None) -> Found:
    """Look for the target of a task.

    Args:
        task: The task.
        sight: Objects that the eyes saw.
        mind: Faults and random numbers of the model.
        truth: Objects that the picture shows; None if the eyes saw all of them.
    """
    return find(parse_goal(task.goal), sight, truth or sight, mind.profile.eyes, mind.draws)


def answer(task: Task, sight: Sight, per_mille: bool = False, mind: Mind | None = None,
           truth: Sight | None = None) -> dict[str, Any]:
    """Propose the next action.

    Args:
        task: The task.
        sight: Objects that the eyes saw.
        per_mille: Whether boxes are in 0..1000 of the picture instead of pixels.
        mind: Faults and random numbers of the model; None for no faults.
        truth: Objects that the picture shows; None if the eyes saw all of them.

    Returns:
        The reply, with the fields that its action allows, in the order that a schema would force.
    """
    mind = mind or Mind()
    found = look_for(task, sight, mind, truth)
    reply = _decide(task, found, sight, mind)
    if reply['action'] == 'approach' and found.target is not None:
        reply['target_box'] = whole_box(found.target.box_px, sight, per_mille)
    rationale = reply.pop('rationale')
    place, things = scene(sight, found, parse_goal(task.goal), mind.profile.words, mind.draws,
                          task.most_things)
    reply['scene'] = {'place': place, 'objects': [
        {'name': name, 'box': whole_box(box, sight, per_mille)} for name, box in things]}
    reply['rationale'] = rationale[:_RATIONALE_CHARS]
    return reply


def keep_known(reply: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Drop the fields that a JSON schema does not define, in the reply and in its scene.

    Args:
        reply: A reply of `answer`.
        schema: The request's `format`; without properties it drops nothing.
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


def _decide(task: Task, found: Found, sight: Sight, mind: Mind) -> dict[str, Any]:
    words = parse_goal(task.goal)
    if not words.phrases and not words.colours:
        return {
            'action': 'ask_clarification', 'target_status': 'not_visible',
            'confidence_percent': 40, 'clarification_question': 'What should I look for?',
            'rationale': 'The goal names nothing I could look for.'}
    percent = round(100 * _confidence(found, sight, mind))
    if found.target is not None:
        name = name_of(found.target, mind.profile.words, mind.draws)
        return {
            'action': 'approach',
            'target_status': 'ambiguous' if found.ambiguous else 'visible',
            'confidence_percent': percent,
            'rationale': f'I see {_with_article(name)}'
            + (' and another that fits as well.' if found.ambiguous
               else ', which is what was asked.')}
    unseen = ('I do not see it here.' if sight.recognised
              else 'I cannot make out this picture.')
    unknown = unknown_words(words)
    if unknown:
        unseen = f'I do not know what a “{unknown[:_WORD_CHARS]}” is, and go by the name. {unseen}'
    best = max(task.candidates, key=_score, default=None)
    if best is not None and task.belief == 'likely_in_memory' and not task.refused:
        return {
            'action': 'goto_node', 'target_status': 'not_visible',
            'confidence_percent': percent, 'node_id': best['node_id'],
            'rationale': f'{unseen} A remembered place fits.'}
    reply: dict[str, Any] = {
        'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': percent,
        'rationale': f'{unseen} I would look elsewhere.'}
    if mind.draws.uniform('hint', view=sight.view) < mind.profile.words.hints:
        bearing_deg = direction_deg(words, sight)
        if bearing_deg is not None:
            reply['explore_bearing_deg'] = bearing_deg
    return reply


def _with_article(name: str) -> str:
    if name.startswith('something'):
        return name
    return f'{"an" if name[:1] in "aeiou" else "a"} {name}'


def _confidence(found: Found, sight: Sight, mind: Mind) -> float:
    """The stated confidence of the model, which says little about its correctness."""
    profile, target = mind.profile.confidence, found.target
    if target is not None and target.confidence is not None:
        return round(target.confidence, 2)
    mean = profile.right if found.right else profile.wrong
    drawn = mean + profile.spread * mind.draws.normal(
        'confidence', target.id if target else '', target.view if target else sight.view)
    return round(min(max(round(drawn / _ROUND) * _ROUND, _ROUND), 1.0), 2)


def _score(candidate: dict[str, Any]) -> float:
    score = candidate.get('score')
    return float(score) if isinstance(score, int | float) else 0.0


def whole_box(box: Box, sight: Sight, per_mille: bool) -> list[int]:
    """A box in whole units, with an area, clipped to the picture."""
    out = []
    for low, high, size in ((box[0], box[2], sight.width_px), (box[1], box[3], sight.height_px)):
        scale, limit = (1000.0 / size, 1000) if per_mille else (1.0, size)
        first = min(max(math.floor(low * scale), 0), limit - 1)
        out.append((first, min(max(math.ceil(high * scale), first + 1), limit)))
    (x1, x2), (y1, y2) = out
    return [x1, y1, x2, y2]


def _properties(schema: Any, root: Any) -> dict[str, Any]:
    """All properties of a schema, including those of its branches and references."""
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
