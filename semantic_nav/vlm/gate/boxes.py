"""Box conventions of models, and the conversion to per mille of the picture."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeGuard

from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.gate.units import WireError

#: Largest distance of a corner outside the picture, in per mille of its size, if the middle of the
#: box lies inside: it is moved to the edge, as Qwen3-VL's makers advise (Qwen3-VL 1035, with 6 %).
#: A larger one is mostly a box of another convention.
_TOLERANCE_PERMILLE = 80.0
#: Smallest width and height of a box, in per mille of the picture.
_MIN_EXTENT_PERMILLE = 1.0
#: Largest coordinate as a share of the picture, with rounding.
_WHOLE = 1.001
_LARGEST = 100_000
#: Longer side of the largest picture that is sent, in pixels.
_LONGEST_SIDE_PX = 2016


class BoxConvention(StrEnum):
    """Convention by which a model writes boxes."""

    #: x1, y1, x2, y2 from 0 to 1000.
    PERMILLE = 'permille'
    #: y1, x1, y2, x2 from 0 to 1000.
    PERMILLE_YX = 'permille_yx'
    #: x1, y1, x2, y2 from 0 to 1.
    UNIT = 'unit'
    #: x1, y1, x2, y2 in pixels of the picture sent.
    PIXELS = 'pixels'


class BoxError(WireError):
    """A box is not a rectangle inside the picture."""


#: Schema of an accepted box in any convention.
ACCEPTED_BOX: Json = {
    'type': 'array', 'items': {'type': 'number', 'minimum': -_LARGEST, 'maximum': _LARGEST},
    'minItems': 4, 'maxItems': 4}
_WORDS = {
    BoxConvention.PERMILLE: '[x1, y1, x2, y2], left, top, right and bottom edge, in thousandths '
                            'of the picture: 0 to 1000 across, 0 to 1000 down',
    BoxConvention.PERMILLE_YX: '[y1, x1, y2, x2], top, left, bottom and right edge, in '
                               'thousandths of the picture: 0 to 1000 down, 0 to 1000 across',
    BoxConvention.UNIT: '[x1, y1, x2, y2], left, top, right and bottom edge, as shares of the '
                        'picture: 0 to 1 across, 0 to 1 down',
    BoxConvention.PIXELS: '[x1, y1, x2, y2], left, top, right and bottom edge, in pixels of this '
                          'picture',
}


def box_words(boxes: BoxConvention) -> str:
    """The convention in words, for the model to read."""
    return _WORDS[boxes]


def asked_box(boxes: BoxConvention, sent_px: tuple[int, int] | None = None) -> Json:
    """The schema of a box as it is asked for: whole numbers with bounds.

    Shares are the exception: a model that writes them begins with `0.`, of which a grammar of
    whole numbers lets only the 0 through.

    Args:
        boxes: box convention of the model.
        sent_px: width and height of the picture it sees; None if unknown.
    """
    side: Json = {'type': 'integer', 'minimum': 0, 'maximum': 1000}
    if boxes is BoxConvention.PIXELS:
        side['maximum'] = max(sent_px) if sent_px else _LONGEST_SIDE_PX
    elif boxes is BoxConvention.UNIT:
        side = {'type': 'number', 'minimum': 0, 'maximum': 1}
    return {**ACCEPTED_BOX, 'items': side}


def is_box(value: Any) -> TypeGuard[list[float]]:
    """Tell whether a value is an acceptable box, wherever it lies."""
    return isinstance(value, list) and len(value) == 4 and all(
        type(side) in (int, float) and -_LARGEST <= side <= _LARGEST for side in value)


def in_shares(box: Sequence[float], boxes: BoxConvention) -> bool:
    """Tell whether a box is written in shares of the picture though these were not asked for.

    In every other convention it would enclose less than a pixel.
    """
    return boxes is not BoxConvention.UNIT and all(0 <= side <= _WHOLE for side in box) and any(
        type(side) is float for side in box)


def is_otherwise(box: Sequence[float], boxes: BoxConvention) -> bool:
    """Tell whether a box deviates from what was asked for: in shares, or by other corners."""
    return in_shares(box, boxes) or box[0] > box[2] or box[1] > box[3]


def canonical_box(box: Sequence[float], boxes: BoxConvention, sent_px: tuple[int, int],
                  path: str = '$.box') -> Box:
    """A box in per mille of the picture.

    Any two opposite corners span it: the makers of Qwen-VL and of Gemini read their models' boxes
    so (the code for drawing them in both cookbooks).

    Args:
        box: four numbers.
        boxes: convention of the box.
        sent_px: width and height of the picture the model saw.
        path: JSON path of the box in the reply.

    Raises:
        BoxError: it is not a rectangle inside the picture.
    """
    across, down = 1.0, 1.0
    if boxes is BoxConvention.UNIT or in_shares(box, boxes):
        across = down = 1000.0
    elif boxes is BoxConvention.PIXELS:
        across, down = 1000.0 / sent_px[0], 1000.0 / sent_px[1]
    x1, y1, x2, y2 = box if boxes is not BoxConvention.PERMILLE_YX else (
        box[1], box[0], box[3], box[2])
    x1, y1, x2, y2 = x1 * across, y1 * down, x2 * across, y2 * down
    low, high = -_TOLERANCE_PERMILLE, 1000.0 + _TOLERANCE_PERMILLE
    if not all(low <= side <= high for side in (x1, y1, x2, y2)) or not all(
            0.0 <= middle <= 1000.0 for middle in ((x1 + x2) / 2, (y1 + y2) / 2)):
        raise BoxError(path, f'{list(box)} reaches outside the picture')
    (x1, x2), (y1, y2) = sorted((x1, x2)), sorted((y1, y2))
    x1, y1, x2, y2 = (min(max(value, 0.0), 1000.0) for value in (x1, y1, x2, y2))
    if x2 - x1 < _MIN_EXTENT_PERMILLE or y2 - y1 < _MIN_EXTENT_PERMILLE:
        raise BoxError(path, f'{list(box)} encloses nothing')
    return x1, y1, x2, y2


def iou(one: Box, other: Box) -> float:
    """Intersection over union of two boxes, 0 to 1."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(width, 0.0) * max(height, 0.0)
    return shared / (_area(one) + _area(other) - shared)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
