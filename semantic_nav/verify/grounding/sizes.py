"""Sizes of picture, depth and calibration of a look, which must be of one view."""

from dataclasses import dataclass
from itertools import combinations

from semantic_nav.contracts.camera import Size, is_same_view

#: Of what is not there, or does not tell.
UNKNOWN: Size = (0, 0)


@dataclass(frozen=True)
class LookSizes:
    """Widths and heights of what belongs to one look, in pixels.

    Attributes:
        picture: that the model gets.
        depth: of its depth.
        calibrated: of the picture that camera_info is for.
    """

    picture: Size = UNKNOWN
    depth: Size = UNKNOWN
    calibrated: Size = UNKNOWN

    @property
    def fault(self) -> str:
        """Why they cannot be of one view, in words; empty where they can."""
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
    """The sizes of look after look.

    Depth that alone is of another size than before is not of the same view, where a driver now and
    then publishes what is not registered: it is taken from the second look in a row on.
    """

    def __init__(self) -> None:
        """Have seen none."""
        self._usual: LookSizes | None = None
        self._doubted = ('', UNKNOWN)

    def fault(self, look_id: str, sizes: LookSizes) -> str:
        """Return why the sizes of a look cannot be, in words; a look may be asked for again."""
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
        """Take the sizes of a look for usual; returns how they changed, empty if they did not."""
        before, self._usual, self._doubted = self._usual, sizes, ('', UNKNOWN)
        return '' if before in (None, sizes) else _change(before, sizes)


def _change(before: LookSizes | None, sizes: LookSizes) -> str:
    return f'sizes change from look to look: {sizes}, before {before}'
