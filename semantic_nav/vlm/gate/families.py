"""Families of vision-language models, with their box conventions, thinking and picture tokens.

docs/models.md has the same table with the source of each line.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from semantic_nav.vlm.gate.boxes import BoxConvention


class Thoughts(StrEnum):
    """Habit of a model to think before it answers."""

    NEVER = 'never'
    #: Unless it is told not to.
    AT_WILL = 'at_will'
    #: Except variants that are named instruct.
    ALWAYS = 'always'


@dataclass(frozen=True)
class Family:
    """A family of models with a common training.

    Attributes:
        name: name of the family, one of those that `family_of` finds.
        also: other names, such as those of architectures.
        boxes: box convention; None if it is not published.
        thoughts: habit to think before the answer.
        patch_px: edge of the patch that becomes one token of a picture; 0 if the size of the
            picture does not matter, or is unknown.
        fewest: fewest tokens that a picture is counted with.
        surely: fewest tokens of a picture under any settings of the server; for families with a
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
        """Compile the pattern of its names."""
        object.__setattr__(self, '_pattern', pattern_of((self.name, *self.also)))

    def is_named_in(self, text: str) -> bool:
        """Tell whether a text holds one of its names."""
        return self._pattern.search(text.lower()) is not None


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds names anywhere in lower-case text, however their parts are joined.

    A number at the end of a name is a version, and must not match the beginning of another version
    or a size as in `gemma:4b`.
    """
    return re.compile('|'.join(f'(?:{_joined(name)})' for name in names))


def _joined(name: str) -> str:
    parts = re.findall(r'[a-z]+|[0-9]', name.lower()) or [re.escape(name.lower())]
    end = r'(?![0-9]|\.[0-9]|b(?![a-z]))' if parts[-1].isdigit() else ''
    return r'[-_. ]*'.join(parts) + end


_PERMILLE, _YX = BoxConvention.PERMILLE, BoxConvention.PERMILLE_YX
#: The first family that a text names is meant.
FAMILIES = (
    # Servers enlarge small pictures for these, to 1024 tokens.
    Family('qwen2-vl', (), _PERMILLE, patch_px=28, fewest=1024),
    Family('qwen2.5-vl', (), BoxConvention.PIXELS, patch_px=28, fewest=1024),
    Family('qwen3-vl', (), _PERMILLE, Thoughts.ALWAYS, patch_px=32, fewest=1024),
    Family('qwen3.5', ('qwen3.6',), _PERMILLE, Thoughts.AT_WILL, patch_px=32, fewest=1024),
    Family('paligemma', (), _YX),
    Family('gemma3n'),
    Family('gemma3', (), _YX, fewest=258, surely=256),
    # For any budget of 70 to 1120 tokens that the server may have.
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
    """The family of a model, by the first text that names one; None if none does.

    Args:
        said: texts about the model, the surest first: its architecture, then names.
    """
    for text in said:
        if text.lower() in _AMBIGUOUS:
            continue
        for family in FAMILIES:
            if family.is_named_in(text):
                return family
    return None
