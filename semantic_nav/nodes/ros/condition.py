"""Condition of the robot as other nodes report it: held, lost, or out of charge."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.battery import ChargeReader
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.hearing import hear
from semantic_nav.verify.events import ChargeHeard, HoldAwaited, HoldHeard, UncertaintyHeard

#: Least time between two feeds of a repeated message, in s.
_AGAIN_S = 0.2
#: A computed variance may fall below zero by this much.
_ROUNDED = 1e-6
#: Covariance rows that the core uses; variance that no filter computes for them, so nobody filled
#: it in; and first field in many ROS messages where the covariance is unknown.
_AXES = (('x', 0), ('y', 1), ('yaw', 5))
_NOTHING, _NOT_COMPUTED = 1e-12, -1.0
#: Standard deviation beyond every limit, in m and rad.
_UNBOUNDED = 1000.0


@dataclass(frozen=True)
class Said:
    """Content of a message.

    Attributes:
        event: event for the core; None if the message tells it nothing.
        level, words: statement for the diagnostics.
    """

    event: Event | None
    level: Level
    words: str


#: A localisation with an impossible covariance is not trusted.
_NO_COVARIANCE = Said(UncertaintyHeard(_UNBOUNDED, _UNBOUNDED), Level.WARN,
                      'the covariance is none')


#: A zero covariance means that none was computed: it is reported, and tells the core nothing.
_UNWATCHED = Said(None, Level.WARN, 'the covariance was never filled in, so the localisation is '
                  'not watched: let it compute one, or leave localisation_topic empty')


def hold_of(message: Bool) -> Said:
    """State of a pause switch or an emergency stop."""
    held = bool(message.data)
    return Said(HoldHeard(held), *((Level.WARN, 'the robot is to stand') if held
                                   else (Level.OK, 'the robot may drive')))


class BatteryReader:
    """Reader of the charge of a battery."""

    def __init__(self) -> None:
        """Begin with nothing known of the driver."""
        self._read = ChargeReader()

    def __call__(self, message: BatteryState) -> Said:
        """Charge in a message."""
        charge = self._read(message)
        if charge.share is None:
            return Said(None, Level.WARN, charge.words)
        return Said(ChargeHeard(round(charge.share, 2)),
                    Level.OK if charge.share > 0.0 else Level.WARN, charge.words)


def uncertainty_of(message: PoseWithCovarianceStamped) -> Said:
    """Uncertainty of the localisation.

    The standard deviations are the square roots of the largest eigenvalue of the covariance of x
    and y, and of the variance of the yaw. Some localisations compute none, and publish zeros.
    """
    covariance = np.reshape(message.pose.covariance, (6, 6))
    if not np.isfinite(covariance).all():
        return _NO_COVARIANCE
    variances = np.array([*np.linalg.eigvalsh(covariance[:2, :2]), covariance[5, 5]])
    if covariance[0, 0] == _NOT_COMPUTED:
        return _UNWATCHED
    if variances.min() < -_ROUNDED:
        return _NO_COVARIANCE
    unfilled = [name for name, axis in _AXES if covariance[axis, axis] <= _NOTHING]
    if len(unfilled) == len(_AXES):
        return _UNWATCHED
    _, position_m, yaw_rad = np.sqrt(variances.clip(0.0, _UNBOUNDED**2)).round(2).tolist()
    return Said(UncertaintyHeard(position_m, yaw_rad), *(Level.OK, 'known') if not unfilled else (
        Level.WARN, f'the covariance of {" and ".join(unfilled)} was never filled in, so the '
        'localisation is not watched there: let it compute one'))


#: Message type, maker of a reader, and event that holds before the first message, by the name
#: under which they are reported.
_KINDS: dict[str, tuple[type, Callable[[], Callable[[Any], Said]], Event | None]] = {
    'pause': (Bool, lambda: hold_of, HoldAwaited()),
    'battery': (BatteryState, BatteryReader, None),
    'localisation': (PoseWithCovarianceStamped, lambda: uncertainty_of, None)}


class Condition:
    """Feed of the condition on a topic, until the deactivation of the node."""

    def __init__(self, node: CoreNode, name: str, topic: str, *, repeats: bool = False) -> None:
        """Begin to listen.

        Args:
            node: its core is fed.
            name: `pause`, `battery` or `localisation`.
            topic: topic of the condition.
            repeats: the core wants to know that the topic is not silent.
        """
        self._node, self._name, self._topic, self._repeats = node, name, topic, repeats
        kind, make_reader, self._fed = _KINDS[name]
        self._read = make_reader()
        self._fed_s = 0.0
        hear(node, kind, topic, self._hear)
        self._report(Level.WARN, 'nothing has come')
        if self._fed is not None:
            node.feed(self._fed)

    def _hear(self, message: Any) -> None:
        said, now_s = self._read(message), time.monotonic()
        self._report(said.level, said.words)
        again = self._repeats and now_s - self._fed_s >= _AGAIN_S
        if said.event is not None and (said.event != self._fed or again):
            self._fed, self._fed_s = said.event, now_s
            self._node.feed(said.event)

    def _report(self, level: Level, words: str) -> None:
        self._node.diagnostics.report(self._name, level, f'{self._topic}: {words}')
