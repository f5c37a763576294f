"""Tracks that gave way to a sighting elsewhere."""

import math
from collections.abc import Sequence
from dataclasses import replace

from builders import GOAL_ID, Block, Room, canonical, look_request
from verifier_rig import START, TABLE, VerifierRig

from semantic_nav.contracts.documents import Observation, RejectedTarget, Step, Track
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import StepKind
from semantic_nav.verify.tracking.association import _most
from semantic_nav.verify.tracking.track import TargetTrack

#: Stands beside the table.
OTHER = Block((4.2, 4.4), (4.0, 4.2), (0.0, 0.9))


def see(rig: VerifierRig, block: Block) -> Observation:
    return rig.see(canonical('approach', seen='visible', target_box=rig.box(block)),
                   depth=rig.depth((MUG, OTHER)))[1]


MUG = Block((4.2, 4.3), (2.95, 3.05), (0.75, 0.87))


#: Stands on the same table as the mug.
TUMBLER = Block((4.2, 4.3), (2.45, 2.55), (0.75, 0.87))


def seen_twice() -> tuple[VerifierRig, Track]:
    """Return a robot that has seen the mug from two places."""
    rig = VerifierRig(Room(blocks=[TABLE, OTHER]))
    see(rig, MUG)
    rig.drive(Pose2D(START.x - 0.5, START.y + 1.0, -0.3))
    rig.stand()
    observation = see(rig, MUG)
    assert observation.track is not None and observation.track.views == 2
    return rig, observation.track


def reject(rig: VerifierRig, track: Track) -> None:
    rig.say(Step(StepKind.LOOK, 'find the mug', look=look_request(), rejected=(
        RejectedTarget(track.id, track.position),)), goal=GOAL_ID)


def test_target_is_held_until_a_sighting_elsewhere_comes_to_nothing() -> None:
    rig, mug = seen_twice()
    other = see(rig, OTHER).track
    assert other is not None and other.id != mug.id
    reject(rig, other)
    _, observation = rig.see(canonical('explore'), depth=rig.depth((MUG, OTHER)))
    assert observation.track is not None and observation.track.id == mug.id


def test_sighting_of_a_target_that_was_set_aside_goes_on_with_its_track() -> None:
    rig, mug = seen_twice()
    see(rig, OTHER)
    again = see(rig, MUG).track
    assert again is not None and (again.id, again.hits) == (mug.id, mug.hits + 1)


def test_target_that_is_lost_gives_way_to_the_one_before() -> None:
    rig, mug = seen_twice()
    see(rig, OTHER)
    observation = rig.miss(at=(4.3, 4.1), extra=(MUG, OTHER))
    assert observation.track is not None and observation.track.id == mug.id


def test_what_was_seen_from_one_place_alone_is_not_held() -> None:
    rig = VerifierRig(Room(blocks=[TABLE, OTHER]))
    see(rig, MUG)
    other = see(rig, OTHER).track
    assert other is not None
    reject(rig, other)
    _, observation = rig.see(canonical('explore'), depth=rig.depth((MUG, OTHER)))
    assert observation.track is None


def test_rejected_target_that_was_set_aside_is_held_no_more() -> None:
    rig, mug = seen_twice()
    other = see(rig, OTHER).track
    assert other is not None
    reject(rig, mug)
    reject(rig, other)
    _, observation = rig.see(canonical('explore'), depth=rig.depth((MUG, OTHER)))
    assert observation.track is None


def seen_from(rig: VerifierRig, number: int, target: Block) -> Track:
    """Return the track in hand after a sighting of something on the table."""
    y = START.y - 1.2 + 0.9 * number
    rig.drive(Pose2D(START.x, y, math.atan2(2.75 - y, 4.25 - START.x)))
    rig.stand()
    _, observation = rig.see(canonical('approach', seen='visible', target_box=rig.box(target)),
                             depth=rig.depth((MUG, TUMBLER)))
    assert observation.track is not None
    return observation.track


def seen_beside(*targets: Block, places: Sequence[int] = range(9)) -> list[Track]:
    """Return the track in hand after each of some sightings, each from its place."""
    rig = VerifierRig(Room(blocks=[TABLE, OTHER]))
    return [seen_from(rig, number, target)
            for number, target in zip(places, targets, strict=False)]


def test_box_drawn_around_what_lies_beside_it_takes_nothing_from_a_target() -> None:
    *_, before, strayed, again = seen_beside(MUG, MUG, TUMBLER, MUG)
    assert (strayed.id, strayed.position, strayed.views) == (before.id, before.position, 2)
    assert strayed.hits == 0
    assert (again.hits, again.views) == (1, 3)


def test_target_that_is_seen_by_turns_with_another_thing_keeps_its_own_views() -> None:
    first, *_, last = seen_beside(MUG, TUMBLER, MUG)
    assert last.views == 2
    assert abs(last.position[1] - first.position[1]) < 0.05


def test_thing_beside_is_not_forgotten_where_the_first_is_seen_again_from_the_same_place() -> None:
    _, tumbler, _, last = seen_beside(MUG, TUMBLER, MUG, TUMBLER, places=(0, 1, 0, 2))
    assert last.views == 2
    assert abs(last.position[1] - tumbler.position[1]) < 0.05


def test_sighting_beside_a_target_that_was_set_aside_is_held_apart_from_it() -> None:
    rig, mug = seen_twice()
    other = see(rig, OTHER).track
    assert other is not None and other.sure
    first, second, third = (seen_from(rig, number, TUMBLER) for number in range(3))
    assert (first.id, first.hits, first.views) == (mug.id, 0, 2)
    assert (second.id, second.hits) == (mug.id, 0)
    assert (third.hits, third.views) == (3, 3) and third.id not in (mug.id, other.id)


def test_things_that_nobody_saw_twice_push_out_none_that_was() -> None:
    rig, mug = seen_twice()
    held = rig.core._findings.track
    assert held is not None
    aside: tuple[TargetTrack, ...] = (held,)
    for number in range(20):
        passing = replace(held, id=f'passing-{number}', views=held.views[:1])
        aside = _most((*aside, passing))
    assert aside[0].id == mug.id and len(aside) == 8
    assert aside[-1].id == 'passing-19'
