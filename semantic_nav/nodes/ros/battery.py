"""The charge of a battery as its driver counts it: a share of 1, or percent."""

import math
from dataclasses import dataclass

from sensor_msgs.msg import BatteryState

#: A full battery may be told as a little more than its capacity.
_OVERFULL = 1.1
#: So near is what charge and capacity tell to one reading of the percentage, and so far from the
#: other one, where they decide between the two.
_AGREES, _DIFFERS = 0.1, 0.2


@dataclass(frozen=True)
class Charge:
    """The charge that a message tells.

    Attributes:
        share: of a full battery, 0 to 1; None where it is unknown.
        words: how it was read, or why it is unknown.
        in_percent: the driver counts in percent beyond doubt.
    """

    share: float | None
    words: str
    in_percent: bool = False


def read_charge(message: BatteryState, *, in_percent: bool = False) -> Charge:
    """Return the charge of a message.

    sensor_msgs/BatteryState has a percentage of 0 to 1, and NaN where it is not measured; many
    drivers count from 0 to 100, or write -1. A value up to 1 is a share of 1, as the message
    defines it, unless something contradicts that.

    Args:
        message: of the driver.
        in_percent: an earlier message of this driver was in percent beyond doubt.
    """
    told, measured = float(message.percentage), _measured(message)
    if math.isnan(told) or told < 0.0:
        if measured is not None:
            return Charge(measured, 'known, by charge and capacity', in_percent)
        return Charge(None, f'the charge is unknown (its percentage is {told:g}), so the battery '
                      'is not watched: let its driver tell the percentage, or charge and capacity',
                      in_percent)
    if told > 100.0 * _OVERFULL:
        return Charge(None, f'a percentage of {told:g} is neither 0 to 1 nor 0 to 100, so the '
                      'battery is not watched: mend its driver', in_percent)
    if in_percent or told > _OVERFULL or _is_percent(told, measured):
        return Charge(min(1.0, told / 100.0), 'known; its driver counts to 100, and not to 1',
                      in_percent=True)
    is_full = message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_FULL
    if told <= 1.0 or is_full or (measured is not None and 1.0 - measured < _AGREES):
        return Charge(min(1.0, told), 'known')
    return Charge(None, f'a percentage of {told:g} may be a full battery or an empty one, so it '
                  'is not watched: let its driver tell 0 to 1')


def _measured(message: BatteryState) -> float | None:
    """Return the share by charge and capacity, in Ah both; None where they tell none."""
    for capacity in (float(message.capacity), float(message.design_capacity)):
        if capacity > 0.0 and 0.0 < message.charge <= capacity * _OVERFULL:
            return min(1.0, float(message.charge) / capacity)
    return None


def _is_percent(told: float, measured: float | None) -> bool:
    return measured is not None and abs(told / 100.0 - measured) <= _AGREES and (
        abs(told - measured) >= _DIFFERS)
