"""How models write boxes."""

from enum import StrEnum


class BoxConvention(StrEnum):
    """How a model writes boxes."""

    #: x1, y1, x2, y2 from 0 to 1000.
    PERMILLE = 'permille'
    #: y1, x1, y2, x2 from 0 to 1000.
    PERMILLE_YX = 'permille_yx'
    #: x1, y1, x2, y2 from 0 to 1.
    UNIT = 'unit'
    #: x1, y1, x2, y2 in pixels of the picture sent.
    PIXELS = 'pixels'
