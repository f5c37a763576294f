"""The meaning of a goal in free words: the things of a world that a person would accept."""

from collections.abc import Sequence
from typing import Any

from semantic_nav_sim.model.kinds import ALIKE, OTHER_WORDS
from semantic_nav_sim.model.words import (
    COLOURS,
    GoalWords,
    is_room,
    names_a_kind,
    names_for_goals,
    normalise,
    noun_score,
    parse_goal,
    target_words,
)

Json = dict[str, Any]
Phrase = tuple[str, ...]


def meant(goal: str, objects: Sequence[Json]) -> list[Json] | None:
    """The objects of which any will do for a goal; empty if the world holds none.

    Relations to other things ("on", "near") are ignored: any thing of the kind in the named room
    will do.

    Args:
        goal: in words.
        objects: all objects of the world, as the truth server describes them.

    Returns:
        None if the words name no known kind of thing, so that the goal cannot be judged.
    """
    words = parse_goal(goal)
    if words.room_is_target or not (words.phrases or words.colours):
        return None
    if not words.phrases:
        return [item for item in objects if _is_so(item, words)]
    named = _by_name(goal, words, objects)
    if not named:
        if not any(_is_known(phrase, objects) for phrase in words.phrases):
            return None
        fits = {item['id'] for phrase in words.phrases
                for item in _of_phrase(phrase, words, objects)}
        named = [item for item in objects if item['id'] in fits]
    return [item for item in named if _is_so(item, words)]


def _by_name(goal: str, words: GoalWords, objects: Sequence[Json]) -> list[Json]:
    """The objects whose whole name is in the goal, with the longest such name.

    Other objects of that kind are included: a single bed is a bed.
    """
    asked = f' {normalise(target_words(goal))} '
    named = [item for item in objects if f' {normalise(item["name"])} ' in asked
             and words.colours <= _colours_of(item)
             and normalise(item['name']).split()[-1] == words.phrases[0][-1]]
    longest = max((len(item['name']) for item in named), default=0)
    named = [item for item in named if len(item['name']) == longest]
    kinds = {f' {normalise(item["name"])}' for item in named}
    return [item for item in objects if item in named or (
        any(normalise(item['kind']).endswith(kind) for kind in kinds)
        and words.colours <= _colours_of(item))]


def _is_so(item: Json, words: GoalWords) -> bool:
    """Tell whether a thing has the colours of a goal, and is in its room."""
    return words.colours <= _colours_of(item) and (
        not words.room or is_room(item['room'], words.room))


def _colours_of(item: Json) -> set[str]:
    return set(normalise(f'{item["colour"]} {item["name"]}').split()) & COLOURS


def _of_phrase(phrase: Phrase, words: GoalWords, objects: Sequence[Json]) -> list[Json]:
    """The objects that a phrase matches best; by synonyms if no own name matches.

    The name of a kind means only that kind: a coffee table is not a dining table.
    """
    kind = ' '.join(phrase)
    if names_a_kind(phrase):
        return [item for item in objects if kind == normalise(item['kind'])] or [
            item for item in objects if kind in map(normalise, _other_names(item))]
    for names_of in (_own_names, _other_names):
        called = [item for item in objects if noun_score(phrase, names_of(item))]
        if called:
            scores = [noun_score(phrase, names_of(item)) if _is_so(item, words) else 0
                      for item in called]
            return [item for item, score in zip(called, scores, strict=True)
                    if 0 < score == max(scores)]
    return []


def _own_names(item: Json) -> tuple[str, ...]:
    return names_for_goals(item['kind'], item['name'])


def _other_names(item: Json) -> tuple[str, ...]:
    return OTHER_WORDS.get(item['kind'], ())


def _is_known(phrase: Phrase, objects: Sequence[Json]) -> bool:
    """Tell whether a phrase names any kind of thing, in this world or elsewhere."""
    return noun_score(phrase, (
        *OTHER_WORDS, *(word for others in OTHER_WORDS.values() for word in others),
        *(kind for kinds in ALIKE for kind in kinds), *(item['kind'] for item in objects))) > 0
