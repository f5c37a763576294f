"""How far apart a thing lies that is seen again from elsewhere: by how much the camera is off."""

import math
from dataclasses import dataclass, replace
from typing import Self

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.covariance import variance_m2
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.track import TargetTrack

#: What the parameters say is worth so many sightings, and the newest count for one of so many.
_PRIOR, _MOST = 10, 100
#: No sighting counts for more, as a square over what is stated: it may be of another thing.
_FARTHEST = 9.0
#: Least share of what the parameters say.
_LEAST = 0.25
#: It is told after so many sightings, where they lie so many times farther apart than is stated.
_TOLD_FROM, _TOLD_TIMES = 10, 2.0
#: Distances are told in steps of so much, in cm.
_STEP_CM = 5


@dataclass(frozen=True)
class Resightings:
    """What sightings from elsewhere tell of the camera.

    Attributes:
        count: of the sightings.
        square: of how many times the camera is as far off as the parameters say.
        apart_m2: mean square of the distances.
    """

    count: int = 0
    square: float = 1.0
    apart_m2: float = 0.0

    def applied(self, config: VerifierConfig) -> VerifierConfig:
        """Return the parameters with what the camera is off by."""
        times = math.sqrt(max(self.square, _LEAST**2))
        return replace(config, camera_error_m=config.camera_error_m * times,
                       camera_error_rad=config.camera_error_rad * times)

    def after(self, track: TargetTrack | None, again: Grounded, eye: Pose2D,
              config: VerifierConfig, map_T_odom: Transform | None) -> Self:
        """Return it after a sighting of what may be tracked.

        From one place the camera is off in the same way each time, which tells nothing. As
        adaptive filters do, the variance follows the mean square of the innovations over theirs
        (Mehra 1970).

        Args:
            track: what was seen before.
            again: the sighting.
            eye: from where.
            config: with what the camera is off by.
            map_T_odom: the correction of the odometry.
        """
        if track is None or not track.sure or again.provisional or track.rays or again.rays or (
                not track.is_another_view(eye, config)):
            return self
        there = tracks.agreeing(track, again, eye, config, map_T_odom)
        if there is None:
            return self
        apart_m2 = there.distance_to(again.position)**2
        stated_m2 = variance_m2(there.covariance) + variance_m2(again.covariance)
        count = self.count + 1
        share, newest = 1.0 / min(_PRIOR + count, _MOST), 1.0 / min(count, _MOST)
        return replace(
            self, count=count,
            square=self.square * (1.0 + share * (min(apart_m2 / stated_m2, _FARTHEST) - 1.0)),
            apart_m2=self.apart_m2 + newest * (apart_m2 - self.apart_m2))

    def report(self) -> Report | None:
        """Return what people are told; None while too little was seen."""
        if self.count < _TOLD_FROM:
            return None
        if self.square < _TOLD_TIMES**2:
            return Report('mount', Level.OK, 'things seen again lie where they were')
        apart_cm = _STEP_CM * round(100.0 * math.sqrt(self.apart_m2) / _STEP_CM)
        return Report('mount', Level.WARN,
                      f'things seen again from elsewhere lie {apart_cm} cm apart: check where TF '
                      'has the camera, its calibration, and that its depth is registered')
