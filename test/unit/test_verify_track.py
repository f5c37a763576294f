"""The row of sightings of a target: what agrees adds up, what does not begins anew."""

import math

import pytest

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking.track import TargetTrack, begin, by_odometry, displaced, merge

CONFIG = VerifierConfig()
SIGMA = (0.04, 0.04, 0.04)
COVARIANCE = (9e-4, 0.0, 0.0, 0.0, 9e-4, 0.0, 0.0, 0.0, 9e-4)


def seen(*sightings: tuple[float, bool]) -> TargetTrack:
    """Return the track of sightings along x, each from elsewhere: where, and whether surely."""
    track = None
    for number, (x, sure) in enumerate(sightings):
        one = Grounded((x, 0.0, 0.9), SIGMA, 1.0, not sure, 0.1, COVARIANCE)
        robot = Pose2D(x - 1.0, 1.0 * number, 0.0)
        track = begin('track', one, number, robot) if track is None else merge(
            track, one, number, robot, CONFIG)
    assert track is not None
    return track


def test_sightings_of_one_place_add_up() -> None:
    track = seen((2.78, True), (2.82, True))
    assert (track.hits, len(track.views)) == (2, 2)
    assert abs(track.position[0] - 2.80) < 0.01


@pytest.mark.parametrize(('away_m', 'round_rad', 'another'), [
    (1.0, 0.0, False), (0.4, 0.0, False), (1.7, 0.0, False), (2.1, 0.0, True),
    (1.0, 0.2, False), (1.0, 0.4, True)])
def test_another_view_is_one_from_elsewhere_however_the_robot_is_turned(
        away_m: float, round_rad: float, another: bool) -> None:
    track = begin('track', sized(0.2, 1.0), 0, Pose2D(1.0, 0.0, math.pi))
    for turned_rad in (0.0, 0.5):
        robot = Pose2D(away_m * math.cos(round_rad), away_m * math.sin(round_rad),
                       math.pi + round_rad + turned_rad)
        assert track.is_another_view(robot, CONFIG) is another


def test_one_of_another_thing_does_not_spoil_those_that_follow() -> None:
    track = seen((2.79, True), (2.49, True), (2.77, True), (2.80, True))
    assert (track.hits, len(track.views)) == (2, 2)
    assert abs(track.position[0] - 2.785) < 0.01


def test_one_that_is_not_sure_does_not_move_the_track() -> None:
    track = seen((2.79, True), (2.45, False))
    assert track.hits == 1 and track.sure
    assert track.position[0] > 2.6


def test_one_box_drawn_elsewhere_does_not_end_what_was_seen_from_two_places() -> None:
    before = seen((2.79, True), (2.77, True))
    strayed = seen((2.79, True), (2.77, True), (2.35, True))
    assert strayed.hits == 0
    assert (strayed.position, strayed.views) == (before.position, before.views)
    track = seen((2.79, True), (2.77, True), (2.35, True), (2.78, True))
    assert (track.hits, len(track.views)) == (1, 3)


@pytest.mark.parametrize(('first_sure', 'second_x', 'views'), [
    (True, 2.8, 2), (True, 3.2, 1), (False, 2.8, 0)])
def test_unclear_sighting_is_a_view_where_it_shows_what_was_surely_seen(
        first_sure: bool, second_x: float, views: int) -> None:
    """A toilet is a seat and a cistern: from nearby no box of it is clear."""
    wide = tuple(0.1 * one for one in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    track = begin('track', Grounded((2.8, 0.0, 0.9), SIGMA, 1.0, not first_sure, 0.1, COVARIANCE,
                                    unclear=not first_sure), 0, Pose2D(1.8, 0.0, 0.0))
    again = Grounded((second_x, 0.0, 0.9), SIGMA, 1.0, True, 0.1, wide, unclear=True)
    assert len(merge(track, again, 1, Pose2D(2.8, -1.0, 1.57), CONFIG).views) == views


def sized(size_m: float, distance_m: float, error: float = 0.09) -> Grounded:
    """Return a sighting of something at the origin whose box is so large and errs so."""
    return Grounded((0.0, 0.0, 0.9), SIGMA, distance_m, False, size_m, COVARIANCE,
                    size_error=error)


def seen_in_turn(first: tuple[float, float], second: tuple[float, float], *,
                 turned_rad: float = 0.0, error: float = 0.09) -> int:
    """Return the hits of two sightings of one place: size and distance of each."""
    robot = Pose2D(second[1] * math.cos(turned_rad), second[1] * math.sin(turned_rad), 0.0)
    track = begin('track', sized(*first, error), 0, Pose2D(first[1], 0.0, 0.0))
    return merge(track, sized(*second, error), 1, robot, CONFIG).hits


def test_box_that_is_as_large_in_the_picture_near_by_as_from_afar_shows_no_thing() -> None:
    assert seen_in_turn((0.6, 2.6), (0.27, 1.2)) == 1
    assert seen_in_turn((0.27, 1.2), (0.6, 2.6)) == 1


def test_thing_is_as_large_from_wherever_it_is_seen() -> None:
    assert seen_in_turn((0.6, 2.6), (0.55, 1.2)) == 2
    assert seen_in_turn((0.6, 2.6), (0.68, 1.2)) == 2


def test_nearer_look_may_show_more_of_a_thing() -> None:
    assert seen_in_turn((0.5, 2.6), (1.0, 1.2)) == 2


@pytest.mark.parametrize(('turned_rad', 'hits'), [(0.4, 1), (0.7, 2), (1.5, 2)])
def test_thing_may_show_its_narrow_face_from_another_side(turned_rad: float, hits: int) -> None:
    assert seen_in_turn((0.6, 2.6), (0.27, 1.2), turned_rad=turned_rad) == hits


def test_small_boxes_tell_less_of_the_size() -> None:
    assert seen_in_turn((0.12, 2.6), (0.06, 1.2), error=0.3) == 2


def test_sightings_that_agree_by_odometry_agree_where_the_localisation_strays() -> None:
    """Two looks from one place, between which the localisation moved the robot by 0.4 m."""
    here, there = (Transform.from_pose(Pose2D(x, 0.0, 0.0)) for x in (0.0, 0.4))
    first = begin('track', Grounded((3.0, 0.0, 0.9), SIGMA, 1.0, False, 0.1, COVARIANCE), 0,
                  Pose2D(2.0, 0.0, 0.0), map_T_odom=here)
    again = Grounded((3.4, 0.0, 0.9), SIGMA, 1.0, False, 0.1, COVARIANCE)
    for correction, hits in ((there, 2), (here, 1)):
        track = merge(first, again, 1, Pose2D(2.4, 0.0, 0.0), CONFIG, map_T_odom=correction)
        assert track.hits == hits
        assert abs(track.position[0] - 3.4) < 1e-9


def test_track_is_as_new_as_its_last_sighting() -> None:
    track = merge(begin('track', sized(0.2, 1.0), 3, Pose2D(1.0, 0.0, math.pi)),
                  sized(0.2, 1.0), 7, Pose2D(1.0, 0.0, math.pi), CONFIG)
    assert track.seen_ns == 7


def test_places_that_missed_it_move_with_the_map() -> None:
    """Else a place would count a second time after the localisation has moved the robot."""
    missed_from = Pose2D(1.0, 2.0, 0.5)
    track = begin('track', sized(0.2, 1.0), 0, Pose2D(1.0, 0.0, math.pi)).missed(
        missed_from, CONFIG)
    track = displaced(track, Transform.from_pose(Pose2D(3.0, 0.0, 0.0)))
    assert track.missed(Pose2D(4.0, 2.0, 0.5), CONFIG) == track
    assert [(one.x, one.y) for one in track.missed_from] == [(4.0, 2.0)]


@pytest.mark.parametrize('before', [None, Transform.identity()])
def test_without_odometry_of_both_looks_a_track_stays_where_it_is(
        before: Transform | None) -> None:
    track = begin('track', sized(0.2, 1.0), 0, Pose2D(1.0, 0.0, math.pi), map_T_odom=before)
    assert by_odometry(track, None) == track
    if before is None:
        assert by_odometry(track, Transform.identity()) == track


@pytest.mark.parametrize(('beyond_m', 'hits'), [(-0.1, 2), (0.1, 1)])
def test_two_that_are_vague_are_one_thing_no_farther_apart_than_tracks_merge(
        beyond_m: float, hits: int) -> None:
    vague = (4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0)
    robot = Pose2D(-3.0, 0.0, 0.0)
    track = begin('track', Grounded((0.0, 0.0, 0.9), SIGMA, 1.0, False, 0.1, vague), 0, robot)
    x = CONFIG.track_merge_m + beyond_m
    assert merge(track, Grounded((x, 0.0, 0.9), SIGMA, 1.0, False, 0.1, vague), 1, robot,
                 CONFIG).hits == hits
