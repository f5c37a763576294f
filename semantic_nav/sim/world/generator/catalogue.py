"""All kinds of things that homes are furnished with, and which are easily confused."""

from semantic_nav.sim.world.generator.furniture import FURNITURE
from semantic_nav.sim.world.generator.kinds import Kind
from semantic_nav.sim.world.generator.objects import OBJECTS

#: Kinds that look much alike, and colours that do: what a careless eye mixes up.
SIMILAR_KINDS = {'mug': ('cup', 'vase'), 'cup': ('mug', 'bowl'), 'bowl': ('cup', 'plate'),
                 'vase': ('bottle', 'mug'), 'bottle': ('vase', 'candle'),
                 'book': ('tissue box', 'cushion'), 'cushion': ('backpack', 'book'),
                 'ball': ('bowl', 'toy car'), 'toy car': ('ball', 'mug'),
                 'backpack': ('cushion', 'shoes'), 'bucket': ('vase', 'cooking pot')}
SIMILAR_COLOURS = {'red': ('orange', 'pink'), 'blue': ('green', 'teal', 'purple', 'black'),
                   'green': ('yellow', 'blue', 'teal'), 'yellow': ('orange', 'white', 'green'),
                   'white': ('yellow', 'grey', 'beige'), 'orange': ('red', 'yellow'),
                   'black': ('grey', 'blue', 'brown'), 'brown': ('orange', 'black', 'red'),
                   'grey': ('white', 'black', 'blue'), 'pink': ('red', 'purple'),
                   'purple': ('blue', 'pink'), 'teal': ('blue', 'green'),
                   'beige': ('white', 'yellow', 'brown')}


def kind_of(words: str) -> Kind | None:
    """Return the kind that a thing's name ends with ('mug' of 'red mug'), or None."""
    for known in (FURNITURE, OBJECTS):
        for name, kind in known.items():
            if words == name:
                return kind
            if words.endswith(f' {name}'):
                word = words.removesuffix(f' {name}')
                if any(word in (look.word, look.colour) for look in kind.finishes):
                    return kind
    return None


__all__ = ['FURNITURE', 'OBJECTS', 'SIMILAR_COLOURS', 'SIMILAR_KINDS', 'kind_of']
