"""Sizes of picture, depth and calibration of a look, which must fit one view."""

from dataclasses import dataclass
from itertools import combinations

from semantic_nav.contracts.camera import Size, is_same_view

#: Size of an absent or unknown picture.
UNKNOWN: Size = (0, 0)


@dataclass(frozen=True)
class LookSizes:
    """Widths and heights of the parts of a look, in pixels.

    Attributes:
        picture: of the picture that the model gets.
        depth: of its depth picture.
        calibrated: of the picture that camera_info is for.
    """

    picture: Size = UNKNOWN
    depth: Size = UNKNOWN
    calibrated: Size = UNKNOWN

    @property
    def fault(self) -> str:
        """Mismatch of the sizes, for people; empty if they fit one view."""
        known = [size for size in (self.picture, self.depth, self.calibrated) if all(size)]
        if all(is_same_view(one, other) for one, other in combinations(known, 2)):
            return ''
        return (f'{self} are not of one view: let the driver register depth to the picture, '
                'at its size, and name the camera_info of that picture')

    def __str__(self) -> str:
        told = (('picture', self.picture), ('depth', self.depth), ('camera_info', self.calibrated))
        return ', '.join(f'{what} {size[0]} x {size[1]}' for what, size in told
                         if all(size)) + ' pixels'


class SteadySizes:
    """Check of the sizes from look to look.

    A driver may now and then publish depth that is not registered. So if the depth alone changes
    its size, it is accepted only from the second look in a row on.
    """

    def __init__(self) -> None:
        """Start without a look."""
        self._usual: LookSizes | None = None
        self._doubted = ('', UNKNOWN)

    def fault(self, look_id: str, sizes: LookSizes) -> str:
        """Fault of the sizes of a look, for people; a look may be checked more than once."""
        before = self._usual
        if sizes.fault or before is None or before.depth == sizes.depth or (
                before.calibrated != sizes.calibrated):
            return sizes.fault
        doubted_id, doubted = self._doubted
        if doubted == sizes.depth:
            if doubted_id != look_id:
                return ''
        else:
            self._doubted = look_id, sizes.depth
        return (f'{_change(before, sizes)}: the depth alone changed; let the driver publish it '
                'registered to the picture, always at one size')

    def change(self, sizes: LookSizes) -> str:
        """Accept the sizes of a look, and return their change for people; empty for none."""
        before, self._usual, self._doubted = self._usual, sizes, ('', UNKNOWN)
        return '' if before in (None, sizes) else _change(before, sizes)


def _change(before: LookSizes | None, sizes: LookSizes) -> str:
    return f'sizes change from look to look: {sizes}, before {before}'
