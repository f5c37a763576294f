"""The words of a goal: target, colours and place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from semantic_nav_sim.model.kinds import ALIKE, OTHER_WORDS

COLOURS = frozenset({
    'red', 'green', 'blue', 'yellow', 'orange', 'purple', 'pink', 'brown', 'black', 'white',
    'grey', 'beige', 'cyan', 'turquoise', 'teal', 'silver', 'golden', 'navy',
})
ROOMS = frozenset({
    'kitchen', 'bathroom', 'bedroom', 'hall', 'garage', 'pantry', 'laundry', 'study',
    'dining room', 'living room', 'nursery', 'balcony',
})

_SYNONYMS = {
    'gray': 'grey', 'violet': 'purple', 'gold': 'golden', 'tan': 'beige',
    'refrigerator': 'fridge', 'couch': 'sofa', 'settee': 'sofa', 'loveseat': 'sofa',
    'television': 'tv', 'telly': 'tv', 'tv set': 'tv', 'bookcase': 'bookshelf',
    'book shelf': 'bookshelf', 'shelves': 'shelf', 'cooker': 'stove', 'oven': 'stove',
    'range': 'stove', 'washbasin': 'sink', 'basin': 'sink', 'bathtub': 'bath', 'tub': 'bath',
    'wc': 'toilet', 'loo': 'toilet', 'rubbish bin': 'bin', 'trash can': 'bin',
    'trash bin': 'bin', 'garbage can': 'bin', 'dustbin': 'bin', 'wastebasket': 'bin',
    'waste basket': 'bin', 'potted plant': 'plant', 'houseplant': 'plant',
    'flower pot': 'plant', 'notebook computer': 'laptop', 'mobile': 'phone', 'carpet': 'rug',
    'closet': 'wardrobe', 'cupboard': 'cabinet', 'drapes': 'curtain', 'night stand': 'nightstand',
    'bedside table': 'nightstand', 'easy chair': 'armchair', 'arm chair': 'armchair',
    'washer': 'washing machine', 'wash room': 'bathroom', 'washroom': 'bathroom',
    'restroom': 'bathroom', 'corridor': 'hall', 'hallway': 'hall', 'hall way': 'hall',
    'entrance': 'hall', 'office': 'study', 'lounge': 'living room', 'sitting room': 'living room',
    'livingroom': 'living room', 'diningroom': 'dining room', 'bath room': 'bathroom',
    'bed room': 'bedroom', 'cosy chair': 'armchair',
}


def _to(verbs: str) -> str:
    """A pattern of a wish, such as 'to sit' or 'where can I sit'."""
    return rf'\b(?:to|can|could|should|do)(?: i| we)? (?:{verbs})\b'


#: Purposes in goals, each with the kinds that serve it, best first.
_PURPOSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf'{_to("sit|rest|relax")}|\ba seat\b|\b(?:somewhere|place) to read\b',
     ('sofa', 'armchair', 'chair', 'stool', 'bench')),
    (rf'{_to("sleep|lie down|nap")}|\b(?:am|feel) (?:so )?(?:tired|sleepy)\b', ('bed', 'sofa')),
    (rf'{_to("work|write|study")}', ('desk', 'table')),
    (r'\b(?:somewhere|place) to eat\b|\bwhere (?:can|do|should) (?:i|we) eat\b',
     ('dining table', 'table')),
    (r'\b(?:somewhere|place) to put\b|\bwhere (?:can|could|should) (?:i|we) put\b',
     ('table', 'desk')),
    (r'\bto drink from\b|\bthirsty\b', ('mug', 'glass', 'bottle')),
    (r'\bto drink\b|\ba drink\b', ('bottle', 'milk carton', 'glass', 'mug', 'cup', 'fridge')),
    (rf'{_to("eat")}|\bhungry\b|\ba snack\b', ('fruit bowl', 'fridge')),
    (rf'{_to("boil")}|\b(?:some|a cup of|want|make|a) (?:tea|coffee)$', ('kettle',)),
    (rf'{_to("cook|warm")}', ('stove', 'microwave')),
    (rf'{_to("wash (?:my |the |some |our )?(?:clothes|laundry|shirt|trousers)")}|'
     r'\bdo (?:the |my |some )?laundry\b', ('washing machine',)),
    (rf'{_to("wash")}', ('sink',)),
    (r'\bsomething to read\b', ('book',)),
    (r'\bwhat time\b|\btell the time\b', ('clock',)),
    (rf'{_to("watch")}', ('tv',)),
    (rf'{_to("throw")}|\brubbish\b', ('bin',)),
    (rf'{_to("print")}', ('printer',)),
    (r'\bit is (?:too |so )?dark\b', ('lamp',)),
)
_PLACE_WORDS = re.compile(
    r'\b(?:near|beside|by|at|behind|under|below|above|over|in front of|next to|close to|'
    r'on top of|on|in|inside|from|around|opposite|left of|right of|to the left of|'
    r'to the right of|between|with|that|which|where)\b')
_FILLER = frozenset(
    'a an the my your our his her their some any this these those one of to for me us it is are '
    'please can could would you robot find search look locate go drive move navigate head come '
    'take bring get fetch show see visit reach approach stop explore check there here now then '
    'and i want need like us out up over where somewhere something anything anywhere someplace '
    'place spot thing object item am be do doe did have should what let help keep put kept'
    .split())
_INDEFINITE = re.compile(r'\b(a|an|any|some|somewhere|something|anything|anywhere)\b')


@dataclass(frozen=True)
class GoalWords:
    """The parsed words of a goal.

    Attributes:
        phrases: Names of the target, best first; each a tuple of words ending in the noun.
        colours: Colours the target must have.
        room: Room in the goal, as the target itself or as its place; '' if none.
        definite: Whether one certain thing is meant ('the mug'), not any ('a chair').
    """

    phrases: tuple[tuple[str, ...], ...]
    colours: frozenset[str]
    room: str
    definite: bool

    @property
    def room_is_target(self) -> bool:
        """Tell whether the target is the room itself ('go to the kitchen')."""
        return bool(self.room) and self.phrases == (tuple(self.room.split()),)


def normalise(text: str) -> str:
    """Normalise text to lower-case words with single spaces, without plurals and synonyms."""
    words = re.findall(r'[a-z0-9]+', text.lower().replace('_', ' '))
    out: list[str] = []
    index = 0
    while index < len(words):
        pair = ' '.join(_singular(word) for word in words[index:index + 2])
        if index + 1 < len(words) and pair in _SYNONYMS:
            out.append(_SYNONYMS[pair])
            index += 2
            continue
        word = _singular(words[index])
        out.append(_SYNONYMS.get(word, word))
        index += 1
    return ' '.join(out)


def parse_goal(goal: str) -> GoalWords:
    """Split a goal into target, colours and room.

    Args:
        goal: A sentence, such as 'find the red mug on the kitchen table'.

    Returns:
        The parsed words; no phrases if the sentence names nothing.
    """
    plain = ' '.join(re.findall(r'[a-z0-9]+', goal.lower()))
    wish, wanted = next(((match, kinds) for pattern, kinds in _PURPOSES
                         if (match := re.search(pattern, plain))), (None, ()))
    if wish and _names_a_thing(plain[:wish.start()]):
        # A bowl to eat from is a bowl.
        plain, wanted = f'{plain[:wish.start()]} which {plain[wish.start():]}', ()
    target, *places = _target_and_place(plain)
    named = [word for word in target.split() if word not in _FILLER]
    colours = frozenset(named) & COLOURS
    phrase = tuple(word for word in named if word not in COLOURS)
    # 'in the kitchen' is the place, 'the kitchen' the target; 'the kitchen table' is only a name.
    room = _room_in(' '.join(places)) or (_room_in(target) if ' '.join(phrase) in ROOMS else '')
    if wanted:
        return GoalWords(tuple(tuple(kind.split()) for kind in wanted), frozenset(), room, False)
    return GoalWords((phrase,) if phrase else (), colours, room,
                     _INDEFINITE.search(plain) is None)


def _names_a_thing(text: str) -> bool:
    return not _NOUNS.isdisjoint(set(normalise(text).split()) - _FILLER)


def target_words(goal: str) -> str:
    """The part of a goal that names the target, without its place."""
    return _target_and_place(goal)[0].strip()


def _target_and_place(goal: str) -> list[str]:
    words = normalise(goal).split()
    # Leading filler may contain a place word ('look in ...', 'go over to ...').
    while words and (words[0] in _FILLER or _PLACE_WORDS.fullmatch(words[0])):
        words.pop(0)
    return _PLACE_WORDS.split(' '.join(words), maxsplit=1)


def is_room(name: str, room: str) -> bool:
    """Tell whether a place with some name ('bedroom_2') is the room of a goal ('bedroom')."""
    return f' {room} ' in f' {normalise(name)} '


def noun_score(phrase: tuple[str, ...], names: tuple[str, ...]) -> int:
    """Match score of a phrase and an object: 0 for no match, more for each matching word.

    Args:
        phrase: Words ending in the noun, such as ('coffee', 'table').
        names: Names of the object (its kind and its name), in any spelling.

    Returns:
        0, or 1 plus the number of matching words; the last word must name the object.
    """
    best = 0
    for name in names:
        words = normalise(name).split()
        if words and words[-1] == phrase[-1]:
            best = max(best, 1 + len(set(words) & set(phrase)))
    return best


def names_a_kind(phrase: tuple[str, ...]) -> bool:
    """Tell whether several words name a kind: a coffee table is not a dining table."""
    return len(phrase) > 1 and ' '.join(phrase) in _KINDS


def unknown_words(words: GoalWords) -> str:
    """The words of a goal that name no kind known to the model; empty if all are known.

    The things in this home do not matter.
    """
    if words.room_is_target or any(phrase[-1] in _NOUNS for phrase in words.phrases):
        return ''
    return ' '.join(next(iter(words.phrases), ()))


def is_called(phrase: tuple[str, ...], kind: str, name: str) -> bool:
    """Tell whether words that name a kind match an object's kind, or the end of its name."""
    words = ' '.join(phrase)
    return words in map(normalise, (kind, *OTHER_WORDS.get(kind, ()))) or (
        f' {normalise(name)}'.endswith(f' {words}'))


def names_for_goals(kind: str, name: str) -> tuple[str, str]:
    """The names by which a goal may mean an object.

    Worlds distinguish things by their rooms ('dining room dark potted plant'), which nobody sees
    in a thing.
    """
    own = set(normalise(kind).split())
    words = normalise(name)
    for room in ROOMS:
        if not own & set(room.split()):
            words = f' {words} '.replace(f' {room} ', ' ').strip()
    return kind, words


def _room_in(text: str) -> str:
    return next((room for room in sorted(ROOMS) if re.search(rf'\b{room}\b', text)), '')


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(('shes', 'ches', 'sses', 'xes')):
        return word[:-2]
    if len(word) > 3 and word.endswith('s') and not word.endswith(('ss', 'us', 'is')):
        return word[:-1]
    return word


#: Names of kinds and their synonyms, normalised.
_KINDS = frozenset(normalise(name) for kind, others in OTHER_WORDS.items()
                   for name in (kind, *others))
_NOUNS = frozenset(name.split()[-1] for name in (*_KINDS, *(
    normalise(kind) for kinds in ALIKE for kind in kinds)))
