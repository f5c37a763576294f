"""Looks, whose parts come one by one: picture, depth with transforms, hypothesis."""

from collections import OrderedDict
from dataclasses import dataclass, replace

from semantic_nav.contracts.camera import Size
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.mount import fault_of_axis, fault_of_place
from semantic_nav.verify.grounding.sizes import UNKNOWN, LookSizes


@dataclass(frozen=True, eq=False)
class LookParts:
    """A look; one of `frozen` and `missing` is set once known.

    Attributes:
        look_id: the look.
        camera: name of the camera.
        passing: it neither ends nor delays an act.
        taken_ns: when its picture was announced, on the steady clock.
        size: width and height of its picture in pixels.
        frozen: depth and poses at the stamp of the picture.
        missing: reason why they are not known.
        answer: the hypothesis, once it has come.
    """

    look_id: str
    camera: str = DEFAULT_CAMERA
    passing: bool = False
    taken_ns: int = 0
    size: Size = UNKNOWN
    frozen: LookFrozen | None = None
    missing: str = ''
    answer: Document | None = None

    @property
    def complete(self) -> bool:
        """Tell whether all parts have come."""
        return self.answer is not None and (self.frozen is not None or bool(self.missing))


class Looks:
    """Buffer of the newest looks of a goal until all their parts have come, in any order."""

    def __init__(self, held: int) -> None:
        """Start without looks.

        Args:
            held: the most looks that are held.
        """
        self._most = held
        self._held: OrderedDict[str, LookParts] = OrderedDict()
        self._answered: set[str] = set()

    def take(self, look_id: str, camera: str, steady_ns: int, *, passing: bool,
             size: Size = UNKNOWN) -> None:
        """Expect depth and a hypothesis for a picture of a camera."""
        self._held[look_id] = LookParts(look_id, camera, passing, steady_ns, size)
        while len(self._held) > self._most:
            self._held.popitem(last=False)

    def freezing(self, since_ns: int) -> bool:
        """Tell whether the depth of a passing look is still to come.

        Args:
            since_ns: looks taken before count as without depth, on the steady clock.
        """
        return any(one.passing and one.frozen is None and not one.missing
                   and one.taken_ns >= since_ns for one in self._held.values())

    def freeze(self, frozen: LookFrozen, reach_m: float) -> LookParts | None:
        """Add depth and poses to a look, and return it; None if it is no longer held.

        Args:
            frozen: depth and poses.
            reach_m: largest distance of the footprint from base_link; 0 if unknown.
        """
        parts, seen = self._held.get(frozen.look_id), frozen.intrinsics
        if parts is None:
            return None
        base_T_camera = frozen.odom_T_base.inverse() @ frozen.odom_T_camera
        # Boxes are in per mille of the picture and are applied to the depth unchanged.
        fault = (LookSizes(parts.size, (seen.width_px, seen.height_px)).fault
                 or fault_of_axis(base_T_camera)
                 or fault_of_place(base_T_camera, reach_m, frozen.odom_T_base.translation[2]))
        return self._with(replace(parts, missing=fault) if fault else
                          replace(parts, frozen=frozen))

    def miss(self, look_id: str, reason: str) -> LookParts | None:
        """Mark a look as without depth, and return it; None if it is no longer held."""
        parts = self._held.get(look_id)
        if parts is None:
            return None
        return self._with(replace(
            parts, missing=reason or 'the depth of this look did not come'))

    def answer(self, hypothesis: Document) -> LookParts | None:
        """Add the hypothesis to a look, and return it; None if it has one already."""
        look_id = hypothesis.cause_id
        if not look_id or look_id in self._answered:
            return None
        # If the look was dropped, or its message lost, the hypothesis still ends the step.
        parts = self._held.get(look_id) or LookParts(
            look_id, missing='the picture of this look is not held')
        return self._with(replace(parts, answer=hypothesis))

    def _with(self, parts: LookParts) -> LookParts:
        if parts.complete:
            self._held.pop(parts.look_id, None)
            self._answered.add(parts.look_id)
        elif parts.look_id in self._held:
            self._held[parts.look_id] = parts
        return parts
