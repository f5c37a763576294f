"""Bases of other shapes: they enter nothing, whatever they are told to do."""

import math

import pytest
import shapely
import small_world
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.light.body import LightBody
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.robot.actors import Actors, Surroundings
from semantic_nav_sim.robot.base import Base, BaseLimits
from semantic_nav_sim.robot.person import RADIUS_M
from semantic_nav_sim.robot.shape import USUAL, shape_of
from semantic_nav_sim.world.floor_plan import BAND_M
from semantic_nav_sim.world.footprints import Footprints, outline_of
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.scene import build_scene, stage

DT_S = 0.02
SCENE = build_scene(world_from(small_world.document()))
STAGE = stage(SCENE, small_world.SEED_TABLE)
COLLIDERS = list(STAGE.colliders())
FOOTPRINTS = Footprints(COLLIDERS, *BAND_M)
THINGS = shapely.union_all([outline for collider in COLLIDERS
                            if (outline := outline_of(collider, *BAND_M)) is not None])
OBLONG = shape_of('rectangle:0.7x0.5')


def body_of(base: Base) -> shapely.Polygon:
    c, s = math.cos(base.pose.yaw), math.sin(base.pose.yaw)
    return shapely.Polygon([(base.pose.x + c * x - s * y, base.pose.y + s * x + c * y)
                            for x, y in OBLONG.corners])


def drive(base: Base, speed_m_s: float, turn_rad_s: float, seconds: float) -> None:
    for _ in range(round(seconds / DT_S)):
        base.step(speed_m_s, turn_rad_s, DT_S)


def test_names() -> None:
    assert shape_of('') == USUAL and USUAL.radius_m == 0.2
    assert USUAL.nav2_radius_m == NavigatorConfig().robot_radius and USUAL.footprint == ''
    small = shape_of('round:0.18')
    assert small.radius_m == 0.18 and small.nav2_radius_m == 0.225 and small.footprint == ''
    assert OBLONG.radius_m == pytest.approx(math.hypot(0.35, 0.25))
    told = footprint_of(OBLONG.footprint)
    assert told is not None and told.inscribed_m == pytest.approx(0.27)


@pytest.mark.parametrize('name', ['round', 'round:', 'round:-1', 'round:9', 'round:0.2m',
                                  'rectangle:0.7', 'rectangle:0.7x0', 'square:1', 'ROUND:0.2'])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match='round:RADIUS'):
        shape_of(name)


def test_nose_meets_a_wall_before_its_middle_would() -> None:
    base = Base(FOOTPRINTS, Pose2D(0.9, 1.4, math.pi), BaseLimits(OBLONG))
    drive(base, 0.3, 0.0, 3.0)
    assert base.collisions == 1
    assert base.pose.x == pytest.approx(0.06 + 0.35, abs=0.02)
    drive(base, -0.2, 0.0, 1.0)
    drive(base, 0.2, 0.0, 2.0)
    assert base.collisions == 2, 'it was parted between'


def test_corner_meets_what_its_side_does_not() -> None:
    base = Base(FOOTPRINTS, Pose2D(0.06 + 0.27, 1.4, math.pi / 2), BaseLimits(OBLONG))
    drive(base, 0.2, 0.0, 0.5)
    assert base.collisions == 0
    drive(base, 0.0, 1.0, 1.5)
    assert base.collisions == 1
    assert not THINGS.intersects(body_of(base))
    round_ = Base(FOOTPRINTS, Pose2D(0.06 + 0.27, 1.4, math.pi / 2))
    drive(round_, 0.0, 1.0, 1.5)
    assert round_.collisions == 0


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.floats(-0.6, 0.6), st.floats(-1.2, 1.2)), min_size=1, max_size=8))
def test_body_is_never_in_anything(commands: list[tuple[float, float]]) -> None:
    base = Base(FOOTPRINTS, Pose2D(1.0, 1.4, 0.0), BaseLimits(OBLONG))
    assert not THINGS.intersects(body_of(base))
    for speed, turn in commands:
        drive(base, speed, turn, 1.0)
        assert THINGS.intersection(body_of(base)).area < 1e-9


def test_person_is_met_by_the_outline() -> None:
    actors = Actors(STAGE, 1, moving_doors=False, robot_radius_m=OBLONG.radius_m)
    around = Surroundings(FOOTPRINTS, actors)
    placing, = actors.placings.values()
    x, y, _ = placing.position
    near = around.nearest_to(shapely.box(x + 0.3, y - 0.01, x + 0.4, y + 0.01), 0.2)
    assert near.name in actors.placings and near.gap_m == pytest.approx(0.3 - RADIUS_M, abs=0.01)


@pytest.mark.parametrize('name', ['round:0.18', 'round:0.28', 'rectangle:0.7x0.5'])
def test_bodies_take_a_shape(name: str) -> None:
    body = LightBody(SCENE, small_world.SEED_TABLE, shape=shape_of(name))
    assert body.shape == shape_of(name)
    body.step(0)
    for step in range(1, 200):
        body.command(0.5, 0.0, step * 50_000_000)
        body.step(step * 50_000_000)
    hit = body.snapshot()
    assert hit.collisions >= 1
    reach_m = 0.35 if 'x' in name else body.shape.radius_m
    gap_m = FOOTPRINTS.nearest(hit.true.x, hit.true.y, 1.0).gap_m
    assert gap_m <= body.shape.radius_m + 0.02 and gap_m >= min(reach_m, 0.25) - 0.01
