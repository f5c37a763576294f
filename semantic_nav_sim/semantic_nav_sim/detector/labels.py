"""Meanings of the detector's classes in homes: a plain word, and the kinds of things."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """Meaning of a class.

    Attributes:
        word: plain name, in the words of the homes.
        kinds: kinds of things for which it is the right class.
        perhaps: kinds that a labeller of photographs may also put into it: neither right nor
            wrong.
    """

    word: str
    kinds: tuple[str, ...]
    perhaps: tuple[str, ...] = ()


def _same(*words: str) -> dict[str, Meaning]:
    return {word: Meaning(word, (word,)) for word in words}


#: By class; homes hold nothing of the other classes.
MEANINGS = {
    **_same('bench', 'potted plant', 'toilet', 'laptop', 'keyboard', 'microwave', 'toaster',
            'refrigerator', 'vase', 'teddy bear', 'backpack'),
    'chair': Meaning('chair', ('chair', 'office chair', 'armchair'), ('stool',)),
    'couch': Meaning('sofa', ('sofa', 'armchair')),
    'bed': Meaning('bed', ('bed', 'single bed')),
    'dining table': Meaning('dining table', ('dining table',), (
        'coffee table', 'side table', 'console table', 'desk', 'stool')),
    'tv': Meaning('television', ('television', 'monitor')),
    'remote': Meaning('remote control', ('remote control',)),
    'cell phone': Meaning('phone', ('phone',)),
    'oven': Meaning('stove', ('stove',), ('kitchen counter',)),
    'sink': Meaning('sink', ('washbasin', 'sink'), ('kitchen counter', 'bathtub')),
    'book': Meaning('book', ('book',), ('bookshelf',)),
    'clock': Meaning('clock', ('alarm clock', 'wall clock')),
    'cup': Meaning('cup', ('mug', 'cup', 'glass')),
    'wine glass': Meaning('glass', ('glass',)),
    'bottle': Meaning('bottle', ('bottle',), ('soap dispenser', 'milk carton')),
    'bowl': Meaning('bowl', ('bowl', 'fruit bowl'), ('cooking pot',)),
    'sports ball': Meaning('ball', ('ball',)),
}
#: Kinds that the detector can recognise.
KINDS = frozenset(kind for meaning in MEANINGS.values() for kind in meaning.kinds)
