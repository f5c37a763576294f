"""Knowledge of homes: the direction in which a target is likely, given the objects in view."""

from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.kinds import OTHER_WORDS
from semantic_nav_sim.model.words import GoalWords, normalise
from semantic_nav_sim.usual_places import KNOWN, kept_on

#: Models do not know the lens, and assume half of the field of view. Estimate.
_HALF_VIEW_DEG = 30.0
#: Kinds with known usual places, by any of their names; their own names have priority.
_KINDS = {
    **{normalise(word): kind for kind in KNOWN for word in OTHER_WORDS.get(kind, ())},
    **{normalise(kind): kind for kind in KNOWN}}


def direction_deg(words: GoalWords, sight: Sight) -> int | None:
    """Direction of the visible object on which a target is most often kept; None if there is none.

    Args:
        words: Of the goal.
        sight: Objects that the eyes saw.

    Returns:
        In degrees from straight ahead, positive to the left.
    """
    kept: dict[str, float] = {}
    for phrase in words.phrases:
        for furniture, share in kept_on(_KINDS.get(' '.join(phrase), '')).items():
            kept[furniture] = max(share, kept.get(furniture, 0.0))

    def usual(item: SeenObject) -> float:
        return kept.get(item.kind, 0.0)

    best = max(sight.objects, key=usual, default=None)
    if best is None or not usual(best):
        return None
    x1, _, x2, _ = best.box_px
    return round(_HALF_VIEW_DEG * (1.0 - (x1 + x2) / sight.width_px))
