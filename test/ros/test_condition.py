"""What messages about the robot's condition say."""

import math

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import BatteryState

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.condition import charge_of, uncertainty_of
from semantic_nav.verify.events import ChargeHeard, UncertaintyHeard


def pose(**variances: float) -> PoseWithCovarianceStamped:
    """Return a pose with entries of its covariance given by row and column: `c01` and so on."""
    message = PoseWithCovarianceStamped()
    for name, variance in variances.items():
        message.pose.covariance[6 * int(name[1]) + int(name[2])] = variance
    return message


@pytest.mark.parametrize(('message', 'uncertainty'), [
    (pose(c00=0.04, c11=0.25, c55=0.01), (0.5, 0.1)),
    # An ellipse that lies across both axes: its long half is the square root of 0.5.
    (pose(c00=0.3, c11=0.3, c01=0.2, c10=0.2), (0.71, 0.0)),
    # What a filter without any spread computes may lie a little below zero.
    (pose(c00=0.25, c11=0.25, c01=0.25, c10=0.25, c55=-1e-16), (0.71, 0.0)),
    (pose(), (0.0, 0.0)),
    (pose(c00=1e12), (1000.0, 0.0))])
def test_uncertainty_is_the_long_half_of_the_ellipse(
        message: PoseWithCovarianceStamped, uncertainty: tuple[float, float]) -> None:
    said = uncertainty_of(message)
    assert (said.event, said.level) == (UncertaintyHeard(*uncertainty), Level.OK)


@pytest.mark.parametrize('message', [
    pose(c00=math.nan), pose(c55=math.inf), pose(c55=-0.1), pose(c00=0.1, c11=-0.1)])
def test_covariance_that_is_none_is_no_certainty(message: PoseWithCovarianceStamped) -> None:
    said = uncertainty_of(message)
    assert isinstance(said.event, UncertaintyHeard) and said.event.position_m > 100
    assert said.level is Level.WARN


@pytest.mark.parametrize('charge', [0.0, 0.42, 1.0])
def test_charge_is_heard(charge: float) -> None:
    said = charge_of(BatteryState(percentage=charge))
    assert (said.event, said.level) == (ChargeHeard(charge), Level.OK)


@pytest.mark.parametrize('charge', [math.nan, -0.1, 42.0])
def test_charge_that_is_none_is_named(charge: float) -> None:
    said = charge_of(BatteryState(percentage=charge))
    assert (said.event, said.level) == (None, Level.WARN)
