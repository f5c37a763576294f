"""What things that are seen again tell of the camera."""

import math

import numpy as np
import pytest
from verifier_rig import VerifierRig

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.covariance import of_grounding
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking import track as tracks
from semantic_nav.verify.tracking.resightings import Resightings

CONFIG = VerifierConfig()
THING = np.array([3.0, 0.0, 0.7])
#: Places from which it is seen, each a view of its own.
EYES = [Pose2D(3.0 + 2.0 * math.cos(angle), 2.0 * math.sin(angle), 0.0)
        for angle in (3.1, 2.4, 1.7, -2.4)]
SPREAD = np.array([[a, b, c] for a in (-0.03, 0.03) for b in (-0.03, 0.03)
                   for c in (-0.04, 0.04)])


def sighting(eye: Pose2D, off_rad: float, rng: np.random.Generator,
             config: VerifierConfig) -> Grounded:
    """Return what a camera sees that is so much off, in each direction another time."""
    ray = THING - (eye.x, eye.y, 1.0)
    away_m = float(np.linalg.norm(ray))
    x, y, z = (THING + off_rad * away_m * rng.normal(size=3)).tolist()
    return Grounded((x, y, z), (0.03, 0.03, 0.04), away_m, False, 0.1,
                    of_grounding(THING + SPREAD, 1.0, ray, 450.0, config))


def seen(off_rad: float, things: int = 60) -> Resightings:
    """Return what is known after many things that were seen from two places each."""
    rng, known = np.random.default_rng(1), Resightings()
    for number in range(things):
        config = known.applied(CONFIG)
        first, second = EYES[number % 4], EYES[(number + 1) % 4]
        track = tracks.begin('track-1', sighting(first, off_rad, rng, config), 1, first)
        known = known.after(track, sighting(second, off_rad, rng, config), second, config, None)
    return known


def test_before_anything_was_seen_the_parameters_hold() -> None:
    assert Resightings().applied(CONFIG) == CONFIG and Resightings().report() is None


@pytest.mark.parametrize(('off_rad', 'least_rad', 'most_rad'), [
    (0.0, 0.0, 0.012), (0.02, 0.014, 0.027), (0.05, 0.035, 0.065)])
def test_it_learns_by_how_much_a_camera_is_off(off_rad: float, least_rad: float,
                                               most_rad: float) -> None:
    assert least_rad < seen(off_rad).applied(CONFIG).camera_error_rad < most_rad


def test_people_are_told_how_far_apart_things_lie() -> None:
    told, well = seen(0.06).report(), seen(0.02).report()
    assert told is not None and told.level is Level.WARN
    assert 'lie 20 cm apart' in told.text or 'lie 25 cm apart' in told.text
    assert well is not None and well.level is Level.OK


def test_look_from_the_same_place_tells_nothing() -> None:
    """There the camera is off by the same, however wrong it is."""
    rng, eye = np.random.default_rng(1), EYES[0]
    track = tracks.begin('track-1', sighting(eye, 0.0, rng, CONFIG), 1, eye)
    again = sighting(eye, 0.0, rng, CONFIG)
    assert Resightings().after(track, again, eye, CONFIG, None) == Resightings()
    assert Resightings().after(None, again, eye, CONFIG, None) == Resightings()


def test_verifier_learns_from_looks_and_keeps_it_for_the_next_goal() -> None:
    rig = VerifierRig()
    rig.see_mug()
    rig.drive(Pose2D(rig.pose.x + 1.2, rig.pose.y, rig.pose.yaw))
    rig.stand()
    rig.see_mug()
    known = rig.core._findings.resightings
    assert known.count == 1 and known.square < 1.0
    assert known.applied(CONFIG).camera_error_rad < CONFIG.camera_error_rad
    rig.begin('another-goal')
    assert rig.core._findings.resightings == known and rig.core._findings.track is None
