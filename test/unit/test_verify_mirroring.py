"""Depth that its driver mirrors left to right does not fit the map, and is named."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from builders import CAMERA, Block, Room, base_T_CAMERA, box_of, canonical, frozen
from verifier_rig import MUG, TABLE, VerifierRig

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.mirroring import Mirroring, mirroring_report

#: A room with a wall that juts in at one side, and a wardrobe at another.
ROOM = Room(blocks=[Block((4.0, 4.2), (0.0, 2.6)), Block((6.0, 8.0), (4.6, 6.0), (0.0, 2.0))])
PLACE = Pose2D(2.5, 2.0, 0.0)
HEADINGS = (-0.5, 0.7, 1.3, 0.1, -1.2)
STAYS = Transform.identity()


def look(pose: Pose2D, *, mirrored: bool = False, room: Room = ROOM,
         extra: Sequence[Block] = ()) -> LookFrozen:
    depth = room.depth(Transform.from_pose(pose) @ base_T_CAMERA, CAMERA, extra)
    return frozen('look', np.ascontiguousarray(depth[:, ::-1]) if mirrored else depth, pose)


def told(*, mirrored: bool, grid: OccupancyGrid | None = None, map_T_odom: Transform = STAYS,
         headings: Sequence[float] = HEADINGS, extra: Sequence[Block] = ()) -> Mirroring:
    known = Mirroring()
    for yaw in headings:
        known = known.after(look(replace(PLACE, yaw=yaw), mirrored=mirrored, extra=extra),
                            map_T_odom, grid or ROOM.map())
    return known


def test_mirrored_depth_is_named_once_it_shows_from_several_headings() -> None:
    assert told(mirrored=True, headings=HEADINGS[:2]) == Mirroring(HEADINGS[:2])
    known = told(mirrored=True)
    assert known.found and len(known.headings_rad) >= 3
    assert 'fits the map mirrored left to right' in known.words and len(known.words) < 300
    assert told(mirrored=False) == Mirroring(found=False) and not told(mirrored=False).words


def test_one_heading_tells_nothing_however_often() -> None:
    known = told(mirrored=True, headings=(-0.5, -0.4, -0.6) * 4)
    assert not known.found and len(known.headings_rad) == 1


@pytest.mark.parametrize('off', [
    Pose2D(0.2, 0.0, 0.0), Pose2D(0.0, -0.2, 0.0), Pose2D(0.1, 0.1, 0.17),
    Pose2D(-0.1, 0.1, -0.17)])
def test_errors_of_a_localisation_change_neither(off: Pose2D) -> None:
    here = Transform.from_pose(PLACE)
    map_T_odom = here @ Transform.from_pose(off) @ here.inverse()
    assert told(mirrored=False, map_T_odom=map_T_odom).found is not True
    assert told(mirrored=True, map_T_odom=map_T_odom).found is not False


#: Things that stand in no map, from the low to what hides a wall.
UNMAPPED = (Block((3.2, 3.6), (2.6, 3.4), (0.0, 0.8)), Block((1.5, 3.5), (4.0, 4.6), (0.0, 2.0)),
            Block((3.1, 3.4), (0.5, 1.5), (0.0, 1.8)))


@pytest.mark.parametrize('extra', [UNMAPPED[:1], UNMAPPED[1:2], UNMAPPED[2:], UNMAPPED])
def test_furniture_in_no_map_is_no_mirroring(extra: Sequence[Block]) -> None:
    known = told(mirrored=False, extra=extra)
    assert known.found is not True and not known.headings_rad


@pytest.mark.parametrize('turned_rad', [1.0, 2.0, math.pi, -1.5])
def test_lost_robot_or_wrong_map_is_no_mirroring(turned_rad: float) -> None:
    here = Transform.from_pose(PLACE)
    lost = Transform.from_pose(replace(PLACE, yaw=turned_rad)) @ here.inverse()
    around = np.linspace(-math.pi, math.pi, 15).tolist()
    assert told(mirrored=False, map_T_odom=lost, headings=around).found is not True
    other = Room(9.0, 7.0, [Block((0.0, 3.0), (4.0, 4.2))]).map()
    assert told(mirrored=False, grid=other, headings=around).found is not True


def test_without_map_or_depth_nothing_is_known() -> None:
    here = look(PLACE)
    assert Mirroring().after(here, STAYS, None) == Mirroring()
    nothing = replace(here, depth_mm=np.zeros((0, 0), np.uint16))
    dark = replace(here, depth_mm=np.zeros_like(here.depth_mm))
    for one in (nothing, dark):
        assert Mirroring().after(one, STAYS, ROOM.map()) == Mirroring()
    assert mirroring_report({}) is None and mirroring_report({'left': Mirroring()}) is None


def test_it_is_taken_back_once_depth_fits_as_it_is() -> None:
    found = told(mirrored=True)
    after = found.after(look(replace(PLACE, yaw=-0.5)), STAYS, ROOM.map())
    assert after == Mirroring(found=False)
    report = mirroring_report({'front': found, 'left': after})
    assert report is not None and report.level is Level.WARN and "camera 'front'" in report.text
    well = mirroring_report({'front': after})
    assert well is not None and well.level is Level.OK


def test_looks_of_a_mirrored_camera_put_nothing_anywhere() -> None:
    """The mug is in the picture; its depth is that of the other side."""
    rig = VerifierRig(Room(blocks=[*ROOM.blocks, TABLE]), PLACE)
    for yaw in HEADINGS:
        rig.drive(replace(PLACE, yaw=yaw))
        rig.stand()
        look_id = rig.look(freeze=False)
        eye = Transform.from_pose(rig.pose) @ base_T_CAMERA
        rig.hear(replace(look(rig.pose, mirrored=True, room=rig.room, extra=(MUG,)),
                         look_id=look_id))
        rig.answer(canonical('approach', seen='visible', target_box=box_of(eye, CAMERA, MUG))
                   if abs(yaw) < 0.3 else canonical(), look_id)
    observation = rig.observed()
    assert 'mirrored left to right' in observation.ungrounded_reason
    assert observation.track is None and observation.pose is None and not observation.objects
    level, words = rig.told['mirroring']
    assert level is Level.WARN and 'switch the mirroring' in words
    rig.begin('another-goal')
    assert rig.core._findings.mirroring[observation.camera].found, 'it holds for the next goal'
