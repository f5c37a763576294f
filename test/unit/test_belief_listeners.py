"""What the graph tells of those that carry out the steps."""

from semantic_nav.belief.events import ListenersChanged
from semantic_nav.belief.listeners import Listeners

BOTH = {'hypothesis': {1}, 'verifier': {2}, 'rviz': {3}}


def test_change_is_told_once() -> None:
    listeners = Listeners()
    assert listeners.changed({'verifier': {2}}, 0.0) == ListenersChanged(('hypothesis',))
    assert listeners.changed({'verifier': {2}}, 0.0) is None
    assert listeners.changed(BOTH, 0.0) == ListenersChanged(())
    assert listeners.changed(BOTH, 0.0) is None


def test_node_that_was_started_anew_is_told_beside_the_one_before() -> None:
    listeners = Listeners()
    listeners.changed(BOTH, 0.0)
    assert listeners.changed({**BOTH, 'verifier': {2, 4}}, 0.0) == (
        ListenersChanged((), ('verifier',)))
    assert listeners.changed({**BOTH, 'verifier': {4}}, 0.0) is None, 'the one before is gone'


def test_verifier_without_a_sign_of_life_is_missing() -> None:
    listeners = Listeners()
    listeners.changed(BOTH, 0.0)
    assert listeners.changed(BOTH, 2.9) is None
    assert listeners.changed(BOTH, 3.1) == ListenersChanged(('verifier',))
    assert listeners.changed(BOTH, 0.0) == ListenersChanged(())
