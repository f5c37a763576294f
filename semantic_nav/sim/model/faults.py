"""Ways the model server can misbehave, each under a name for `--fault`.

A fault is data, read in the one place where it acts. To add one: give `Fault` a field for what it
changes, act on it there, and list the fault in `FAULTS`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """What goes wrong.

    Attributes:
        listens: Whether the port is opened at all; False refuses every connection, as a server
            that is not running does.
    """

    listens: bool = True


FAULTS: dict[str, Fault] = {
    'none': Fault(),
    'down': Fault(listens=False),
}
