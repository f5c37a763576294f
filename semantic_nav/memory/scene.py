"""The names in a look's scene, in the form that the memory keeps."""

import re
from dataclasses import dataclass

from semantic_nav.contracts.documents import Hypothesis, Observation
from semantic_nav.embed.words import content_words

_MAX_NAME_CHARS = 60
#: Characters outside a name: a name holds words and their joiners.
_NOT_OF_A_NAME = re.compile(r"[^\w '&/-]|_")
_SPACES = re.compile(r'\s+')
#: Words of models that do not know.
_NOTHING = frozenset({'', 'unknown', 'unclear', 'none', 'null', 'n/a', 'na', 'other', 'nothing',
                      'unspecified', 'object', 'objects', 'room', 'place'})


@dataclass(frozen=True)
class View:
    """A look in words.

    Attributes:
        kind: of the place; empty if the model gave none.
        names: of the things, each once.
    """

    kind: str
    names: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Tell whether there is anything to remember."""
        return bool(self.kind or self.names)


def clean_name(text: str) -> str:
    """A model's name of something in lower case; empty if it says nothing.

    The words go back into prompts, so nothing but letters, digits and plain joiners stays.
    """
    cleaned = _SPACES.sub(' ', _NOT_OF_A_NAME.sub(' ', text)).strip(" '&/-").lower()
    cleaned = cleaned[:_MAX_NAME_CHARS].rstrip()
    return '' if cleaned in _NOTHING else cleaned


def name_of_goal(text: str) -> str:
    """The name of a goal's target; empty if the goal names none."""
    return clean_name(' '.join(content_words(text)))


def read_view(observation: Observation, hypothesis: Hypothesis | None) -> View:
    """The names of a look.

    Args:
        observation: the grounded things.
        hypothesis: the model's claims, with the names of things that could not be grounded; None
            if unknown.
    """
    scene = hypothesis.hypothesis.scene.objects if hypothesis is not None else ()
    names = [clean_name(item.name) for item in scene]
    # The box of the target carries no name of its own.
    names += [clean_name(item.name) for item in observation.objects if not item.is_target]
    return View(clean_name(observation.scene_place),
                tuple(dict.fromkeys(name for name in names if name)))
