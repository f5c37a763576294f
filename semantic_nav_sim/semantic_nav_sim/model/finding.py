"""Detection of a goal's target among the objects that the eyes saw, with false claims."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.kinds import NEAR_COLOURS
from semantic_nav_sim.model.mistakes import alike, guess_room
from semantic_nav_sim.model.profile import EyesProfile
from semantic_nav_sim.model.words import (
    COLOURS,
    GoalWords,
    is_called,
    is_room,
    names_a_kind,
    names_for_goals,
    normalise,
    noun_score,
)

_STANDS_OUT = 4.0
"""The larger of two matches is *the* one from this ratio of visible areas on."""


@dataclass(frozen=True)
class Found:
    """The model's claim about the target.

    Attributes:
        target: Claimed target, with the box that is drawn; None if it sees none.
        ambiguous: Whether another object also fits.
        right: Whether the claim is true; the model does not know this.
    """

    target: SeenObject | None = None
    ambiguous: bool = False
    right: bool = True


def find(words: GoalWords, sight: Sight, truth: Sight, eyes: EyesProfile, draws: Draws) -> Found:
    """Look for the target of a goal.

    Args:
        words: Of the goal.
        sight: Objects that the eyes saw.
        truth: Objects that the picture shows.
        eyes: Faults of the eyes.
        draws: Random numbers.
    """
    if not words.phrases and not words.colours:
        return Found()
    fitting = {item.id for item in matches(words, replace(
        truth, room=guess_room(truth.objects) or sight.room))}
    found = matches(words, sight)
    goal = f'{words.phrases} {sorted(words.colours)} {words.room}'
    if not found:
        target = _taken_for_it(words, goal, sight, eyes, draws)
        return Found(target, right=target is None and not fitting)
    # If the target is a room, anything in it will do.
    target, right = found[0], bool(fitting) if words.room_is_target else found[0].id in fitting
    if draws.uniform(f'wrong box {goal}', target.id, target.view) < eyes.wrong_box:
        other = _beside(target, sight)
        if other is not None:
            target, right = replace(target, box_px=other.box_px), False
    return Found(target, _ambiguous(words, found), right)


def matches(words: GoalWords, sight: Sight) -> list[SeenObject]:
    """The objects that the goal may mean, best first: by match of the words, then by size."""
    if words.room and sight.room and not is_room(sight.room, words.room):
        return []
    if words.room_is_target:
        return list(sight.objects[:1]) if sight.room else []
    for phrase in words.phrases or ((),):
        scored = [(_score(phrase, item), item)
                  for item in sight.objects if _has_colours(item, words.colours)]
        best = max((score for score, _ in scored), default=0)
        if best:
            return [item for score, item in scored if score == best]
    return []


def _score(phrase: tuple[str, ...], item: SeenObject) -> int:
    """Match score of a phrase and an object. The name of one kind never matches another kind."""
    if not phrase:
        return 1
    if names_a_kind(phrase) and not is_called(phrase, item.kind, item.name):
        return 0
    return noun_score(phrase, names_for_goals(item.kind, item.name))


def _taken_for_it(words: GoalWords, goal: str, sight: Sight, eyes: EyesProfile,
                  draws: Draws) -> SeenObject | None:
    """The object that a model falsely claims as the target, if any."""
    if words.room_is_target or not sight.objects:
        return None
    for item in sight.objects:
        chance = _deceives(item, words, eyes)
        if chance and draws.lasting(f'taken for {goal}', item.id, item.view,
                                    eyes.claims_stay) < chance:
            return item
    if draws.uniform(f'imagined {goal}', view=sight.view) < eyes.imagines_it:
        # A model that imagines a target draws the box around some object.
        return draws.pick(sight.objects, f'imagined where {goal}', view=sight.view)
    return None


def _deceives(item: SeenObject, words: GoalWords, eyes: EyesProfile) -> float:
    """Probability that an object is taken for a target, by the goal.

    Only objects of the target's kind in another colour, or of its colour and a similar kind, are.
    """
    for phrase in words.phrases:
        if noun_score(phrase, names_for_goals(item.kind, item.name)):
            near = words.colours & {*NEAR_COLOURS.get(item.colour, ())}
            return max(eyes.takes_for_it, eyes.takes_near_colour if near else 0.0)
        if _has_colours(item, words.colours) and (
                {phrase[-1], ' '.join(phrase)} & set(alike(item.kind))):
            return max(eyes.takes_for_it, eyes.takes_alike)
    return 0.0 if words.phrases else eyes.takes_for_it


def _beside(target: SeenObject, sight: Sight) -> SeenObject | None:
    """The object round which a wrong box is drawn: the nearest of the target's kind, or of any."""
    def off(item: SeenObject) -> tuple[bool, float]:
        one, other = (((box[0] + box[2]) / 2.0, (box[1] + box[3]) / 2.0)
                      for box in (item.box_px, target.box_px))
        return item.kind != target.kind, math.dist(one, other)

    return min((item for item in sight.objects if item.id != target.id), key=off, default=None)


def _ambiguous(words: GoalWords, found: list[SeenObject]) -> bool:
    return (words.definite and len(found) > 1
            and found[0].pixels < _STANDS_OUT * found[1].pixels)


def _has_colours(item: SeenObject, colours: frozenset[str]) -> bool:
    own = set(normalise(f'{item.colour} {item.name}').split()) & COLOURS
    return colours <= own
