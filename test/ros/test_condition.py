"""What messages about the robot's condition say."""

import math

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import BatteryState

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.condition import BatteryReader, uncertainty_of
from semantic_nav.verify.events import ChargeHeard, UncertaintyHeard

FULL = BatteryState.POWER_SUPPLY_STATUS_FULL


def pose(**variances: float) -> PoseWithCovarianceStamped:
    """Return a pose with entries of its covariance given by row and column: `c01` and so on."""
    message = PoseWithCovarianceStamped()
    for name, variance in variances.items():
        message.pose.covariance[6 * int(name[1]) + int(name[2])] = variance
    return message


@pytest.mark.parametrize(('message', 'uncertainty'), [
    (pose(c00=0.04, c11=0.25, c55=0.01), (0.5, 0.1)),
    # An ellipse that lies across both axes: its long half is the square root of 0.5.
    (pose(c00=0.3, c11=0.3, c01=0.2, c10=0.2, c55=0.01), (0.71, 0.1)),
    # What a filter without any spread computes may lie a little below zero.
    (pose(c00=0.25, c11=0.25, c01=0.25000000000000006, c10=0.25, c55=1e-10), (0.71, 0.0)),
    (pose(c00=1e12, c11=1.0, c55=0.01), (1000.0, 0.1))])
def test_uncertainty_is_the_long_half_of_the_ellipse(
        message: PoseWithCovarianceStamped, uncertainty: tuple[float, float]) -> None:
    said = uncertainty_of(message)
    assert (said.event, said.level) == (UncertaintyHeard(*uncertainty), Level.OK)


@pytest.mark.parametrize('message', [
    pose(), pose(c22=0.1, c33=0.1), pose(c00=-1.0), pose(c00=1e-15, c11=-1e-16)],
    ids=['zeros', 'zeros of what counts', 'first field -1', 'rounded'])
def test_covariance_that_nobody_computes_tells_nothing_and_is_named(
        message: PoseWithCovarianceStamped) -> None:
    """Zeros of hector_slam (issue 34) and iris_lama_ros (36) passed for sure."""
    said = uncertainty_of(message)
    assert (said.event, said.level) == (None, Level.WARN)
    assert 'never filled in, so the localisation is not watched' in said.words


@pytest.mark.parametrize(('message', 'heard', 'missing'), [
    (pose(c00=0.25, c11=0.25), (0.5, 0.0), 'of yaw was'),
    (pose(c00=0.04, c55=0.01), (0.2, 0.1), 'of y was'),
    (pose(c55=0.04), (0.0, 0.2), 'of x and y was')])
def test_part_of_a_covariance_that_nobody_computes_is_named_and_the_rest_watched(
        message: PoseWithCovarianceStamped, heard: tuple[float, float], missing: str) -> None:
    said = uncertainty_of(message)
    assert (said.event, said.level) == (UncertaintyHeard(*heard), Level.WARN)
    assert missing in said.words


@pytest.mark.parametrize('message', [
    pose(c00=math.nan), pose(c55=math.inf), pose(c55=-0.1), pose(c00=0.1, c11=-0.1)])
def test_covariance_that_is_none_is_no_certainty(message: PoseWithCovarianceStamped) -> None:
    said = uncertainty_of(message)
    assert isinstance(said.event, UncertaintyHeard) and said.event.position_m > 100
    assert said.level is Level.WARN


def battery(percentage: float, **fields: float) -> BatteryState:
    unmeasured = {'charge': math.nan, 'capacity': math.nan, 'design_capacity': math.nan}
    return BatteryState(percentage=percentage, **{**unmeasured, **fields})


@pytest.mark.parametrize(('message', 'share'), [
    (battery(0.42), 0.42), (battery(1.0), 1.0),
    # Bases that count to 100 (kobuki_ros issue 56).
    (battery(85.0), 0.85), (battery(8.0), 0.08), (battery(100.0), 1.0), (battery(2.5), 0.03),
    # Computed from a voltage, below what was held to be the least (husarion_ugv_ros issue 118).
    (battery(-0.05, charge=1.1, capacity=2.2), 0.5),
    # Charge and capacity say which of the two it is, and stand in for a percentage.
    (battery(0.9, charge=0.02, capacity=2.2), 0.01), (battery(0.5, charge=0.1, capacity=2.2), 0.5),
    (battery(0.9, charge=2.0, capacity=2.2), 0.9),
    (battery(1.05, charge=2.2, capacity=2.2), 1.0),
    (battery(math.nan, charge=1.1, design_capacity=2.2), 0.5),
    (battery(1.05, power_supply_status=FULL), 1.0)])
def test_charge_is_heard(message: BatteryState, share: float) -> None:
    said = BatteryReader()(message)
    assert (said.event, said.level) == (ChargeHeard(share), Level.OK)


@pytest.mark.parametrize(('told', 'volts', 'words'), [
    (0.0, 11.5, 'it is 0 at 11.5 V:'), (0.0, math.nan, 'it is 0:'),
    (-0.05, 11.5, '-0.05 is taken for empty at 11.5 V: where that is no empty battery'),
    (-3.0, 11.5, 'taken for empty')])
def test_battery_that_is_empty_is_warned_of(told: float, volts: float, words: str) -> None:
    said = BatteryReader()(battery(told, voltage=volts))
    assert (said.event, said.level) == (ChargeHeard(0.0), Level.WARN)
    assert words in said.words


@pytest.mark.parametrize('told', [0.0, 0.01, 0.3])
def test_full_battery_that_is_empty_is_unknown(told: float) -> None:
    """Its driver knows the charger, and not the charge."""
    said = BatteryReader()(battery(told, power_supply_status=FULL))
    assert (said.event, said.level) == (None, Level.WARN)
    assert 'said to be full' in said.words


@pytest.mark.parametrize('told', [24.3, 1.2])
def test_percentage_that_is_charge_over_a_wrong_capacity_is_unknown(told: float) -> None:
    """An empty one came as 2430 % (create_robot issue 31)."""
    said = BatteryReader()(battery(told, charge=told * 0.1, capacity=0.1))
    assert (said.event, said.level) == (None, Level.WARN)
    assert 'one is wrong' in said.words


def test_full_battery_tells_how_its_driver_counts() -> None:
    assert heard(battery(1.12), battery(1.0, power_supply_status=FULL), battery(0.9)) == [
        None, 1.0, 0.9]
    assert heard(battery(40.0), battery(1.0, power_supply_status=FULL), battery(0.9)) == [
        0.4, 1.0, 0.9]


def test_driver_that_counted_in_percent_once_does_so_when_it_is_nearly_empty() -> None:
    read = BatteryReader()
    shares = [read(battery(told)).event for told in (40.0, math.nan, 0.9)]
    assert shares == [ChargeHeard(0.4), None, ChargeHeard(0.01)]


def heard(*messages: BatteryState) -> list[float | None]:
    read, shares = BatteryReader(), []
    for message in messages:
        event = read(message).event
        shares.append(event.share if isinstance(event, ChargeHeard) else None)
    return shares


@pytest.mark.parametrize(('told', 'shares'), [
    # A little over 1 off the charger, where the share is computed from a voltage.
    ((1.12, 0.9, 0.8), (None, 0.9, 0.8)), ((0.95, 1.12, 0.9), (0.95, 1.0, 0.9)),
    ((0.95, 1.8, 0.9), (0.95, 1.0, 0.9)),
    # An empty one that is counted to 100.
    ((3.0, 2.1, 1.5, 1.12, 0.9), (0.03, 0.02, 0.01, 0.01, 0.01)),
    ((0.3, 1.5), (0.3, None)),
    # One message was wrong, where those after it are no percent.
    ((0.7, 43.0, 0.9, 0.8, 0.8, 0.7), (0.7, None, 0.9, 0.8, 0.8, 0.7)),
    ((43.0, 0.9, 0.8, 0.8, 0.7), (0.43, 0.01, 0.01, 0.8, 0.7)),
    # Several in a row tell how its driver counts.
    ((0.9, 0.5, 0.12, 24.0, 23.0, 22.0, 21.0, 0.9), (
        0.9, 0.5, 0.12, None, None, None, 0.21, 0.01)),
    ((40.0, 30.0, 20.0, 10.0, 0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.5),
     (0.4, 0.3, 0.2, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01))])
def test_messages_before_decide_what_one_means(told: tuple[float, ...],
                                               shares: tuple[float | None, ...]) -> None:
    assert heard(*map(battery, told)) == list(shares)


def test_charge_and_capacity_take_percent_back() -> None:
    assert heard(battery(40.0), battery(0.9, charge=2.0, capacity=2.2), battery(0.8)) == [
        0.4, 0.9, 0.8]


def test_message_that_nobody_filled_in_tells_nothing() -> None:
    """Until the first change all fields are 0 (create3_docs issue 216)."""
    assert heard(BatteryState(), BatteryState(),
                 BatteryState(percentage=0.8, voltage=15.0, present=True),
                 BatteryState()) == [None, None, 0.8, None]
    assert heard(BatteryState(percentage=0.1), BatteryState()) == [0.1, 0.0], 'it tells no more'
    assert heard(BatteryState(present=True)) == [None], 'turtlebot4 issue 701'
    assert heard(BatteryState(percentage=0.1, present=True), BatteryState(present=True)) == [
        0.1, 0.0]
    assert heard(BatteryState(present=True, voltage=9.0)) == [0.0]
    assert 'did not fill it in' in BatteryReader()(BatteryState()).words


@pytest.mark.parametrize(('told', 'words'), [
    (math.nan, 'unknown'), (-1.0, 'unknown'), (-0.01, 'unknown'), (math.inf, 'neither'),
    (8500.0, 'neither'),
    (1.05, 'full battery or an empty one'), (1.5, 'full battery or an empty one')])
def test_charge_that_is_none_is_named_and_left_unwatched_in_words(told: float,
                                                                  words: str) -> None:
    said = BatteryReader()(battery(told))
    assert (said.event, said.level) == (None, Level.WARN)
    assert words in said.words and 'not watched' in said.words
