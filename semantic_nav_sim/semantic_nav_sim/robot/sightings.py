"""The objects that a picture shows, with their boxes."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.world.scene import ObjectTruth

FEWEST_PIXELS = 6
#: Share of its bounding box that an object fills, seen from the side.
_FILLED = 0.6


@dataclass(frozen=True)
class Sighting:
    """One object in a picture.

    Attributes:
        truth: the object.
        box: x1, y1, x2, y2 in pixels; the lower right corner is exclusive.
        pixels: number that show it.
        distance_m: from the camera to the centre of its bounding box.
        edge: whether it touches the picture's edge, so that part of it may lie outside.
        share: visible share of the object, 0..1: its pixels over those that an unoccluded thing of
            its size would have, from an average side.
    """

    truth: ObjectTruth
    box: tuple[float, float, float, float]
    pixels: int
    distance_m: float
    edge: bool
    share: float = 1.0

    def scaled(self, across: float, down: float) -> 'Sighting':
        """The sighting in a picture scaled by some factors."""
        x1, y1, x2, y2 = self.box
        return replace(self, box=(x1 * across, y1 * down, x2 * across, y2 * down),
                       pixels=round(self.pixels * across * down))


def sightings(objects: NDArray[np.int32], truths: list[ObjectTruth], camera: CameraModel,
              base: Pose2D, fewest_px: int = FEWEST_PIXELS) -> list[Sighting]:
    """List the objects of a picture, the largest first.

    Args:
        objects: index of the object in each pixel, -1 for none, shape (height, width).
        truths: the objects in the order of those indices.
        camera: that took the picture.
        base: pose of the robot at that time.
        fewest_px: least number of pixels of an object.
    """
    height, width = objects.shape
    eye = camera.position(base)
    counts = np.bincount(objects[objects >= 0])
    found = []
    for index, window in enumerate(ndimage.find_objects(objects + 1)):
        if window is None or (count := int(counts[index])) < fewest_px:
            continue
        (y1, y2), (x1, x2) = ((part.start, part.stop) for part in window)
        truth = truths[index]
        distance = float(np.linalg.norm(np.array(truth.position) - eye))
        edge = x1 == 0 or y1 == 0 or x2 == width or y2 == height
        found.append(Sighting(truth, (float(x1), float(y1), float(x2), float(y2)), count,
                              distance, edge, _share(truth, count, eye, camera)))
    return sorted(found, key=lambda sighting: -sighting.pixels)


def _share(truth: ObjectTruth, pixels: int, eye: NDArray[np.float64],
           camera: CameraModel) -> float:
    """The visible share of an object; see `Sighting`."""
    to = np.array(truth.position) - eye
    distance = max(float(np.linalg.norm(to)), 0.1)
    down = abs(float(to[2])) / distance
    length, width, height = truth.size
    # The mean width of a rectangle over all directions is its perimeter over pi (Cauchy).
    side_m2 = 2 / math.pi * (length + width) * height * math.sqrt(1 - down * down)
    whole_px = (side_m2 + length * width * down) * (camera.focal_px / distance) ** 2
    return min(1.0, pixels / max(1.0, _FILLED * whole_px))
