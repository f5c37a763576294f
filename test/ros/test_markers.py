"""What RViz is given of documents and effects of the verifier."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import observation
from fake_nav2 import Rig, running
from rclpy.context import Context
from rclpy.lifecycle import LifecycleNode
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.contracts.documents import Decision, GroundedObject, Result, Verdict
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.explore.likely_squares import LikelySquare
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.markers import (
    candidate_markers,
    observation_markers,
    search_markers,
    thing_markers,
    verdict_markers,
    zone_markers,
)
from semantic_nav.nodes.ros.verifier_markers import SeenThings, VerifierMarkers
from semantic_nav.verify.effects import CandidatePose, ShowCandidates, ShowSearch
from semantic_nav.verify.zones import SpeedLimit, Zone, ZoneKind, Zones

SQUARE = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
ZONES = Zones((Zone(('nursery', 'den'), ZoneKind.KEEP_OUT, SQUARE),
               Zone(('hall',), ZoneKind.SPEED, SQUARE, SpeedLimit(30.0, percentage=True))))
GOAL = Pose2D(1.0, 2.0, 0.5)


def of(markers: list[Marker], ns: str) -> list[Marker]:
    return [marker for marker in markers if marker.ns == ns]


def colour(marker: Marker) -> tuple[float, ...]:
    return marker.color.r, marker.color.g, marker.color.b


def grounded(covariance: tuple[float, ...] | None) -> GroundedObject:
    return GroundedObject('mug', (0.0, 0.0, 10.0, 10.0), (1.0, 2.0, 0.8), (0.1, 0.05, 0.0), 2.0,
                          False, True, covariance=covariance)  # type: ignore[arg-type]


def ellipsoid_of(item: GroundedObject) -> tuple[np.ndarray, np.ndarray]:
    """Return the covariance in m2 that an ellipsoid of two sigma shows, and its axes."""
    (marker,) = of(observation_markers(observation('step-1', objects=(item,))), 'covariance')
    turn, size = marker.pose.orientation, marker.scale
    axes = Rotation.from_quat((turn.x, turn.y, turn.z, turn.w)).as_matrix()
    sigmas = np.array((size.x, size.y, size.z)) / 4
    return axes @ np.diag(sigmas**2) @ axes.T, axes


def test_grounded_things_are_shown_with_two_standard_deviations() -> None:
    across = Rotation.from_euler('zyx', (0.7, 0.2, 0.1)).as_matrix()
    covariance = across @ np.diag((0.04, 0.01, 0.0025)) @ across.T
    shown, axes = ellipsoid_of(grounded(tuple(covariance.ravel().tolist())))
    assert shown == pytest.approx(covariance, abs=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    shown, _ = ellipsoid_of(grounded(None))
    # What is known exactly is drawn as large as can be seen.
    assert shown == pytest.approx(np.diag((0.01, 0.0025, 0.005**2)), abs=1e-9)


def test_accepted_and_refused_goals_are_told_apart() -> None:
    accepted = verdict_markers(Verdict('approach', 'h', Decision(
        Code.OK, 'to the stand-off', 'a' * 32, GOAL)), None)
    refused = verdict_markers(Verdict('approach', 'h', Decision(
        Code.KEEPOUT, 'it is closed', goal=GOAL)), None)
    for markers, words in ((accepted, 'OK, approach: to the stand-off'),
                           (refused, 'KEEPOUT, approach: it is closed')):
        (arrow,), (text,) = of(markers, 'goal'), of(markers, 'verdict')
        assert (arrow.pose.position.x, arrow.pose.position.y) == (GOAL.x, GOAL.y)
        assert text.text == words and colour(text) == colour(arrow)
    assert colour(accepted[0]) != colour(refused[0])


def test_verdict_without_a_goal_stands_at_the_robot() -> None:
    verdict = Verdict('explore', 'h', result=Result(ActOutcome.ABORTED, 'word ' * 200))
    assert verdict_markers(verdict, None) == []
    (text,) = verdict_markers(verdict, Pose2D(3.0, 4.0, 0.0))
    assert (text.pose.position.x, text.pose.position.y) == (3.0, 4.0)
    assert text.text.startswith('aborted: word') and text.text.count('\n') == 3


def test_candidates_are_coloured_by_the_check_that_refuses_them() -> None:
    codes = (Code.OK, Code.KEEPOUT, Code.COLLISION_DETECTED, Code.UNKNOWN_SPACE, Code.UNREACHABLE,
             Code.TOO_FAR, Code.OUT_OF_MAP)
    markers = candidate_markers(ShowCandidates(tuple(
        CandidatePose(Pose2D(float(number), 0.0, 0.0), code)
        for number, code in enumerate(codes * 2))))
    points = [marker for marker in markers if marker.type == Marker.POINTS]
    assert [marker.ns for marker in points] == [code.value for code in codes]
    assert all(len(marker.points) == 2 for marker in points)
    assert len({colour(marker) for marker in points}) == len(codes)


def test_the_likelier_a_square_the_redder_and_the_best_view_stands_out() -> None:
    effect = ShowSearch((GOAL, Pose2D(3.0, 2.0, 0.0)),
                        (LikelySquare(0.25, 0.25, 1.0), LikelySquare(0.75, 0.25, 0.1)))
    squares, *views = search_markers(effect)
    assert [(point.x, point.y) for point in squares.points] == [(0.25, 0.25), (0.75, 0.25)]
    likely, hardly = squares.colors
    assert likely.g < hardly.g and likely.a > hardly.a
    assert [(view.pose.position.x, view.ns) for view in views] == [(1.0, 'view'), (3.0, 'view')]
    assert colour(views[0]) != colour(views[1])
    # RViz would complain of a list without cubes.
    assert search_markers(ShowSearch((), ()))[0].action == Marker.DELETE


def test_a_thing_is_shown_once_where_it_was_seen_last() -> None:
    things = SeenThings()
    mug = grounded(None)
    moved = replace(mug, position=(1.2, 2.0, 0.8))
    other = replace(mug, position=(4.0, 2.0, 0.8))
    things.take((mug, replace(mug, name='cup')))
    things.take((moved, other))
    assert [(one.name, one.position[0]) for one in things.newest()] == [
        ('cup', 1.0), ('mug', 1.2), ('mug', 4.0)]
    assert [marker.text for marker in thing_markers(things.newest())
            if marker.ns == 'thing names'] == ['cup', 'mug', 'mug']
    things.take(replace(mug, name=f'thing {number}') for number in range(300))
    assert len(things.newest()) == 200


def test_zones_are_closed_lines_with_their_names() -> None:
    markers = zone_markers(ZONES)
    line, name = of(markers, 'keep_out')
    assert [(point.x, point.y) for point in line.points] == [*SQUARE, SQUARE[0]]
    assert name.text == 'nursery / den'
    assert of(markers, 'speed')[1].text == 'hall\n30 %'


class Bench(Rig):
    """A node that shows something."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.node: Any = self.add(LifecycleNode('shower', context=context, namespace='robot1'))


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


def test_each_message_takes_the_place_of_the_one_before_and_late_comers_get_it(
        bench: Bench) -> None:
    shown = VerifierMarkers(bench.node, 'map')
    shown.show_zones(ZONES)
    heard: list[MarkerArray] = []
    bench.peer.create_subscription(MarkerArray, '/robot1/semantic_nav/markers/zones', heard.append,
                                   qos.STATE)
    bench.until(lambda: heard)
    markers = heard[0].markers
    assert markers[0].action == Marker.DELETEALL
    assert [marker.id for marker in markers] == list(range(len(markers)))
    assert {marker.header.frame_id for marker in markers} == {'map'}
    shown.destroy()
