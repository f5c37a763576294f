"""Which depth picture belongs to a look, and how long it is waited for."""

import numpy as np
import pytest

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import LookFrozen, LookNotFrozen
from semantic_nav.verify.grounding.depth_pairing import DepthPairing

STAMP_NS, STEADY_NS = 20 * NS_PER_S, 7 * NS_PER_S
MS = NS_PER_S // 1000
HERE = Transform.from_pose(Pose2D(0.0, 0.0, 0.0))


class Rig:
    """A pairing whose depth pictures are numbers, and whose transforms may lack."""

    def __init__(self) -> None:
        self.lacks = ''
        self.pairing: DepthPairing[int] = DepthPairing(0.2, self.freeze)

    def freeze(self, effect: FreezeLook, depth: int) -> LookFrozen:
        if self.lacks:
            raise LookupError(self.lacks)
        return LookFrozen(effect.look_id, np.full((1, 1), depth, np.uint16),
                          Intrinsics(1, 1, 1.0, 1.0, 0.0, 0.0), HERE, HERE)

    def look(self, name: str = 'look-1', stamp_ns: int = STAMP_NS,
             steady_ns: int = STEADY_NS) -> list[object]:
        return self.pairing.freeze(FreezeLook(name, stamp_ns, 'camera', 0.3), steady_ns)

    def depth(self, number: int, stamp_ns: int, steady_ns: int = STEADY_NS) -> list[object]:
        return self.pairing.take(number, stamp_ns, steady_ns)


@pytest.fixture
def rig() -> Rig:
    return Rig()


def frozen(events: list[object]) -> dict[str, int]:
    assert all(isinstance(event, LookFrozen) for event in events)
    return {event.look_id: int(event.depth_mm[0, 0]) for event in events}


def reason(events: list[object]) -> str:
    (event,) = events
    assert isinstance(event, LookNotFrozen)
    return event.reason


def test_what_lacks_is_named() -> None:
    pairing: DepthPairing[int] = DepthPairing(0.2, Rig().freeze, 'scan')
    (event,) = pairing.freeze(FreezeLook('look-1', STAMP_NS, 'camera', 0.0), STEADY_NS)
    assert isinstance(event, LookNotFrozen) and event.reason == 'no scan came'


@pytest.mark.parametrize(('picture_ns', 'depth_ns', 'said'), [
    (0, 0, 'the stamp of the picture is 0'), (0, STAMP_NS, 'the stamp of the picture is 0'),
    (STAMP_NS, 0, 'no depth picture belongs to the picture: its stamp is 0'),
    (STAMP_NS, NS_PER_S, 'its stamp stands still at 1.0 s')])
def test_stamps_that_tell_no_time_are_named(rig: Rig, picture_ns: int, depth_ns: int,
                                            said: str) -> None:
    for _ in range(3):
        rig.depth(1, depth_ns)
    rig.look(stamp_ns=picture_ns)
    told = reason(rig.pairing.retry(STEADY_NS + NS_PER_S))
    assert said in told and 'let its driver stamp it' in told


def test_the_nearest_depth_is_taken(rig: Rig) -> None:
    for number, off_ms in ((1, -150), (2, -20), (3, 30)):
        rig.depth(number, STAMP_NS + off_ms * MS)
    assert frozen(rig.look()) == {'look-1': 2}
    assert frozen(rig.look('look-2', STAMP_NS + 20 * MS)) == {'look-2': 3}


def test_a_look_waits_for_its_depth(rig: Rig) -> None:
    rig.depth(1, STAMP_NS - 300 * MS)
    assert rig.look() == []
    assert frozen(rig.depth(2, STAMP_NS + 100 * MS, STEADY_NS + 250 * MS)) == {'look-1': 2}
    assert rig.pairing.retry(STEADY_NS + NS_PER_S) == [], 'it is answered once'


def test_a_look_waits_for_what_else_belongs_to_it(rig: Rig) -> None:
    rig.lacks = 'no transform'
    rig.depth(1, STAMP_NS)
    assert rig.look() == []
    assert rig.pairing.retry(STEADY_NS + 299 * MS) == []
    assert reason(rig.pairing.retry(STEADY_NS + 300 * MS)) == 'no transform'
    rig.lacks = ''
    assert rig.pairing.retry(STEADY_NS + 301 * MS) == []


def test_a_look_without_near_depth_says_how_far_it_is(rig: Rig) -> None:
    assert rig.look() == []
    assert reason(rig.pairing.retry(STEADY_NS + NS_PER_S)) == 'no depth picture came'
    rig.depth(1, STAMP_NS - 250 * MS)
    assert rig.look() == []
    assert '0.25 s before the picture' in reason(rig.pairing.retry(STEADY_NS + NS_PER_S))


def test_depth_that_comes_seldom_is_told_from_one_of_another_clock(rig: Rig) -> None:
    """Frames get lost over WiFi (rmw_cyclonedds issue 328)."""
    rig.depth(1, STAMP_NS - 400 * MS)
    rig.depth(2, STAMP_NS + 600 * MS)
    rig.look()
    words = reason(rig.pairing.retry(STEADY_NS + NS_PER_S))
    assert '1.0 s apart' in words and 'network' in words and 'clock' not in words


def test_picture_that_comes_too_late_for_its_depth_is_named(rig: Rig) -> None:
    """Pictures may wait in an encoder, or on the way (rmw_connext issue 379)."""
    for number in range(20):
        rig.depth(number, STAMP_NS + number * 100 * MS)
    rig.look()
    words = reason(rig.pairing.retry(STEADY_NS + NS_PER_S))
    assert 'the picture came 1.9 s later than its depth picture' in words and 'network' in words


def test_several_looks_are_open_at_once(rig: Rig) -> None:
    assert rig.look('look-1') == rig.look('look-2', STAMP_NS + NS_PER_S) == []
    assert frozen(rig.depth(1, STAMP_NS)) == {'look-1': 1}
    assert frozen(rig.depth(2, STAMP_NS + NS_PER_S)) == {'look-2': 2}


def test_depth_is_kept_for_a_second(rig: Rig) -> None:
    rig.depth(1, STAMP_NS)
    rig.depth(2, STAMP_NS + NS_PER_S)
    assert frozen(rig.look()) == {'look-1': 1}
    rig.depth(3, STAMP_NS + NS_PER_S + 1)
    assert rig.look('look-2') == []


def test_a_clock_that_jumps_back_begins_anew(rig: Rig) -> None:
    rig.depth(1, STAMP_NS + 5 * NS_PER_S)
    rig.depth(2, STAMP_NS)
    assert rig.look('look-1', STAMP_NS + 5 * NS_PER_S) == []
    assert frozen(rig.look('look-2')) == {'look-2': 2}


def test_depth_that_was_overtaken_on_its_way_is_put_in_order(rig: Rig) -> None:
    """Some drivers send a few pictures after later ones (usb_cam issue 259)."""
    for number, at_ms in enumerate((0, 33, 66, 26, 100, 133, 93)):
        rig.depth(number, STAMP_NS + at_ms * MS)
    looks = {f'look-{at_ms}': rig.look(f'look-{at_ms}', STAMP_NS + at_ms * MS)
             for at_ms in (0, 26, 66, 93, 133)}
    assert {name: frozen(events)[name] for name, events in looks.items()} == {
        'look-0': 0, 'look-26': 3, 'look-66': 2, 'look-93': 6, 'look-133': 5}


def test_a_clock_that_jumps_back_a_little_begins_anew_soon(rig: Rig) -> None:
    rig.depth(1, STAMP_NS)
    for number, at_ms in enumerate((500, 467, 433)):
        rig.depth(2 + number, STAMP_NS - at_ms * MS)
    rig.depth(5, STAMP_NS - 400 * MS)
    assert rig.look('look-1') == [], 'what is of before the jump is forgotten'
    assert frozen(rig.look('look-2', STAMP_NS - 400 * MS)) == {'look-2': 5}


def test_what_is_forgotten_is_not_answered(rig: Rig) -> None:
    rig.look()
    rig.pairing.clear()
    assert rig.depth(1, STAMP_NS) == []
    assert rig.pairing.retry(STEADY_NS + NS_PER_S) == []


def test_look_whose_transforms_are_late_keeps_its_depth(rig: Rig) -> None:
    rig.depth(1, STAMP_NS)
    rig.lacks = 'no transform'
    assert rig.look() == []
    for later in range(1, 30):
        assert rig.depth(1 + later, STAMP_NS + later * 100 * MS) == []
    rig.lacks = ''
    assert frozen(rig.pairing.retry(STEADY_NS)) == {'look-1': 1}
    rig.depth(40, STAMP_NS + 3000 * MS)
    assert rig.look('look-2') == [], 'nobody wanted it any more'
