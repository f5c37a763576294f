"""What is still to be written: tried again until it is, and told as long as it is not."""

from stored_places import make_place

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.memory.events import ForgetFailed, ForgetPlace, SaveFailed, SavePlace
from semantic_nav.memory.saver import Saver

NOW = Now(0, 0, 0)
LATER = Now(0, 11 * NS_PER_S, 0)


def failed(*numbers: int) -> Saver:
    """Return a saver that could not write some places."""
    saver = Saver()
    saver.opened()
    for number in numbers:
        saver.place_failed(SaveFailed(f'place-s-{number}', None, 'the disk is full'), NOW)
    return saver


def test_place_that_is_forgotten_needs_no_other_try() -> None:
    saver = failed(1)
    forgetting, = saver.forget(ForgetPlace('home', 'place-s-1'))
    saver.forgotten(forgetting.place_id)
    assert (saver.unsaved, saver.reason) == (0, '')
    assert saver.again(LATER, lambda place_id: make_place(1), lambda place_id: None) == []


def test_reason_stays_until_all_is_written() -> None:
    saver = failed(1, 2)
    # A third one was written all the same.
    saver.place_saved()
    assert (saver.unsaved, saver.reason) == (2, 'the disk is full')
    writes = saver.again(
        LATER, {'place-s-1': make_place(1), 'place-s-2': make_place(2)}.get, lambda place_id: None)
    assert writes == [SavePlace(make_place(1), None, None), SavePlace(make_place(2), None, None)]
    saver.place_saved()
    assert (saver.unsaved, saver.reason) == (0, '')


def test_removal_is_tried_again_until_it_is_done() -> None:
    saver = failed()
    forgetting, = saver.forget(ForgetPlace('home', 'place-s-1'))
    saver.forget_failed(ForgetFailed('place-s-1', 'locked'), NOW)
    assert saver.again(NOW, lambda place_id: None, lambda place_id: None) == []
    for steady_s in (11, 22):
        assert saver.again(Now(0, steady_s * NS_PER_S, 0), lambda place_id: None,
                           lambda place_id: None) == [forgetting]
    saver.forgotten('place-s-1')
    assert (saver.unsaved, saver.reason) == (0, '')
