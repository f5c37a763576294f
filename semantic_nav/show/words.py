"""Words for what people read of a mission."""

from semantic_nav.contracts.hypothesis import TargetStatus

#: What a model says of the target in a picture.
SEEN = {
    TargetStatus.VISIBLE: 'the model sees it',
    TargetStatus.AMBIGUOUS: 'the model sees it, or another that fits',
    TargetStatus.NOT_VISIBLE: 'the model does not see it',
}
