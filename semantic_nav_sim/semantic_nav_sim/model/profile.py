"""Faults of the stand-in for a model server, as data: from its eyes to its transport.

A profile is read from YAML (`profiles.py`). Each part is applied in one place: eyes in `mistakes`
and `finding`, words in `telling`, confidence in `brain`, then `brain_faults`, `tools`, and
`http_faults` or any other transport to the engine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.model.transport import Transport

#: Points of a rising line: a value, and the share of the things with it that are seen.
Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class EyesProfile:
    """Faults of the eyes; by default they see everything as it is.

    All but the per-picture part is decided for an object and the view of it, see `draws`. An
    object is missed for its size, its distance and its occlusion. Each has a limit beyond which it
    is always missed, another beyond which it never is, and a linear ramp between.

    Attributes:
        blind_px, sure_px: visible area below which an object is never seen, and from which its
            size does not matter, in the camera's picture, or in the sent one if that is smaller
            [px²].
        sure_m, blind_m: distance up to which it does not matter, and beyond which nothing is seen.
        blind_share, sure_share: visible share below which an object is never seen, and from which
            occlusion does not matter, 0..1.
        recall_by_area: share of the objects that are seen, by the share of the picture that their
            box takes. It is linear in the logarithm of the area between its points, and
            proportional to the area below the first; without points it has no effect.
        recall_cut: share of the objects cut by the picture's edge that are seen, by their visible
            share, interpolated in the same way.
        miss: probability of missing any object regardless.
        look_alike: probability of confusing an object with another kind.
        wrong_colour: probability of seeing a wrong colour.
        jitter: standard deviation of each box edge, as a fraction of the box's size.
        jitter_px: constant part of that standard deviation [px].
        takes_for_it: probability of taking a similar object, or one of another colour, for a
            target that is not seen.
        takes_alike, takes_near_colour: probability for an object of a similar kind, and for one of
            the target's kind in a near colour; each applies if larger than takes_for_it.
        claims_stay: share of these false claims that depend on the thing alone, so that they occur
            in all pictures of it or in none.
        imagines_it: probability of seeing a target in a view without anything similar.
        wrong_box: probability of drawing the target's box around another object.
        wrong_room: probability of confusing a room with another kind.
        persistence: share of all these decisions that are equal in all pictures of a view.
        detector: whether a detector looks at the picture's pixels, without the truth; otherwise
            the simulator tells the content.
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
    """Words that a model uses for a scene; by default they are plain and true.

    Attributes:
        other_words: share of things and places that are called by a synonym.
        vague: share of the things of which only the colour is told.
        colourless: share of the things whose colour is not told.
        unlisted: share of the found targets that are listed only if they stand out.
        goal_words: share of the listed targets that are called as in the goal.
        invented: share of the listed things that do not exist.
        wander: standard deviation of the salience, as a logarithm.
        hints: share of the exploring replies that name the direction of a visible object on which
            such a target is usually kept, if there is one.
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
    """Stated confidence of a model, 0..1.

    Attributes:
        right, wrong: mean for correct and for false claims.
        spread: standard deviation of both.
    """

    right: float = 0.9
    wrong: float = 0.9
    spread: float = 0.0


@dataclass(frozen=True)
class BrainProfile:
    """Probability of each fault in a reply, 0..1; all are independent.

    Attributes:
        hallucinated_box: approaches a box without anything of the kind.
        same_wrong_box: approaches the same corner of every picture.
        hallucinated_node: goes to a place that it was never told of.
        injected_text: obeys a text in the picture.
        contradiction: says that it does not see the target, and approaches it in two ways.
        always_stop: says that it has arrived.
        wrong_schema: answers with another JSON object.
        numbers_as_strings: puts numbers in quotes.
        nan: gives NaN as its confidence.
        duplicate_keys: gives its action twice.
        prose: answers in prose.
        cut_json: stops in the middle.
        loop: repeats itself up to the limit.
        garbage: answers with random characters.
        oversized: goes on far beyond the given limit.
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
    """Use of the offered tools; by default a model uses none.

    Attributes:
        rate: share of the turns with tool calls, 0..1.
        rounds: most turns with calls before the answer.
        at_once: most calls in one turn.
        unknown: share of the calls to a tool that was not offered.
        wrong_arguments: share of the other calls with invalid arguments.
    """

    rate: float = 0.0
    rounds: int = 1
    at_once: int = 1
    unknown: float = 0.0
    wrong_arguments: float = 0.0


@dataclass(frozen=True)
class ModelProfile:
    """All faults of a model server; by default there are none.

    Raises:
        ConfigError: the values contradict each other.
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
        """The profile without things that a model makes up."""
        return replace(self, eyes=replace(self.eyes, takes_for_it=0.0, takes_alike=0.0,
                                          takes_near_colour=0.0, imagines_it=0.0),
                       words=replace(self.words, invented=0.0))

    def __post_init__(self) -> None:
        """Reject errors that the schema cannot express."""
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
