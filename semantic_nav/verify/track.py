"""The track of the current target: where it is held to be, and how sure that is."""

import math
from dataclasses import dataclass, replace

from semantic_nav.contracts.documents import Point, Track
from semantic_nav.verify.grounding import Grounded


@dataclass(frozen=True)
class TargetTrack:
    """A target that was seen.

    Attributes:
        position: weighted mean of the sightings, in the map frame.
        weight: sum of the inverse variances, in 1/m2.
        sure: at least one sighting was not provisional.
        misses: looks at its place, since the last sighting, that did not show it.
        seen_from: the robot's x and y at the last sighting.
    """

    id: str
    position: Point
    weight: float
    hits: int
    sure: bool
    misses: int
    seen_ns: int
    seen_from: tuple[float, float]

    def distance_to(self, position: Point) -> float:
        """Return the distance to a point in metres."""
        return math.dist(self.position, position)

    def document(self) -> Track:
        """Return what others see of it."""
        return Track(self.id, self.position, self.hits, self.seen_ns)


def begin(track_id: str, sighting: Grounded, seen_ns: int,
          seen_from: tuple[float, float]) -> TargetTrack:
    """Return a track with its first sighting."""
    return TargetTrack(track_id, sighting.position, _weight(sighting), 1,
                       not sighting.provisional, 0, seen_ns, seen_from)


def merge(track: TargetTrack, sighting: Grounded, seen_ns: int,
          seen_from: tuple[float, float]) -> TargetTrack:
    """Return the track with one more sighting, weighted by inverse variance."""
    weight = _weight(sighting)
    if not track.sure and not sighting.provisional:
        position, total = sighting.position, weight
    else:
        total = track.weight + weight
        x, y, z = ((track.weight * old + weight * new) / total
                   for old, new in zip(track.position, sighting.position, strict=True))
        position = (x, y, z)
    return replace(track, position=position, weight=total, hits=track.hits + 1,
                   sure=track.sure or not sighting.provisional, misses=0, seen_ns=seen_ns,
                   seen_from=seen_from)


def missed(track: TargetTrack) -> TargetTrack:
    """Return the track after a look at its place that did not show the target."""
    return replace(track, misses=track.misses + 1)


def _weight(sighting: Grounded) -> float:
    x, y, z = sighting.sigma_m
    return 1.0 / (x * x + y * y + z * z + 1e-4)
