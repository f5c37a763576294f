"""Charge of a battery as its driver counts it: as a share of 1, or in percent."""

import math
from dataclasses import dataclass

from sensor_msgs.msg import BatteryState

#: Largest share told for a full battery, and the largest off the charger, where it is computed
#: from a voltage. Beyond the second a driver counts in percent.
_OVERFULL, _PERCENT = 1.1, 2.0
#: Charge and capacity decide between the readings as a share and in percent: largest difference
#: from the reading that holds, for each of the two, and least difference from the other.
_AGREES, _AGREES_IN_PERCENT, _DIFFERS = 0.1, 0.02, 0.2
#: Values that drivers send for NaN: -1, and -1 read as a share of 100.
_NOT_MEASURED = (-1.0, -0.01)
#: Least share of a battery that is said to be full.
_FULL = 0.5
#: Most messages in percent that may have been a fault, if more follow that are shares.
_FEW = 3


@dataclass(frozen=True)
class Charge:
    """Charge told by a message.

    Attributes:
        share: share of a full battery, 0 to 1; None if unknown.
        words: how it was read, or why it is unknown.
    """

    share: float | None
    words: str


class ChargeReader:
    """Reader of the charge of one battery, which learns from the messages how the driver counts.

    sensor_msgs/BatteryState has a percentage of 0 to 1, and NaN if it is not measured; many
    drivers count from 0 to 100, or write -1. A value up to 1 is a share of 1, as the message
    defines it, unless something contradicts that.
    """

    def __init__(self) -> None:
        """Begin with nothing known of the driver."""
        self._in_percent = False
        #: Number of messages surely in percent, and of later ones that look like shares.
        self._percents = self._shares = 0
        self._charge: Charge | None = None
        self._tells_more = False

    def __call__(self, message: BatteryState) -> Charge:
        """Charge told by a message."""
        charge = self._read(message)
        if charge.share is not None:
            self._charge = charge
        return charge

    def _read(self, message: BatteryState) -> Charge:
        told, measured = float(message.percentage), _measured(message)
        self._tells_more |= message.voltage > 0.0
        if _is_unfilled(message) and (self._charge is None or self._tells_more):
            return _unknown('all of it is 0: its driver did not fill it in')
        if not told >= 0.0 and measured is not None:
            return Charge(measured, 'known, by charge and capacity')
        if math.isnan(told) or told == -math.inf or any(
                math.isclose(told, one, rel_tol=1e-6) for one in _NOT_MEASURED):
            return _unknown(f'its percentage is {told:g}')
        if told < 0.0:
            return _empty(f'a percentage of {told:g} is taken for empty', message)
        if told > 100.0 * _OVERFULL:
            return Charge(None, f'a percentage of {told:g} is neither 0 to 1 nor 0 to 100, so the '
                          'battery is not watched: mend its driver')
        is_full = message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_FULL
        if told > _OVERFULL and _is_ratio(told, message):
            return _unknown(f'its percentage of {told:g} is its charge over its capacity, of '
                            'which one is wrong')
        self._learn(told, 1.0 if is_full and measured is None else measured)
        if told > _PERCENT and not self._in_percent:
            return _unknown(f'its percentage of {told:g} follows shares of 1')
        share = min(1.0, told / 100.0 if self._in_percent else told)
        if is_full and share < _FULL:
            return _unknown(f'it is said to be full, and its percentage is {told:g}')
        if share == 0.0:
            return _empty('it is 0', message)
        if self._in_percent:
            return Charge(share, 'known; its driver counts to 100, and not to 1')
        was_full = self._charge is not None and self._charge.share is not None and (
            self._charge.share > 1.0 - _DIFFERS)
        if told <= 1.0 or is_full or was_full or (
                measured is not None and 1.0 - measured < _AGREES):
            return Charge(share, 'known')
        return Charge(None, f'a percentage of {told:g} may be a full battery or an empty one, so '
                      'it is not watched: let its driver tell 0 to 1')

    def _learn(self, told: float, measured: float | None) -> None:
        """Learn whether the driver counts in percent; later messages may overrule a few."""
        if told > _PERCENT or _tells(told / 100.0, told, measured, _AGREES_IN_PERCENT):
            self._percents += 1
            # After some shares, a single percentage is more likely a fault.
            if self._percents > min(self._shares, _FEW):
                self._in_percent, self._shares = True, 0
            return
        if not self._in_percent:
            self._percents = 0
        self._shares = self._shares + 1 if told <= _OVERFULL else 0
        if _tells(told, told / 100.0, measured, _AGREES) or (
                self._percents <= _FEW and self._shares >= self._percents + 2):
            self._in_percent, self._percents = False, 0


def _unknown(why: str) -> Charge:
    return Charge(None, f'the charge is unknown ({why}), so the battery is not watched: let its '
                  'driver tell the percentage, or charge and capacity')


def _empty(what: str, message: BatteryState) -> Charge:
    at = '' if math.isnan(message.voltage) else f' at {message.voltage:.1f} V'
    return Charge(0.0, f'known; {what}{at}: where that is no empty battery, let its driver tell '
                  'the percentage, or NaN')


def _is_unfilled(message: BatteryState) -> bool:
    """Tell whether a driver published a message before it knew anything.

    A battery of 0 V feeds no robot, whatever else the message says.
    """
    return not any((message.percentage, message.voltage, message.charge, message.capacity))


def _measured(message: BatteryState) -> float | None:
    """Share by charge and capacity; None if they tell none."""
    return next((min(1.0, ratio) for ratio in _ratios(message) if 0.0 < ratio <= _OVERFULL), None)


def _ratios(message: BatteryState) -> list[float]:
    """Ratios of charge to capacity and to design capacity, all in Ah, if they are filled in."""
    return [float(message.charge) / capacity for capacity in (
        float(message.capacity), float(message.design_capacity)) if capacity > 0.0]


def _is_ratio(told: float, message: BatteryState) -> bool:
    """Tell whether a percentage only repeats charge over capacity."""
    return any(math.isclose(told, ratio, rel_tol=0.02) for ratio in _ratios(message))


def _tells(share: float, other: float, measured: float | None, agrees: float) -> bool:
    """Tell whether charge and capacity decide for one of two readings of a percentage."""
    return measured is not None and (
        abs(share - measured) <= agrees and abs(other - measured) >= _DIFFERS)
