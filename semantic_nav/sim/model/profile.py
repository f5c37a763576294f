"""How the stand-in for a model server fails: its eyes, its brain and the way to it, as data.

A profile is read from YAML (`sim/profiles.py`), and acted on in one place for each part:
`mistakes`, `brain_faults`, `tools`, and `http_faults` or whatever else carries requests to the
engine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.sim.model.transport import Transport


@dataclass(frozen=True)
class EyesProfile:
    """How badly the eyes see. Without a word said they see everything as it is.

    All of it is decided for an object and the view of it, see `draws`.
    An object is missed for its size, its distance and for what hides it: each with a limit from
    which on it is always missed, one from which on never, and a straight line between.

    Attributes:
        blind_px, sure_px: visible area below which an object is never seen, and from which on its
            size does not matter, in the picture that the camera took, or in the one that was
            sent where that is smaller [px²].
        sure_m, blind_m: distance up to which it does not matter, and beyond which nothing is seen.
        blind_share, sure_share: the same of the share of an object that is in view, 0..1.
        miss: probability of missing any object all the same.
        look_alike: probability of taking an object for one of another kind.
        wrong_colour: probability of seeing another colour than the object has.
        jitter: standard deviation of each box edge, as a fraction of the box's size.
        jitter_px: the same, as a fixed part [px].
        wrong_room: probability of taking a room for one of another kind.
        persistence: share of all these decisions that are the same in each picture of a view.
    """

    blind_px: float = 0.0
    sure_px: float = 0.0
    sure_m: float = math.inf
    blind_m: float = math.inf
    blind_share: float = 0.0
    sure_share: float = 0.0
    miss: float = 0.0
    look_alike: float = 0.0
    wrong_colour: float = 0.0
    jitter: float = 0.0
    jitter_px: float = 0.0
    wrong_room: float = 0.0
    persistence: float = 0.0


@dataclass(frozen=True)
class BrainProfile:
    """How often each thing goes wrong in a reply, 0..1; each is drawn on its own.

    Attributes:
        hallucinated_box: approaches a box in which there is nothing of the kind.
        same_wrong_box: approaches the same corner of every picture.
        hallucinated_node: wants to go to a place that it was never told of.
        injected_text: does what a text in the picture tells it.
        contradiction: sees the target not, and approaches it in two ways at once.
        always_stop: says that it has arrived.
        wrong_schema: answers with a JSON object of its own making.
        numbers_as_strings: puts numbers in quotes.
        nan: is NaN sure.
        duplicate_keys: names its action twice.
        prose: answers in words.
        cut_json: ends in the middle.
        loop: repeats itself until it is cut off.
        garbage: answers with characters of all sorts.
        oversized: goes on far beyond the limit that it was given.
    """

    hallucinated_box: float = 0.0
    same_wrong_box: float = 0.0
    hallucinated_node: float = 0.0
    injected_text: float = 0.0
    contradiction: float = 0.0
    always_stop: float = 0.0
    wrong_schema: float = 0.0
    numbers_as_strings: float = 0.0
    nan: float = 0.0
    duplicate_keys: float = 0.0
    prose: float = 0.0
    cut_json: float = 0.0
    loop: float = 0.0
    garbage: float = 0.0
    oversized: float = 0.0


@dataclass(frozen=True)
class ToolsProfile:
    """How a model uses tools that it is offered; without a word said, it uses none.

    Attributes:
        rate: share of the turns in which it uses any, 0..1.
        rounds: most turns with tools before it answers.
        at_once: most tools in one turn.
        unknown: share of the calls that are of a tool which nobody offered.
        wrong_arguments: share of the others whose arguments are not what the tool takes.
    """

    rate: float = 0.0
    rounds: int = 1
    at_once: int = 1
    unknown: float = 0.0
    wrong_arguments: float = 0.0


@dataclass(frozen=True)
class ModelProfile:
    """Everything that is wrong with a model server; without a word said, nothing.

    Raises:
        ConfigError: it makes no sense.
    """

    PART: ClassVar[str] = 'model'

    eyes: EyesProfile = field(default_factory=EyesProfile)
    brain: BrainProfile = field(default_factory=BrainProfile)
    tools: ToolsProfile = field(default_factory=ToolsProfile)
    transport: Transport = field(default_factory=Transport)

    def __post_init__(self) -> None:
        """Refuse what the schema cannot express."""
        eyes, latency_s = self.eyes, self.transport.latency_s
        for name, low, high in (('blind_px and sure_px', eyes.blind_px, eyes.sure_px),
                                ('sure_m and blind_m', eyes.sure_m, eyes.blind_m),
                                ('blind_share and sure_share', eyes.blind_share, eyes.sure_share),
                                ('latency_s', *latency_s)):
            if low > high:
                raise ConfigError(f'{name} must rise, not {low} and {high}')
