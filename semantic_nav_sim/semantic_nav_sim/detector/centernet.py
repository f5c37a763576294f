"""A detector trained on photographs: MobileNetV3-CenterNet, 80 classes of COCO, 4 MB.

The class of a thing comes from the heat map of that class at its centre, and its edges come from a
second map (Zhou et al. 2019, Objects as Points, arXiv:1904.07850). The weights are part of another
package, which nothing here downloads; see docs/contributing.md.
"""

import io
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.detector.graph_model import GraphModel
from semantic_nav_sim.model.eyes import Box

#: Environment variable with the folder of the weights, if not the default one.
FOLDER_VARIABLE = 'SEMANTIC_NAV_DETECTOR'
PACKAGE = '@vladmandic/human@3.3.6'
INSTALL = f'npm install --prefix .venv --ignore-scripts {PACKAGE}'
_FOLDER = Path(sys.prefix) / 'node_modules/@vladmandic/human/models'
_FILE = 'centernet.json'
#: Its outputs: the heat map of each class, and the distances of the edges [px of its picture].
_OUTPUTS = ('tower_0/keypoints', 'tower_0/wh')
#: Edge of its input picture, and of a cell of its outputs, in pixels.
SIZE_PX, CELL_PX = 512, 4
#: Overlap (intersection over union) from which the less confident of two boxes is dropped.
_SAME = 0.5
#: In the order of its outputs, as in COCO (Lin et al. 2014, arXiv:1405.0312).
CLASSES = tuple(
    'person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,'
    'stop sign,parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,'
    'backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite,'
    'baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,'
    'knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,'
    'chair,couch,potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,'
    'microwave,oven,toaster,sink,refrigerator,book,clock,vase,scissors,teddy bear,hair drier,'
    'toothbrush'.split(','))

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Detection:
    """One detected thing.

    Attributes:
        label: one of CLASSES.
        score: confidence of the detector, 0..1.
        box_px: x1, y1, x2, y2 in pixels of the picture.
    """

    label: str
    score: float
    box_px: Box


@dataclass(frozen=True)
class Fitted:
    """A picture fitted into the square input of the network.

    Attributes:
        pixels: float32, shape (SIZE_PX, SIZE_PX, 3), RGB, 0..255; black beside the picture.
        scale: edge of one pixel of the picture, in pixels of the square.
        left_px, top_px: position of the picture in the square.
        width_px, height_px: of the picture.
    """

    pixels: Floats
    scale: float
    left_px: int
    top_px: int
    width_px: int
    height_px: int


class Detector:
    """The network with its weights."""

    def __init__(self, folder: Path | None = None) -> None:
        """Load the weights.

        Args:
            folder: of the weights; None for that of FOLDER_VARIABLE, or of the package.

        Raises:
            ConfigError: they are missing, or are others.
        """
        folder = folder or Path(os.environ.get(FOLDER_VARIABLE) or _FOLDER)
        if not (folder / _FILE).is_file():
            raise ConfigError(
                f'no detector in {folder}: run `{INSTALL}`, or name the folder of its {_FILE} in '
                f'{FOLDER_VARIABLE}')
        self._model = GraphModel(folder / _FILE)

    def detect(self, picture: bytes, least: float) -> tuple[list[Detection], tuple[int, int]]:
        """Detect things in an encoded picture.

        Args:
            picture: JPEG or PNG.
            least: least score of a thing, 0..1.

        Returns:
            The things, the most confident first, and width and height of the picture in pixels.

        Raises:
            OSError: it is not a picture.
        """
        with Image.open(io.BytesIO(picture)) as image:
            fitted = fit(image.convert('RGB'))
        bright, edges = self._model.run(fitted.pixels, _OUTPUTS)
        return decode(bright, edges, fitted, least), (fitted.width_px, fitted.height_px)


def fit(image: Image.Image) -> Fitted:
    """Fit an RGB picture into the network's input, centred, with its aspect ratio."""
    scale = SIZE_PX / max(image.size)
    wide, high = (max(1, round(side * scale)) for side in image.size)
    left_px, top_px = (SIZE_PX - wide) // 2, (SIZE_PX - high) // 2
    pixels = np.zeros((SIZE_PX, SIZE_PX, 3), np.float32)
    pixels[top_px:top_px + high, left_px:left_px + wide] = np.asarray(
        image.resize((wide, high), Image.Resampling.BILINEAR))
    return Fitted(pixels, scale, left_px, top_px, *image.size)


def decode(bright: Floats, edges: Floats, fitted: Fitted, least: float) -> list[Detection]:
    """Decode the outputs of the network, the most confident thing first.

    Args:
        bright: heat map of the centres of each class, 0..1, shape (rows, columns, classes).
        edges: distances from a cell to the left, top, right and bottom edge of the box with its
            centre there [px of the network's picture], shape (rows, columns, 4).
        fitted: input of the network.
        least: least score of a thing, 0..1.
    """
    peaks = (bright == ndimage.maximum_filter(bright, (3, 3, 1))) & (bright >= least)
    rows, columns, classes = np.nonzero(peaks)
    middles = np.stack([columns, rows, columns, rows], axis=1) * CELL_PX
    boxes = middles + edges[rows, columns] * np.array([-1, -1, 1, 1])
    boxes = (boxes - np.array([fitted.left_px, fitted.top_px] * 2)) / fitted.scale
    boxes = boxes.clip(0, np.array([fitted.width_px, fitted.height_px] * 2))
    found = [Detection(CLASSES[index], float(score), (box[0], box[1], box[2], box[3]))
             for index, score, box in zip(classes.tolist(), bright[peaks], boxes.tolist(),
                                          strict=True)
             if box[0] < box[2] and box[1] < box[3]]
    return surest(sorted(found, key=lambda one: -one.score))


def surest(found: Iterable[Detection]) -> list[Detection]:
    """The detections without duplicates of one thing, the most confident first."""
    kept: list[Detection] = []
    for one in found:
        if not any(one.label == other.label and overlap(one.box_px, other.box_px) >= _SAME
                   for other in kept):
            kept.append(one)
    return kept


def overlap(one: Box, other: Box) -> float:
    """Intersection over union of two boxes, 0..1."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    shared = wide * high
    return shared / (_area(one) + _area(other) - shared)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
