"""Which things of a world a goal in free words means, as a person would read it."""

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
    """Return the objects of which any will do for a goal; none where the world holds none.

    What a thing is on, or near to, is not read: any of its kind, in the room that is named, will
    do.

    Args:
        goal: in words.
        objects: all of the world, as the truth tells of them.

    Returns:
        None where the words name no kind of thing that is known here, so that nobody can say.
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
    """Return the objects whose whole name is what is asked for, of the longest name.

    Others of its kind as well: a single bed is a bed.
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
    """Tell whether a thing has the colours, and is in the room, that a goal names."""
    return words.colours <= _colours_of(item) and (
        not words.room or is_room(item['room'], words.room))


def _colours_of(item: Json) -> set[str]:
    return set(normalise(f'{item["colour"]} {item["name"]}').split()) & COLOURS


def _of_phrase(phrase: Phrase, words: GoalWords, objects: Sequence[Json]) -> list[Json]:
    """Return the objects that a phrase fits best; by other words where none is called so.

    Words that are the name of a kind mean that kind: a coffee table is no dining table.
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
    """Tell whether a phrase names any kind of thing, be it in this world or not."""
    return noun_score(phrase, (
        *OTHER_WORDS, *(word for others in OTHER_WORDS.values() for word in others),
        *(kind for kinds in ALIKE for kind in kinds), *(item['kind'] for item in objects))) > 0
