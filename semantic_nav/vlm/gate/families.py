"""The families of vision-language models: how each writes boxes, thinks, and counts a picture.

docs/models.md has the same table with the source of each line.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from semantic_nav.vlm.gate.boxes import BoxConvention


class Thoughts(StrEnum):
    """Whether a model thinks before it answers."""

    NEVER = 'never'
    #: Unless it is told not to.
    AT_WILL = 'at_will'
    #: But for tags of their own, whose names say instruct.
    ALWAYS = 'always'


@dataclass(frozen=True)
class Family:
    """Models that were trained alike.

    Attributes:
        name: of the family, by which `family_of` finds it too.
        also: other names, such as those of architectures.
        boxes: how it writes boxes; None where nobody has published it.
        thoughts: whether it thinks.
        patch_px: edge of what becomes one token of a picture; 0 where the size of the picture
            does not matter, or is not known.
        fewest: tokens that a picture is counted with at least.
        surely: tokens that it has at least, whatever the server's settings; for families with a
            patch size, the patches count instead.
    """

    name: str
    also: tuple[str, ...] = ()
    boxes: BoxConvention | None = None
    thoughts: Thoughts = Thoughts.NEVER
    patch_px: int = 0
    fewest: int = 0
    surely: int = 0
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile what finds its names."""
        object.__setattr__(self, '_pattern', pattern_of((self.name, *self.also)))

    def is_named_in(self, text: str) -> bool:
        """Tell whether a text holds one of its names."""
        return self._pattern.search(text.lower()) is not None


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """Return what finds names anywhere in small letters, however their parts are joined.

    A number at the end of a name is a version: neither the beginning of another one, nor a size
    as in `gemma:4b`.
    """
    return re.compile('|'.join(f'(?:{_joined(name)})' for name in names))


def _joined(name: str) -> str:
    parts = re.findall(r'[a-z]+|[0-9]', name.lower()) or [re.escape(name.lower())]
    end = r'(?![0-9]|\.[0-9]|b(?![a-z]))' if parts[-1].isdigit() else ''
    return r'[-_. ]*'.join(parts) + end


_PERMILLE, _YX = BoxConvention.PERMILLE, BoxConvention.PERMILLE_YX
#: The first that is named in a text is meant.
FAMILIES = (
    # Servers enlarge small pictures for these, to 1024 tokens.
    Family('qwen2-vl', (), _PERMILLE, patch_px=28, fewest=1024),
    Family('qwen2.5-vl', (), BoxConvention.PIXELS, patch_px=28, fewest=1024),
    Family('qwen3-vl', (), _PERMILLE, Thoughts.ALWAYS, patch_px=32, fewest=1024),
    Family('qwen3.5', ('qwen3.6',), _PERMILLE, Thoughts.AT_WILL, patch_px=32, fewest=1024),
    Family('paligemma', (), _YX),
    Family('gemma3n'),
    Family('gemma3', (), _YX, fewest=258, surely=256),
    # Whatever budget of 70 to 1120 the server chose.
    Family('gemma4', (), _YX, Thoughts.AT_WILL, fewest=1120, surely=70),
    # One view of 576 tokens in version 1.5, up to five in 1.6; the name does not tell.
    Family('llava', ('bakllava',), BoxConvention.UNIT, fewest=2880, surely=576),
    Family('moondream', (), BoxConvention.UNIT),
    Family('glm-4v', ('glm-4.1v', 'glm-4.5v', 'glm-4.6v'), _PERMILLE, Thoughts.AT_WILL),
    Family('internvl', (), _PERMILLE),
    # Up to nine slices and the whole, 64 tokens each.
    Family('minicpm-v', (), fewest=640, surely=64),
    Family('kimi-vl', thoughts=Thoughts.AT_WILL),
    Family('llama4'),
    Family('llama3.2-vision', ('llama3.2-11b-vision', 'llama3.2-90b-vision', 'mllama')),
    Family('ministral-3'),
    Family('mistral-small3', ('mistral-small3.1', 'mistral-small3.2', 'mistral3', 'magistral')),
    Family('pixtral'),
    Family('phi-4-multimodal', ('phi4mm',)),
    Family('phi-3.5-vision', ('phi3v',)),
    Family('molmo2', ('molmo',)),
    Family('granite3.2-vision', ('granite-vision',)),
    Family('smolvlm', ('idefics3',)),
    Family('claude'),
)
#: llama.cpp calls two families by this name, which write boxes differently.
_AMBIGUOUS = ('qwen2vl',)


def family_of(*said: str) -> Family | None:
    """Return the family of a model, by the first text that names one; None where none does.

    Args:
        said: what is known of the model, the surest first: its architecture, then names.
    """
    for text in said:
        if text.lower() in _AMBIGUOUS:
            continue
        for family in FAMILIES:
            if family.is_named_in(text):
                return family
    return None
