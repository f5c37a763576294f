"""The names in a look's scene, as the memory keeps them."""

import re
from dataclasses import dataclass

from semantic_nav.contracts.documents import Hypothesis, Observation
from semantic_nav.embed.words import content_words

_MAX_NAME_CHARS = 60
#: A name holds words, and what joins them; whatever else a model wrote is left out.
_NOT_OF_A_NAME = re.compile(r"[^\w '&/-]|_")
_SPACES = re.compile(r'\s+')
#: What models say when they do not know.
_NOTHING = frozenset({'', 'unknown', 'unclear', 'none', 'null', 'n/a', 'na', 'other', 'nothing',
                      'unspecified', 'object', 'objects', 'room', 'place'})


@dataclass(frozen=True)
class View:
    """What a look saw, in words.

    Attributes:
        kind: of the place; empty where the model did not tell.
        names: of the things, each once.
    """

    kind: str
    names: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Tell whether there is anything to remember."""
        return bool(self.kind or self.names)


def clean_name(text: str) -> str:
    """Return a model's word for something in lower case, or an empty string where it says nothing.

    The words go back into prompts, so nothing but letters, digits and plain joints stays.
    """
    cleaned = _SPACES.sub(' ', _NOT_OF_A_NAME.sub(' ', text)).strip(" '&/-").lower()
    cleaned = cleaned[:_MAX_NAME_CHARS].rstrip()
    return '' if cleaned in _NOTHING else cleaned


def name_of_goal(text: str) -> str:
    """Return what a goal seeks, as a name; empty where it says nothing."""
    return clean_name(' '.join(content_words(text)))


def read_view(observation: Observation, hypothesis: Hypothesis | None) -> View:
    """Return the names of a look.

    Args:
        observation: what was grounded.
        hypothesis: what the model claimed, with the names of what could not be grounded; None
            where it is not known.
    """
    scene = hypothesis.hypothesis.scene.objects if hypothesis is not None else ()
    names = [clean_name(item.name) for item in scene]
    # The box of the target carries no name of its own.
    names += [clean_name(item.name) for item in observation.objects if not item.is_target]
    return View(clean_name(observation.scene_place),
                tuple(dict.fromkeys(name for name in names if name)))
