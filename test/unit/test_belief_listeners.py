"""What graph and signs of life tell of those that carry out the steps."""

from semantic_nav.belief.events import ListenersChanged
from semantic_nav.belief.listeners import Heard, Listeners

BOTH = {'hypothesis': {1}, 'verifier': {2}, 'rviz': {3}}
LIVE = {'hypothesis': Heard('a'), 'verifier': Heard('b')}


def test_change_is_told_once() -> None:
    listeners = Listeners()
    assert listeners.changed({'verifier': {2}}, {}) == ListenersChanged(('hypothesis',))
    assert listeners.changed({'verifier': {2}}, {}) is None
    assert listeners.missing == ('hypothesis',)
    assert listeners.changed(BOTH, {}) == ListenersChanged(())
    assert listeners.changed(BOTH, {}) is None


def test_node_that_was_started_anew_is_told_beside_the_one_before() -> None:
    listeners = Listeners()
    listeners.changed(BOTH, {})
    assert listeners.changed({**BOTH, 'verifier': {2, 4}}, {}) == (
        ListenersChanged((), ('verifier',)))
    assert listeners.changed({**BOTH, 'verifier': {4}}, {}) is None, 'the one before is gone'


def test_node_without_a_sign_of_life_is_missing() -> None:
    listeners = Listeners()
    for name in LIVE:
        listeners.changed(BOTH, LIVE)
        assert listeners.changed(BOTH, {**LIVE, name: Heard('', 2.9)}) is None
        assert listeners.changed(BOTH, {**LIVE, name: Heard('', 3.1)}) == ListenersChanged((name,))
        assert listeners.changed(BOTH, LIVE) == ListenersChanged(()), 'it only hung'


def test_another_session_is_another_start() -> None:
    listeners = Listeners()
    listeners.changed(BOTH, {})
    assert listeners.changed(BOTH, LIVE) is None, 'it is heard for the first time'
    other = {**LIVE, 'hypothesis': Heard('c')}
    assert listeners.changed(BOTH, other) == ListenersChanged((), ('hypothesis',))
    assert listeners.changed(BOTH, other) is None


def test_one_that_stands_by_disturbs_nobody() -> None:
    """It subscribes as the one in charge does; its session is not the one that is heard."""
    listeners = Listeners()
    listeners.changed(BOTH, LIVE)
    assert listeners.changed({**BOTH, 'verifier': {2, 4}}, LIVE) is None


def test_whoever_does_not_hear_itself_gives_no_step() -> None:
    listeners = Listeners()
    listeners.changed(BOTH, LIVE)
    assert listeners.changed(BOTH, LIVE, deaf=True) == ListenersChanged(('its own sign of life',))
    assert listeners.changed(BOTH, LIVE) == ListenersChanged(())
