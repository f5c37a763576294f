"""Recall and precision, in the simulator's pictures, of a detector trained on photographs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from semantic_nav.show.table import Measure
from semantic_nav_sim.bench.detector_views import View, counts
from semantic_nav_sim.bench.intervals import Values, by_home, interval_of
from semantic_nav_sim.detector.centernet import Detection, overlap
from semantic_nav_sim.detector.labels import MEANINGS
from semantic_nav_sim.robot.sightings import Sighting

#: Least overlap (intersection over union) of a box with the thing that it shows: normally, and for
#: a loosely drawn box.
WELL, LOOSELY = 0.5, 0.3
#: Bounds of the groups, in metres and in px² of the camera's picture.
_DISTANCES_M = (0.0, 1.5, 3.0, 4.5, np.inf)
_AREAS_PX = (0, 500, 2000, 10_000, np.inf)


@dataclass(frozen=True)
class Sought:
    """A thing that the detector should find.

    Attributes:
        kind: of the thing.
        distance_m: from the camera.
        pixels: number that show it.
        overlap: of its box, 0..1; 0 if it got none.
    """

    kind: str
    distance_m: float
    pixels: int
    overlap: float


@dataclass(frozen=True)
class Judged:
    """The result of a detector for one view.

    Attributes:
        home: seed of the home.
        sought: things that it should find.
        boxes: overlap with the thing that is shown, for each box that is right or wrong; 0 if it
            shows no thing of its kind.
        took_s: duration of the detection.
    """

    home: int
    sought: tuple[Sought, ...]
    boxes: tuple[float, ...]
    took_s: float = 0.0


def judge(view: View, found: Sequence[Detection], took_s: float = 0.0) -> Judged:
    """Compare the detections in a view with the truth.

    Each thing gets at most one box, in the order of confidence. A box counts as neither right nor
    wrong if it lies around something that it may also stand for, or if no home has its class.

    Args:
        view: picture and truth.
        found: boxes in pixels of the picture as sent, the most confident first.
        took_s: duration of the detection.
    """
    across = view.picture.width_px / view.picture.sent_width_px
    down = view.picture.height_px / view.picture.sent_height_px
    shown: dict[int, float] = {}
    boxes = []
    for one in found:
        if one.label not in MEANINGS:
            continue
        x1, y1, x2, y2 = one.box_px
        placed = replace(one, box_px=(x1 * across, y1 * down, x2 * across, y2 * down))
        index, shared = _best(placed, view.things, shown)
        if shared >= LOOSELY:
            shown[index] = shared
            boxes.append(shared)
        elif not _perhaps(placed, view.things):
            boxes.append(0.0)
    return Judged(view.home, tuple(
        Sought(thing.truth.kind, thing.distance_m, thing.pixels, shown.get(index, 0.0))
        for index, thing in enumerate(view.things) if counts(thing)), tuple(boxes), took_s)


def _best(one: Detection, things: Sequence[Sighting],
          shown: dict[int, float]) -> tuple[int, float]:
    """Index and overlap of the best unmatched thing of the box's kinds."""
    fitting = [(index, overlap(one.box_px, thing.box)) for index, thing in enumerate(things)
               if index not in shown and thing.truth.kind in MEANINGS[one.label].kinds]
    return max(fitting, key=lambda pair: pair[1], default=(-1, 0.0))


def _perhaps(one: Detection, things: Sequence[Sighting]) -> bool:
    return any(thing.truth.kind in MEANINGS[one.label].perhaps
               and overlap(one.box_px, thing.box) >= LOOSELY for thing in things)


def measures(judged: Sequence[Judged]) -> list[Measure]:
    """The table: recall, precision and false boxes, then recall by distance, area and kind.

    Args:
        judged: one or more views, with something to find in them.
    """
    sought = [(view.home, one) for view in judged for one in view.sought]
    boxes = [(view.home, float(shared >= WELL)) for view in judged for shared in view.boxes]
    false = [(view.home, float(sum(shared < WELL for shared in view.boxes))) for view in judged]
    kinds = sorted({one.kind for _, one in sought},
                   key=lambda kind: (-sum(one.kind == kind for _, one in sought), kind))
    return [
        Measure('views', len(judged)),
        _recall('things in view that are found', sought),
        _recall(f'the same where an overlap of {LOOSELY} will do', sought, LOOSELY),
        *([_mean('boxes that are right', boxes)] if boxes else []),
        _mean('false boxes per view', false),
        Measure('time per view, median [ms]', 1000.0 * median(view.took_s for view in judged)),
        *_in_groups('by distance [m]', sought, _DISTANCES_M, lambda one: one.distance_m),
        *_in_groups('by area [px²]', sought, _AREAS_PX, lambda one: one.pixels),
        *(_recall(kind, [pair for pair in sought if pair[1].kind == kind], group='by kind')
          for kind in kinds)]


def _in_groups(group: str, sought: Sequence[tuple[int, Sought]], bounds: Sequence[float],
               value: Callable[[Sought], float]) -> list[Measure]:
    lines = []
    for low, high in zip(bounds, bounds[1:], strict=False):
        those = [pair for pair in sought if low <= value(pair[1]) < high]
        if those:
            name = f'{low:g} to {high:g}' if np.isfinite(high) else f'from {low:g}'
            lines.append(_recall(name, those, group=group))
    return lines


def _recall(name: str, sought: Sequence[tuple[int, Sought]], enough: float = WELL,
            group: str = '') -> Measure:
    """Recall over some things, and their number."""
    return _mean(f'{name} (of {len(sought)})',
                 [(home, float(one.overlap >= enough)) for home, one in sought], group)


def _mean(name: str, values: Sequence[tuple[int, float]], group: str = '') -> Measure:
    def mean(drawn: Values) -> float:
        return float(drawn.mean())

    return Measure(name, float(np.mean([value for _, value in values])), group=group,
                   interval=interval_of(by_home(values), mean))
