"""The row of sightings of a target: what agrees adds up, what does not begins anew."""

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding import Grounded
from semantic_nav.verify.track import TargetTrack, begin, merge

CONFIG = VerifierConfig()
SIGMA = (0.04, 0.04, 0.04)


def seen(*sightings: tuple[float, bool]) -> TargetTrack:
    """Return the track of sightings along x, each from elsewhere: where, and whether surely."""
    track = None
    for number, (x, sure) in enumerate(sightings):
        one = Grounded((x, 0.0, 0.9), SIGMA, 1.0, not sure, 0.1)
        robot = Pose2D(x - 1.0, 0.6 * number, 0.0)
        track = begin('track', one, number, robot) if track is None else merge(
            track, one, number, robot, CONFIG)
    assert track is not None
    return track


def test_sightings_of_one_place_add_up() -> None:
    track = seen((2.78, True), (2.82, True))
    assert (track.hits, len(track.views)) == (2, 2)
    assert abs(track.position[0] - 2.80) < 0.01


def test_one_of_another_thing_does_not_spoil_those_that_follow() -> None:
    track = seen((2.79, True), (2.49, True), (2.77, True), (2.80, True))
    assert (track.hits, len(track.views)) == (2, 2)
    assert abs(track.position[0] - 2.785) < 0.01


def test_one_that_is_not_sure_does_not_move_the_track() -> None:
    track = seen((2.79, True), (2.77, True), (2.45, False))
    assert track.hits == 1 and track.sure
    assert track.position[0] > 2.6
