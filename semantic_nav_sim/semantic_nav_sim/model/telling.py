"""A model's description of a scene: everyday words, salient things first, and some inventions."""

from __future__ import annotations

import math

from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import Box, SeenObject, Sight
from semantic_nav_sim.model.finding import Found
from semantic_nav_sim.model.kinds import (
    OTHER_COLOUR_WORDS,
    OTHER_ROOM_WORDS,
    OTHER_WORDS,
    ROOM_CLUES,
)
from semantic_nav_sim.model.profile import WordsProfile
from semantic_nav_sim.model.words import GoalWords

#: Share of the things with a word of their own; the others get the model's usual one.
_OWN_WORD = 0.3
#: Most listed things with one name.
_TWICE = 2
#: Loss of salience from the centre to the corner of the picture.
_ASIDE = 0.5
#: Edges of invented boxes, as a share of the picture.
_LEAST, _MOST = 0.05, 0.3


def scene(sight: Sight, found: Found, goal: GoalWords, profile: WordsProfile, draws: Draws,
          most: int) -> tuple[str, list[tuple[str, Box]]]:
    """Describe a scene.

    Args:
        sight: Objects that the eyes saw.
        found: Claim about the target.
        goal: Words of the goal.
        profile: Faults of the words.
        draws: Random numbers.
        most: Number of things asked for.

    Returns:
        The word for the place, and names and boxes of the things, in pixels of the picture.
    """
    listed: list[tuple[str, Box]] = []
    target = found.target
    if target is not None and draws.uniform(
            'listed', target.id, target.view) >= profile.unlisted:
        told = (goal_name(goal) if draws.uniform('goal words', target.id, target.view)
                < profile.goal_words else '')
        listed.append((told or name_of(target, profile, draws), target.box_px))
    order = sorted(sight.objects, key=lambda item: -_salience(item, sight, profile, draws))
    for item in order:
        name = name_of(item, profile, draws)
        if (target is None or item.id != target.id) and (
                sum(name == other for other, _ in listed) < _TWICE):
            listed.append((name, item.box_px))
    if sight.objects:
        _invent(listed, sight, profile, draws, most)
    return place_of(sight, profile, draws), listed[:most]


def name_of(item: SeenObject, profile: WordsProfile, draws: Draws) -> str:
    """The name of a thing; mostly equal from all views."""
    if draws.steady('vague', item.id) < profile.vague:
        return f'something {item.colour}' if item.colour else 'small object'
    word = item.kind
    # A model has a usual word for a kind, and sometimes another for a single thing.
    owner = item.id if draws.steady('own word', item.id) < _OWN_WORD else ''
    if draws.steady(f'other word {item.kind}', owner) < profile.other_words:
        word = draws.steady_pick(OTHER_WORDS.get(item.kind, (word,)), f'word {item.kind}', owner)
    if not item.colour or draws.steady('colourless', item.id) < profile.colourless:
        return word
    colour = item.colour
    if draws.steady('other colour word', item.id) < profile.other_words:
        colour = draws.steady_pick(
            OTHER_COLOUR_WORDS.get(colour, (colour,)), 'colour word', item.id)
    return f'{colour} {word}'


def goal_name(goal: GoalWords) -> str:
    """The target in the words of its goal; '' if they name a room, or nothing."""
    if not goal.phrases or goal.room_is_target:
        return ''
    return ' '.join((*sorted(goal.colours), *goal.phrases[0]))


def place_of(sight: Sight, profile: WordsProfile, draws: Draws) -> str:
    """The word for a place, guessed from the visible objects."""
    if not sight.room:
        return 'room' if sight.recognised else 'unknown'
    if draws.uniform('other room word', view=sight.view) < profile.other_words:
        return draws.pick(OTHER_ROOM_WORDS.get(sight.room, (sight.room,)), 'room word',
                          view=sight.view)
    return sight.room


def _salience(item: SeenObject, sight: Sight, profile: WordsProfile, draws: Draws) -> float:
    """The salience of an object: its size, weighted by how central it is and by chance."""
    x1, y1, x2, y2 = item.box_px
    off = math.hypot((x1 + x2) / sight.width_px - 1.0, (y1 + y2) / sight.height_px - 1.0)
    by_chance = math.exp(profile.wander * draws.normal('salience', item.id, item.view))
    return math.sqrt(item.pixels) * (1.0 - _ASIDE * off / math.sqrt(2.0)) * by_chance


def _invent(listed: list[tuple[str, Box]], sight: Sight, profile: WordsProfile, draws: Draws,
            most: int) -> None:
    """Replace some listed things by absent ones that fit the room."""
    there = {item.kind for item in sight.objects}
    usual = [kind for kind in ROOM_CLUES.get(sight.room, {}) if kind not in there]
    del listed[most:]
    for place in range(len(listed)):
        if place == 0 or not usual or (
                draws.uniform(f'invented {place}', view=sight.view) >= profile.invented):
            continue
        kind = draws.pick(usual, f'which invented {place}', view=sight.view)
        listed[place] = kind, _made_up(sight, draws, f'invented {place}')
        usual.remove(kind)


def _made_up(sight: Sight, draws: Draws, what: str) -> Box:
    across, down, wide, high = (draws.uniform(f'{what} {edge}', view=sight.view)
                                for edge in ('x', 'y', 'wide', 'high'))
    wide, high = (_LEAST + (_MOST - _LEAST) * part for part in (wide, high))
    left, top = across * (1.0 - wide), down * (1.0 - high)
    return (left * sight.width_px, top * sight.height_px,
            (left + wide) * sight.width_px, (top + high) * sight.height_px)
