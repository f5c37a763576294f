"""Errors of groundings in pictures of a real camera, and whether the covariance covers them.

Such pictures come without truth: a static thing lies at the median of its sightings. The depth in
the middle of a box, not its grounding, decides which boxes show one thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.show.table import Measure, at_most, between
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import Grounded, ground_box
from semantic_nav.verify.observing import sighted
from semantic_nav.verify.tracking.findings import Findings
from semantic_nav_sim.bench.frames import Frame
from semantic_nav_sim.bench.grounding_errors import ELSEWHERE_M, with_edges_off

#: A static kind small enough to have one place, and a kind that one can see through.
_SMALL, _HOLLOW = 'cup', 'chair'
#: Central part of a box, as a share of it both ways; it always shows the thing.
_MIDDLE = 0.4
#: Largest distance between neighbouring centres of one thing, in metres.
_ONE_THING_M = 0.3
#: Least number of boxes that give a thing a place.
_LEAST_BOXES = 3
#: Number of times that each box is drawn with other edges.
_ROUNDS = 10


@dataclass(frozen=True)
class Sighting:
    """A box of the detector in a frame.

    Attributes:
        label: class of the box.
        box: in per mille of the picture.
        number: of its frame, by time.
        middle: of what its centre shows, in the map frame; None without depth.
        thing: number of the thing; -1 if it has no place.
    """

    label: str
    box: Box
    number: int
    middle: tuple[float, float, float] | None
    thing: int = -1


@dataclass(frozen=True)
class Scene:
    """The frames and sightings of one camera.

    Attributes:
        frames: by time.
        camera: of depth and picture.
        sightings: by time.
    """

    frames: Sequence[Frame]
    camera: Intrinsics
    sightings: Sequence[Sighting]

    def grounded(self, sighting: Sighting, config: VerifierConfig) -> Grounded | None:
        """The verifier's grounding of a sighting; None if there is none."""
        frame = self.frames[sighting.number]
        try:
            return ground_box(sighting.box, frame.depth_mm, self.camera, frame.map_T_camera,
                              config)
        except GroundingError:
            return None


def sighting_of(label: str, box: Box, number: int, frame: Frame, camera: Intrinsics) -> Sighting:
    """Return a box with the place of its middle."""
    height, width = frame.depth_mm.shape
    (left, right), (top, bottom) = (_middle_px(box[0], box[2], width),
                                    _middle_px(box[1], box[3], height))
    depth_m = frame.depth_mm[top:bottom, left:right] / 1000.0
    if not depth_m.any():
        return Sighting(label, box, number, None)
    z = float(np.median(depth_m[depth_m > 0]))
    u, v = (left + right - 1) / 2, (top + bottom - 1) / 2
    x, y, up = frame.map_T_camera.apply(np.array([
        (u - camera.cx) / camera.fx * z, (v - camera.cy) / camera.fy * z, z])).tolist()
    return Sighting(label, box, number, (x, y, up))


def _middle_px(low: float, high: float, pixels: int) -> tuple[int, int]:
    middle, half = (low + high) / 2, (high - low) / 2 * _MIDDLE
    first = min(pixels - 1, int((middle - half) / 1000.0 * pixels))
    return first, max(first + 1, int((middle + half) / 1000.0 * pixels))


def with_things(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Assign things to the sightings: neighbouring middles are of one thing."""
    told, things = list(sightings), 0
    for label in sorted({one.label for one in sightings}):
        numbers = [number for number, one in enumerate(sightings)
                   if one.label == label and one.middle is not None]
        if len(numbers) < _LEAST_BOXES:
            continue
        groups = fcluster(linkage(np.array([sightings[number].middle for number in numbers])),
                          _ONE_THING_M, 'distance')
        for group in np.unique(groups):
            those = [number for number, one in zip(numbers, groups, strict=True) if one == group]
            if len(those) >= _LEAST_BOXES:
                for number in those:
                    told[number] = replace(told[number], thing=things)
                things += 1
    return told


def measures(scene: Scene, seed: int) -> list[Measure]:
    """The table: for all frames, then for each half of alternating frames.

    Args:
        scene: with the thing of each sighting.
        seed: of the edges of poor boxes.
    """
    config = VerifierConfig()
    halves = [replace(one, bar='', holds=None, group=f'every other frame, from {first + 1} on')
              for first in (0, 1)
              for one in _measures_of_places(scene, config, range(first, len(scene.frames), 2))]
    return [Measure('frames', len(scene.frames)), Measure('boxes', len(scene.sightings)),
            *_measures_of_places(scene, config, range(len(scene.frames))),
            *_measures_of_tracks(scene, config), *_measures_of_poor_boxes(scene, config, seed),
            *halves]


def _measures_of_places(scene: Scene, config: VerifierConfig,
                        numbers: range) -> list[Measure]:
    hollow = [found for one in scene.sightings if one.label == _HOLLOW and one.number in numbers
              and (found := scene.grounded(one, config)) is not None]
    errors, squares = _errors(scene, config, numbers)
    if not errors.size or not hollow:
        return []
    return [
        Measure(f'{_SMALL}s that are grounded surely', errors.size),
        at_most('their error, median [m]', float(np.median(errors)), 0.05),
        at_most('their error, 95th percentile [m]', float(np.percentile(errors, 95)), 0.15),
        between('their error over their covariance, squared, mean', float(squares.mean()), 2.0,
                5.0),
        Measure(f'{_HOLLOW}s', len(hollow)),
        at_most('of these unclear [share]', float(np.mean([one.unclear for one in hollow])),
                0.25)]


def _errors(scene: Scene, config: VerifierConfig,
            numbers: range) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances of sure sightings of small things from the median of all sightings of each thing.

    Args:
        scene: with the thing of each sighting.
        config: of the verifier.
        numbers: of the frames whose errors are returned.

    Returns:
        The distances in metres, and their squares over the stated covariance.
    """
    errors, squares = [], []
    small = [one for one in scene.sightings if one.label == _SMALL and one.thing >= 0]
    for thing in sorted({one.thing for one in small}):
        sure = [(one, found) for one in small if one.thing == thing
                and (found := scene.grounded(one, config)) is not None and not found.provisional]
        if not sure:
            continue
        place = np.median([found.position for _, found in sure], axis=0)
        for one, found in sure:
            if one.number in numbers:
                error = np.array(found.position) - place
                errors.append(float(np.linalg.norm(error)))
                squares.append(float(error @ np.linalg.solve(
                    np.array(found.covariance).reshape(3, 3), error)))
    return np.array(errors), np.array(squares)


def _measures_of_tracks(scene: Scene, config: VerifierConfig) -> list[Measure]:
    """Figures of the tracks of small things, if each box in turn claims the target."""
    findings, ids = Findings(), Ids('track', 'bench')
    tracks: dict[int, set[str]] = {}
    again = begun = 0
    for stamp_ns, one in enumerate(scene.sightings, 1):
        if one.label != _SMALL or one.thing < 0:
            continue
        found = scene.grounded(one, config)
        if found is None:
            continue
        before = ids.counter
        findings = sighted(
            findings, found, scene.frames[one.number].map_T_camera.pose(), Transform.identity(),
            stamp_ns, DEFAULT_CAMERA, config, ids.mint, turned=False)
        if one.thing in tracks:
            again += 1
            begun += ids.counter > before
        tracks.setdefault(one.thing, set()).update(
            track.id for track in (findings.track, *findings.aside)
            if track is not None and track.seen_ns == stamp_ns)
    if not again:
        return []
    shared = sum(bool(own & other) for thing, own in tracks.items()
                 for that, other in tracks.items() if that < thing)
    return [Measure(f'{_SMALL}s that are seen again', len(tracks)),
            at_most('pairs of these with one track', shared, 0),
            at_most('sightings again that begin another track [share]', begun / again, 0.1)]


def _measures_of_poor_boxes(scene: Scene, config: VerifierConfig, seed: int) -> list[Measure]:
    rng = np.random.default_rng(seed)
    seen = [one for one in scene.sightings if one.thing >= 0]
    places = {thing: np.median([one.middle for one in seen if one.thing == thing], axis=0)
              for thing in {one.thing for one in seen}}
    away_m = [float(np.linalg.norm(places[one.thing] - found.position))
              for one in seen for _ in range(_ROUNDS)
              if (found := scene.grounded(replace(one, box=with_edges_off(one.box, rng)),
                                          config)) is not None and not found.provisional]
    if not away_m:
        return []
    return [Measure('sure with edges off by 5 % of the box [share]',
                    len(away_m) / (_ROUNDS * len(seen))),
            at_most('of these more than 0.3 m from the thing [share]',
                    float(np.mean(np.array(away_m) > ELSEWHERE_M)), 0.01)]
