"""`vlm eval`: the model judged by pictures that their owner has labelled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import yaml

from semantic_nav.cli.vlm_look import TrialFailed, looker_of, read_picture
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.hypothesis import Box, TargetStatus
from semantic_nav.show.table import Measure, aligned, lines_of
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.gate.boxes import BoxConvention, iou
from semantic_nav.vlm.gate.families import family_of
from semantic_nav.vlm.looker import Looker, Rgb, Seen

#: Names of the label file; the first one that exists counts.
LABELS = ('labels.yaml', 'labels.yml', 'labels.json')
NOT_THERE = 'not there'
#: Overlap with the label from which a box is a hit.
_HIT_IOU = 0.5
#: Number of pictures with the target that are looked at with each box convention.
_TRIED = 3
#: Mean overlap of boxes and labels from which a convention fits.
_FITS = 0.3
#: Margin by which another convention must fit better than that in use.
_BETTER = 0.1
_MS_PER_S = 1000.0
_PERMILLE = 1000.0


@dataclass(frozen=True)
class Label:
    """The label of a picture for a goal.

    Attributes:
        box: in pixels of the picture: left, top, right and bottom edge; None if the target is not
            in it.
    """

    picture: Path
    goal: str
    box: Box | None


@dataclass(frozen=True)
class JudgedPicture:
    """A look beside its label.

    Attributes:
        there: the target is in the picture.
        visible: the model says so.
        iou: overlap of box and label over their union, 0 to 1; 0 without a box.
    """

    there: bool
    visible: bool
    iou: float
    seen: Seen

    @property
    def hit(self) -> bool:
        """Tell whether the box hits the target."""
        return self.visible and self.iou >= _HIT_IOU


def evaluate(config: HypothesisConfig, folder: Path, deadline_s: float) -> int:
    """Print hit rate, overlap of the boxes and false sightings over the labelled pictures.

    Then a few of them are looked at with each box convention, and the one that fits is named.

    Raises:
        ConfigError: labels or a picture cannot be read.
        ModelUnavailable: a question would not be answered.
        TrialFailed: a picture got no reply, so that the figures are not the model's.
    """
    labels = read_labels(folder)
    pictures = {label.picture: read_picture(label.picture) for label in labels}
    judged = []
    looker = looker_of(config, deadline_s)
    found = looker.ready()
    for label in labels:
        rgb = pictures[label.picture]
        judged.append(judge(label, rgb, looker.look(rgb, label.goal)))
        print(f'{label.picture.name}: {_words(judged[-1])}', flush=True)
    print('\n'.join(['', *lines_of(list(measures(judged)))]))
    failures = [one.seen.failure for one in judged if one.seen.failure]
    if failures:
        raise TrialFailed(f'{len(failures)} of {len(judged)} looks got no reply: {failures[0]}')
    shown = [label for label in labels if label.box is not None][:_TRIED]
    if shown:
        used = config.boxes_of(family_of(found.family, found.model))
        fits = _overlaps(config, deadline_s, [
            partial(_overlap, label, pictures[label.picture]) for label in shown])
        print('\n'.join(['', *_verdict(fits, used)]))
    return 0


def _overlap(label: Label, rgb: Rgb, looker: Looker) -> float:
    return judge(label, rgb, looker.look(rgb, label.goal)).iou


def _overlaps(config: HypothesisConfig, deadline_s: float,
             looks: Sequence[Callable[[Looker], float]]) -> dict[BoxConvention, float]:
    """The mean overlap of boxes and labels for each convention.

    Args:
        config: the other parameters.
        deadline_s: for a look.
        looks: each looks at a labelled picture and returns the overlap over the union, 0 to 1.

    Raises:
        ModelUnavailable: a question would not be answered.
    """
    found = {}
    for boxes in BoxConvention:
        looker = looker_of(replace(config, box_convention=boxes), deadline_s)
        looker.ready()
        found[boxes] = mean(look(looker) for look in looks)
    return found


def _verdict(found: Mapping[BoxConvention, float], used: BoxConvention) -> list[str]:
    """The overlaps and the convention that fits, in words.

    Args:
        found: mean overlap of each convention.
        used: the convention in use.
    """
    rows = aligned([('boxes asked for as', 'mean overlap'),
                    *((boxes.value, f'{overlap:.2f}') for boxes, overlap in found.items())])
    best = max(found, key=lambda boxes: found[boxes])
    if found[best] < _FITS:
        words = (f'boxes fit no convention (the best is {best}, overlap {found[best]:.2f}): this '
                 f'model does not find what the labels show')
    elif found[best] - found[used] < _BETTER:
        words = f'boxes fit {used}, which is in use'
    else:
        words = (f'boxes fit {best} (overlap {found[best]:.2f}) and not {used} '
                 f'({found[used]:.2f}), which is in use: set box_convention: {best}')
    return [*rows, words]


def read_labels(folder: Path) -> list[Label]:
    """The labels of a folder: picture -> goal and box, or a list of these.

    Raises:
        ConfigError: there are none, or one is wrong.
    """
    path = next((folder / name for name in LABELS if (folder / name).is_file()), None)
    if path is None:
        raise ConfigError(f'{folder} holds no {LABELS[0]}')
    try:
        # JSON is YAML too.
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'{path} cannot be read: {" ".join(str(error).split())}') from error
    if not isinstance(document, dict) or not document:
        raise ConfigError(f'{path}: expected `picture: {{goal: words, box: [x1, y1, x2, y2]}}`')
    return [_label(path, str(name), entry) for name, said in document.items()
            for entry in (said if isinstance(said, list) else [said])]


def _label(path: Path, name: str, entry: Any) -> Label:
    if not isinstance(entry, dict) or set(entry) != {'goal', 'box'}:
        raise ConfigError(f'{path}: {name}: expected goal and box, and nothing else')
    goal, box = entry['goal'], entry['box']
    if not isinstance(goal, str) or not goal.strip():
        raise ConfigError(f'{path}: {name}: goal = {goal!r}: expected words')
    if box == NOT_THERE:
        return Label(path.parent / name, goal, None)
    numbers = isinstance(box, list) and len(box) == 4 and all(
        type(value) in (int, float) for value in box)
    if not numbers or not (box[0] < box[2] and box[1] < box[3]):
        raise ConfigError(f'{path}: {name}: box = {box!r}: expected [left, top, right, bottom] in '
                          f'pixels, or {NOT_THERE!r}')
    return Label(path.parent / name, goal, (box[0], box[1], box[2], box[3]))


def judge(label: Label, rgb: Rgb, seen: Seen) -> JudgedPicture:
    """A look beside its label; a fallback claims nothing."""
    found = seen.hypothesis.hypothesis
    visible = seen.valid and found.target_status is TargetStatus.VISIBLE
    overlap = 0.0
    if visible and found.target_box is not None and label.box is not None:
        x1, y1, x2, y2 = found.target_box
        across, down = rgb.shape[1] / _PERMILLE, rgb.shape[0] / _PERMILLE
        overlap = iou((x1 * across, y1 * down, x2 * across, y2 * down), label.box)
    return JudgedPicture(label.box is not None, visible, overlap, seen)


def measures(judged: Sequence[JudgedPicture]) -> Iterator[Measure]:
    """Yield the figures, but for those of a kind of pictures that is missing."""
    there = [one for one in judged if one.there]
    absent = [one for one in judged if not one.there]
    sighted = [one.iou for one in there if one.visible]
    yield Measure('pictures with the target', len(there))
    yield Measure('pictures without it', len(absent))
    yield Measure('valid replies [share]', mean(one.seen.valid for one in judged))
    if there:
        yield Measure(f'hit rate [share, overlap >= {_HIT_IOU}]', mean(one.hit for one in there))
    if sighted:
        yield Measure('box overlap where seen [mean IoU]', mean(sighted))
    if absent:
        yield Measure('false "visible" [share]', mean(one.visible for one in absent))
    yield Measure('latency [s, median]', median(
        one.seen.hypothesis.meta.vlm_latency_ms / _MS_PER_S for one in judged))


def _words(one: JudgedPicture) -> str:
    if not one.seen.valid:
        return f'no valid reply: {one.seen.failure or one.seen.hypothesis.meta.vlm_error}'
    if not one.there:
        return 'false "visible"' if one.visible else 'rightly not visible'
    if not one.visible:
        return 'missed'
    return f'{"hit" if one.hit else "beside it"}, overlap {one.iou:.2f}'
