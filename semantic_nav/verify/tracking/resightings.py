"""Estimate of the camera's error, from objects seen again from elsewhere."""

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

#: Weight of the parameters in sightings, and largest number of sightings in a mean.
_PRIOR, _MOST = 10, 100
#: Cap on the squared distance of a sighting over the stated variance: it may be of another object.
_FARTHEST = 9.0
#: Least ratio of the estimated error to that of the parameters.
_LEAST = 0.25
#: Number of sightings before a report, and ratio of the estimated error to the stated one from
#: which on it warns.
_TOLD_FROM, _TOLD_TIMES = 10, 2.0
#: Step of the reported distances, in cm.
_STEP_CM = 5


@dataclass(frozen=True)
class Resightings:
    """Error of the camera by sightings from elsewhere.

    Attributes:
        count: number of sightings.
        square: squared ratio of the camera's error to that of the parameters.
        apart_m2: mean squared distance of the sightings.
    """

    count: int = 0
    square: float = 1.0
    apart_m2: float = 0.0

    def applied(self, config: VerifierConfig) -> VerifierConfig:
        """The parameters with the estimated error of the camera."""
        times = math.sqrt(max(self.square, _LEAST**2))
        return replace(config, camera_error_m=config.camera_error_m * times,
                       camera_error_rad=config.camera_error_rad * times)

    def after(self, track: TargetTrack | None, again: Grounded, eye: Pose2D,
              config: VerifierConfig, map_T_odom: Transform | None) -> Self:
        """The estimate after a sighting of an object that may be tracked.

        Sightings from one viewpoint share their error and tell nothing. As in adaptive filters,
        the variance follows the mean squared innovation over its stated variance (Mehra 1970).

        Args:
            track: the object as seen before.
            again: the sighting.
            eye: its viewpoint.
            config: with the estimated error of the camera.
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
        """Diagnostic report; None for too few sightings."""
        if self.count < _TOLD_FROM:
            return None
        if self.square < _TOLD_TIMES**2:
            return Report('mount', Level.OK, 'things seen again lie where they were')
        apart_cm = _STEP_CM * round(100.0 * math.sqrt(self.apart_m2) / _STEP_CM)
        return Report('mount', Level.WARN,
                      f'things seen again from elsewhere lie {apart_cm} cm apart: check where TF '
                      'has the camera, its calibration, and that its depth is registered')
