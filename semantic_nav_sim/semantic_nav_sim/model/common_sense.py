"""What a model knows of homes: in which direction a target would be, by what is in view."""

from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.kinds import OTHER_WORDS
from semantic_nav_sim.model.words import GoalWords, normalise
from semantic_nav_sim.usual_places import KNOWN, kept_on

#: No model is told of the lens: it takes a picture for twice as wide. Estimate.
_HALF_VIEW_DEG = 30.0
#: Kinds of which it is known where they are kept, by what they are called; own names go first.
_KINDS = {
    **{normalise(word): kind for kind in KNOWN for word in OTHER_WORDS.get(kind, ())},
    **{normalise(kind): kind for kind in KNOWN}}


def direction_deg(words: GoalWords, sight: Sight) -> int | None:
    """Return the direction of what in view a target is most often kept on; None without such.

    Args:
        words: Of the goal.
        sight: What the eyes saw.

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
