"""What cannot be true is missing, with the reason; and it never ends the verifier."""

import json
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import TestCase

import numpy as np
import pytest
from builders import (
    CAMERA,
    ORIGIN,
    Block,
    Room,
    canonical,
    document,
    frozen,
    tilted,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import at_most
from strategies import examples
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.codec import decode_document, document_to_plain, encode_document
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import NavigationGoal
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.effects import AskPath
from semantic_nav.verify.events import (
    CameraMounted,
    CostmapMissing,
    CostmapReceived,
    LookFrozen,
    LookNotFrozen,
    MapMissing,
    MapReceived,
    PoseMissing,
    PoseResolved,
    Scan,
)
from semantic_nav.verify.grounding.mount import fault_of_axis
from semantic_nav.verify.grounding.plausible import (
    FAR_M,
    fault_of_mount,
    plausible,
)

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
HERE = Transform.from_pose(START)
GRID = OccupancyGrid(np.zeros((4, 5), np.int8), 0.05, -1.0, 2.0, 'map', 5)
LOOK = frozen('look', np.zeros((120, 160), np.uint16), START)
#: Numbers that no sensor means, and that no formula survives.
WILD = (math.nan, math.inf, -math.inf, 1e308, -1e300, 1e6)


def at(x: float, y: float = 0.0, z: float = 0.0) -> Transform:
    return Transform((x, y, z), UPRIGHT)


def turned(*rotation: float) -> Transform:
    return Transform((0.0, 0.0, 0.0), rotation)  # type: ignore[arg-type]


WILD_TRANSFORMS = [
    *(at(wild) for wild in WILD), *(at(0.0, 0.0, wild) for wild in WILD),
    turned(0.0, 0.0, 0.0, 0.0), turned(0.0, 0.0, 0.0, 2.0), turned(0.0, 0.0, math.nan, 1.0),
    turned(1e300, 1e300, 0.0, 0.0), turned(0.0, math.inf, 0.0, 1.0)]


@pytest.mark.parametrize('wild', WILD_TRANSFORMS, ids=str)
def test_a_transform_that_cannot_be_is_missing(wild: Transform) -> None:
    for event in (PoseResolved(5, wild, HERE), PoseResolved(5, HERE, wild)):
        assert isinstance(plausible(event), PoseMissing)
    for look in (replace(LOOK, odom_T_camera=wild), replace(LOOK, odom_T_base=wild)):
        assert isinstance(plausible(look), LookNotFrozen)


@pytest.mark.parametrize('changes', [
    *({'origin_x_m': wild} for wild in WILD), *({'origin_y_m': wild} for wild in WILD),
    *({'resolution_m': wild} for wild in (*WILD, 0.0, -0.05, 1e-6, 1e-300)),
    {'cells': np.zeros((0, 5), np.int8)}, {'cells': np.zeros((5, 0), np.int8)},
    {'cells': np.broadcast_to(np.int8(0), (100_000, 1_000))}, {'stamp_ns': -1},
    {'stamp_ns': 2**62}], ids=lambda changes: str(list(changes))[:30])
def test_a_grid_that_cannot_be_is_missing(changes: dict[str, Any]) -> None:
    grid = replace(GRID, **changes)
    assert isinstance(plausible(MapReceived(grid)), MapMissing)
    assert isinstance(plausible(CostmapReceived(grid)), CostmapMissing)


@pytest.mark.parametrize('changes', [
    *({name: wild} for name in ('fx', 'fy', 'cx', 'cy') for wild in WILD),
    *({name: low} for name in ('fx', 'fy') for low in (0.0, -120.0, 1e-300, 1e-3, 1.0)),
    {'cx': -1281.0}, {'cy': 1441.0}, {'width_px': 0}, {'height_px': 0}, {'width_px': 10**9},
    {'width_px': 161}], ids=str)
def test_a_calibration_that_cannot_be_leaves_a_look_without_depth(changes: dict[str, Any]) -> None:
    look = replace(LOOK, intrinsics=replace(CAMERA, **changes))
    assert isinstance(plausible(look), LookNotFrozen)


@pytest.mark.parametrize(('rotation', 'said'), [
    # As it is mounted, upside down, and turned by a quarter.
    ((-0.5, 0.5, -0.5, 0.5), ''), ((0.5, 0.5, 0.5, 0.5), ''),
    ((0.0, 0.7071068, 0.0, 0.7071068), ''),
    # Frames of a body: x ahead and z up, the same upside down, and z down.
    ((0.0, 0.0, 0.0, 1.0), '90 degrees up'), ((1.0, 0.0, 0.0, 0.0), '90 degrees down')])
def test_camera_looks_neither_straight_up_nor_down(
        rotation: tuple[float, float, float, float], said: str) -> None:
    base_T_camera = Transform((0.1, 0.0, 1.0), rotation)
    fault = fault_of_mount(CameraMounted('left', CAMERA, base_T_camera), 0.0)
    assert said in fault and bool(said) == ('optical' in fault) == bool(fault)
    rig = VerifierRig()
    rig.begin()
    rig.base_T_camera = base_T_camera
    rig.answer(canonical('explore'), rig.look(np.full((120, 160), 1000, np.uint16)))
    assert rig.observed().ungrounded_reason == fault


@pytest.mark.parametrize(('down_deg', 'taken'), [
    (-65, False), (-55, True), (55, True), (65, False)])
def test_camera_may_look_steeply(down_deg: float, taken: bool) -> None:
    assert bool(fault_of_axis(tilted(math.radians(down_deg)))) is not taken


@pytest.mark.parametrize('event', [
    PoseResolved(0, at(FAR_M, -FAR_M), turned(0.0, 0.0, 0.6, 0.8)), MapReceived(GRID),
    CostmapReceived(replace(GRID, resolution_m=1.0, origin_x_m=-FAR_M)), LOOK,
    replace(LOOK, intrinsics=replace(CAMERA, fx=60.0, fy=60.0, cx=0.0, cy=120.0)),
    PoseMissing('no transform')], ids=lambda event: type(event).__name__)
def test_what_can_be_true_passes_as_it_is(event: Event) -> None:
    assert plausible(event) is event


# What the core makes of it

def test_a_pose_that_cannot_be_is_refused_with_the_reason_once_the_last_one_is_old() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.clock.advance(2.0)
    rig.hear(PoseResolved(rig.clock.now.clock_ns, at(math.inf), at(0.0)))
    rig.act(hypothesis_id)
    assert rig.code is Code.POSE_UNAVAILABLE and 'inf' in rig.decision.reason


@pytest.mark.parametrize('kind', [MapReceived, CostmapReceived])
def test_a_grid_that_cannot_be_is_refused_with_the_reason(kind: type) -> None:
    rig = VerifierRig(ready=False)
    for good in (MapReceived, CostmapReceived):
        if good is not kind:
            rig.hear(good(rig.room.costmap(rig.clock.now.clock_ns)))
    rig.hear(kind(replace(rig.room.map(rig.clock.now.clock_ns), origin_x_m=1e308)))
    rig.stand()
    rig.begin()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert rig.code is Code.MAP_UNAVAILABLE and '1e+308' in rig.decision.reason
    rig.hear_maps()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    rig.stand()
    rig.path()
    assert rig.code is Code.OK


def test_a_map_that_cannot_be_leaves_the_one_before() -> None:
    rig = VerifierRig()
    rig.hear(MapReceived(replace(rig.room.map(0), origin_y_m=-1e308)))
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    rig.path()
    assert rig.code is Code.OK


# Documents of others

@pytest.mark.parametrize('wild', [1e300, -1e6, 100_000.5])
def test_a_pose_beyond_every_floor_is_no_document(wild: float) -> None:
    sent = document(RobotPose(ORIGIN, healthy=True, jump_m=0.0))
    assert decode_document(encode_document(sent), 'pose') == sent
    wild_one = replace(sent, body=RobotPose(Pose2D(wild, 0.0, 0.0), healthy=True, jump_m=0.0))
    with pytest.raises(ContractError):
        encode_document(wild_one)
    with pytest.raises(ContractError):
        decode_document(json.dumps(document_to_plain(wild_one)), 'pose')


# Any finite numbers at all

#: A small room, so that each example is quick; lines of the product that one event may take.
ROOM = Room(3.0, 2.4, [Block((1.8, 2.2), (1.0, 1.4), (0.0, 0.75))], resolution_m=0.1)
STEPS = 400_000
ANY = st.floats(allow_nan=False, allow_infinity=False)
#: Often what a robot would measure, and now and then anything.
NUMBERS = st.one_of(st.floats(-4.0, 4.0), ANY)
FOCAL = st.one_of(st.floats(10.0, 500.0), ANY)
TRANSFORMS = st.builds(
    Transform, st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.one_of(st.just(UPRIGHT), st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS)))
STAMPS = st.one_of(st.integers(-2, 2).map(lambda off: off * 10**9), st.integers(-2**62, 2**62))


@st.composite
def grids(draw: st.DrawFn) -> OccupancyGrid:
    grid = ROOM.costmap(0)
    return replace(grid, resolution_m=draw(st.one_of(st.just(0.1), ANY)),
                   origin_x_m=draw(NUMBERS), origin_y_m=draw(NUMBERS), stamp_ns=draw(STAMPS))


POSES = st.builds(PoseResolved, STAMPS, TRANSFORMS, TRANSFORMS)
SCANS = st.builds(
    Scan, st.lists(st.one_of(st.floats(0.0, 4.0, width=32), st.floats(width=32)), max_size=24).map(
        lambda ranges: np.array(ranges, np.float32)),
    st.one_of(st.just(-3.1), ANY), st.one_of(st.just(0.26), ANY), TRANSFORMS)
LOOKS = st.builds(
    LookFrozen, st.just(''), st.integers(0, 65535).map(
        lambda depth: np.full((12, 16), depth, np.uint16)),
    st.builds(Intrinsics, st.just(16), st.just(12), FOCAL, FOCAL, NUMBERS, NUMBERS),
    TRANSFORMS, TRANSFORMS, st.none() | SCANS)
PROPOSALS = st.sampled_from([
    canonical('approach', seen='visible', target_box=(100.0, 100.0, 300.0, 900.0)),
    canonical('approach', seen='visible', navigation_goal=NavigationGoal('base_link', 1, 0, 0)),
    canonical('explore'), canonical('rotate', rotate_rad=1.0)])


@contextmanager
def bounded() -> Iterator[None]:
    """Hold that this takes so many steps, and that nothing is caught for failing closed."""
    with at_most(STEPS), TestCase().assertNoLogs('semantic_nav', logging.ERROR):
        yield


@settings(max_examples=examples(60))
@given(data=st.data())
def test_whatever_is_measured_the_verifier_decides_and_nothing_unvetted_moves(
        data: st.DataObject) -> None:
    """The rig itself holds that no goal is sent that no OK announced, and that documents keep
    their schemas."""
    rig = VerifierRig(ROOM, Pose2D(0.8, 1.2, 0.0))
    now = rig.clock.now.clock_ns

    def hear(event: Event) -> None:
        with bounded():
            rig.hear(event)

    for _ in range(data.draw(st.integers(1, 6))):
        event = data.draw(st.one_of(
            POSES, grids().map(MapReceived), grids().map(CostmapReceived), LOOKS))
        match event:
            case PoseResolved():
                hear(replace(event, stamp_ns=now + event.stamp_ns))
            case MapReceived(grid):
                hear(MapReceived(replace(grid, stamp_ns=now + grid.stamp_ns)))
            case CostmapReceived(grid):
                hear(CostmapReceived(replace(grid, stamp_ns=now + grid.stamp_ns)))
            case LookFrozen():
                look_id = rig.look(freeze=False)
                hear(replace(event, look_id=look_id))
                with bounded():
                    sent = rig.answer(data.draw(PROPOSALS), look_id)
                    rig.act(sent.id)
                    if any(isinstance(one, AskPath) for one in rig.out):
                        rig.path()
                    rig.tick()
