"""The judge: how the robot stands to a target, by the truth."""

import math
from typing import Any

import pytest

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.judge import Judge, Unjudged, outline_of

STAND_OFF_M = 1.2
#: It looks along x: 0.9 m deep, 2 m wide.
SOFA = {'id': 'sofa_1', 'name': 'blue sofa', 'kind': 'sofa', 'colour': 'blue',
        'room': 'living room', 'position': (0.0, 0.0, 0.4), 'yaw': 0.0, 'size': (0.9, 2.0, 0.8)}
MUG = {'id': 'mug_1', 'name': 'red mug', 'kind': 'mug', 'colour': 'red', 'room': 'kitchen',
       'position': (3.0, 4.0, 0.8), 'yaw': 0.0, 'size': (0.08, 0.08, 0.1)}


def judge(robot: Pose2D, *, seen: tuple[dict[str, Any], ...] = (SOFA,),
          world: tuple[dict[str, Any], ...] = (SOFA, MUG)) -> Judge:
    answers = {
        'pose': {'x': robot.x, 'y': robot.y, 'yaw': robot.yaw, 'collisions': 2,
                 'distance_m': 7.5},
        'world': {'objects': world}, 'view': {'objects': seen}}
    return Judge(answers.__getitem__)


def test_in_front_of_a_sofas_end_is_in_front_of_the_sofa() -> None:
    robot = Pose2D(1.4, 1.0, math.pi)
    ruling = judge(robot).rule(SOFA, STAND_OFF_M)
    assert ruling.reached, ruling.words
    assert math.hypot(robot.x, robot.y) > STAND_OFF_M, 'its middle is too far away'
    assert ruling.words.startswith('0.95 m from the blue sofa')
    assert (ruling.robot, ruling.target) == (robot, (0.0, 0.0, 0.4))
    assert (ruling.collisions, ruling.driven_m) == (2, 7.5)


@pytest.mark.parametrize(('robot', 'said'), [
    (Pose2D(1.7, 1.0, math.pi), '1.25 m'),
    (Pose2D(1.4, 1.0, math.pi / 2), 'turned 90° away'),
    (Pose2D(1.4, 1.0, math.pi - math.radians(21)), 'turned 21° away')])
def test_too_far_and_turned_away_are_not_reached(robot: Pose2D, said: str) -> None:
    ruling = judge(robot).rule(SOFA, STAND_OFF_M)
    assert not ruling.reached
    assert said in ruling.words


@pytest.mark.parametrize(('robot', 'near'), [
    (Pose2D(1.4, 1.0, math.pi), True), (Pose2D(2.7, 1.0, math.pi), True),
    (Pose2D(1.4, 1.0, math.pi / 2), True), (Pose2D(2.9, 1.0, math.pi), False)])
def test_near_is_in_view_within_twice_the_stand_off(robot: Pose2D, near: bool) -> None:
    assert judge(robot).rule(SOFA, STAND_OFF_M).near is near
    assert not judge(robot, seen=(MUG,)).rule(SOFA, STAND_OFF_M).near


def test_of_several_the_one_counts_to_which_the_robot_stands_best() -> None:
    robot = Pose2D(1.4, 1.0, math.pi)
    for targets in ([SOFA, MUG], [MUG, SOFA]):
        assert judge(robot).rule_any(targets, STAND_OFF_M).reached
    away = judge(Pose2D(3.0, 3.0, 0.0)).rule_any([SOFA, MUG], STAND_OFF_M)
    assert 'red mug' in away.words and away.distance_m == pytest.approx(0.96)


def test_facing_any_part_of_it_will_do() -> None:
    along = Pose2D(1.4, 1.0, math.pi + math.radians(60))
    assert judge(along).rule(SOFA, STAND_OFF_M).reached


def test_what_is_hidden_is_not_reached() -> None:
    ruling = judge(Pose2D(1.4, 0.0, math.pi), seen=(MUG,)).rule(SOFA, STAND_OFF_M)
    assert not ruling.reached
    assert 'not in view' in ruling.words


def test_a_target_that_is_not_there_is_told_from_words_that_mean_nothing() -> None:
    robot = Pose2D(1.0, 2.0, 0.0)
    assert judge(robot).targets_of('find the kettle') == []
    assert judge(robot).targets_of('find the red mug') == [MUG]
    with pytest.raises(Unjudged, match='nobody could judge'):
        judge(robot).targets_of('find the gizmo')


def test_nowhere_is_in_front_of_what_is_not_there() -> None:
    ruling = judge(Pose2D(1.0, 2.0, 0.0)).rule_any([], STAND_OFF_M)
    assert (ruling.reached, ruling.target) == (False, None)
    assert (ruling.collisions, ruling.driven_m) == (2, 7.5)


def test_the_outline_turns_with_the_object() -> None:
    turned = {**SOFA, 'position': (1.0, 2.0, 0.4), 'yaw': math.pi / 2}
    xs, ys = zip(*outline_of(turned), strict=True)
    assert (min(xs), max(xs)) == pytest.approx((0.0, 2.0))
    assert (min(ys), max(ys)) == pytest.approx((1.55, 2.45))
