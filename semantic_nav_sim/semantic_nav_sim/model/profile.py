"""How the stand-in for a model server fails: its eyes, its words, the way to it, as data.

A profile is read from YAML (`profiles.py`), and acted on in one place for each part: eyes in
`mistakes` and `finding`, words in `telling`, confidence in `brain`, then `brain_faults`, `tools`,
and `http_faults` or whatever else carries requests to the engine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.model.transport import Transport

#: Points of a line that rises: a value, and the share of the things with it that are seen.
Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class EyesProfile:
    """How badly the eyes see. Without a word said they see everything as it is.

    All but the per-picture part of it is decided for an object and the view of it, see `draws`.
    An object is missed for its size, its distance and for what hides it: each with a limit from
    which on it is always missed, one from which on never, and a straight line between.

    Attributes:
        blind_px, sure_px: visible area below which an object is never seen, and from which on its
            size does not matter, in the picture that the camera took, or in the one that was
            sent where that is smaller [px²].
        sure_m, blind_m: distance up to which it does not matter, and beyond which nothing is seen.
        blind_share, sure_share: the same of the share of an object that is in view, 0..1.
        recall_by_area: share of the objects that are seen by the share of the picture that their
            box takes, straight between its points over the logarithm of the area, in proportion
            to it below the first; none of it matters without a point.
        recall_cut: share of those that the edge of the picture cuts by the share of them that is
            in view, in the same way.
        miss: probability of missing any object all the same.
        look_alike: probability of taking an object for one of another kind.
        wrong_colour: probability of seeing another colour than the object has.
        jitter: standard deviation of each box edge, as a fraction of the box's size.
        jitter_px: the same, as a fixed part [px].
        takes_for_it: probability of taking something alike, or of another colour, for a target
            that is not seen.
        takes_alike, takes_near_colour: the same of something of a like kind, and of the kind in a
            colour near to that which was asked for, where it is more.
        claims_stay: share of these false claims that are made of a thing from wherever it is
            seen, in each picture, or never.
        imagines_it: probability of seeing a target in a view where there is nothing of the sort.
        wrong_box: probability of drawing the box of a target around something else.
        wrong_room: probability of taking a room for one of another kind.
        persistence: share of all these decisions that are the same in each picture of a view.
        detector: a detector looks at the pixels of the picture, and nothing tells it what there
            is; without it the simulator does.
    """

    blind_px: float = 0.0
    sure_px: float = 0.0
    sure_m: float = math.inf
    blind_m: float = math.inf
    blind_share: float = 0.0
    sure_share: float = 0.0
    recall_by_area: Curve = ()
    recall_cut: Curve = ()
    miss: float = 0.0
    look_alike: float = 0.0
    wrong_colour: float = 0.0
    jitter: float = 0.0
    jitter_px: float = 0.0
    takes_for_it: float = 0.0
    takes_alike: float = 0.0
    takes_near_colour: float = 0.0
    claims_stay: float = 0.0
    imagines_it: float = 0.0
    wrong_box: float = 0.0
    wrong_room: float = 0.0
    persistence: float = 0.0
    detector: bool = False


@dataclass(frozen=True)
class WordsProfile:
    """In which words a model tells of a scene. Without a word said in plain ones, and all true.

    Attributes:
        other_words: share of things and places that are called by another word than the plain one.
        vague: share of the things of which only the colour is told.
        colourless: share of the things of which the colour is not told.
        unlisted: share of the targets that are found, and listed only if they stand out.
        goal_words: share of the listed targets that are called as in the goal.
        invented: share of the listed things that are not there.
        wander: standard deviation of what stands out, as a logarithm.
        hints: share of the replies that explore, with something in view on which such a target is
            usually kept, that name its direction.
    """

    other_words: float = 0.0
    vague: float = 0.0
    colourless: float = 0.0
    unlisted: float = 0.0
    goal_words: float = 0.0
    invented: float = 0.0
    wander: float = 0.0
    hints: float = 0.0


@dataclass(frozen=True)
class ConfidenceProfile:
    """How sure a model says that it is, 0..1.

    Attributes:
        right, wrong: mean where it is, and where it is not.
        spread: standard deviation of both.
    """

    right: float = 0.9
    wrong: float = 0.9
    spread: float = 0.0


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
    words: WordsProfile = field(default_factory=WordsProfile)
    confidence: ConfidenceProfile = field(default_factory=ConfidenceProfile)
    brain: BrainProfile = field(default_factory=BrainProfile)
    tools: ToolsProfile = field(default_factory=ToolsProfile)
    transport: Transport = field(default_factory=Transport)

    @property
    def inventing_nothing(self) -> ModelProfile:
        """The same without what a model makes up of itself."""
        return replace(self, eyes=replace(self.eyes, takes_for_it=0.0, takes_alike=0.0,
                                          takes_near_colour=0.0, imagines_it=0.0),
                       words=replace(self.words, invented=0.0))

    def __post_init__(self) -> None:
        """Refuse what the schema cannot express."""
        eyes, latency_s = self.eyes, self.transport.latency_s
        for name, low, high in (('blind_px and sure_px', eyes.blind_px, eyes.sure_px),
                                ('sure_m and blind_m', eyes.sure_m, eyes.blind_m),
                                ('blind_share and sure_share', eyes.blind_share, eyes.sure_share),
                                ('latency_s', *latency_s)):
            if low > high:
                raise ConfigError(f'{name} must rise, not {low} and {high}')
        for name, curve in (('recall_by_area', eyes.recall_by_area),
                            ('recall_cut', eyes.recall_cut)):
            if any(not (low[0] < high[0] and low[1] <= high[1])
                   for low, high in pairwise(curve)):
                raise ConfigError(f'{name} must rise, not {curve}')
