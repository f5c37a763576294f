"""Ports on the loopback interface; standard library only, since launch files use this too."""

import random
import socket
from dataclasses import replace

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.processes import SimSettings

_HOST = '127.0.0.1'
#: Below Linux's default range of ports for outgoing connections, one of which could take a port
#: before it is used.
_PORTS = range(10_000, 32_768)
_TRIES = 100


def free_port() -> int:
    """Find a free TCP port that no outgoing connection gets.

    Raises:
        ConfigError: none was found.
    """
    for port in random.SystemRandom().sample(_PORTS, _TRIES):
        with socket.socket() as probe:
            try:
                probe.bind((_HOST, port))
            except OSError:
                continue
            return port
    raise ConfigError(f'of {_TRIES} ports on {_HOST} none is free')


def check_port(name: str, port: int) -> None:
    """Check that a port is free.

    Raises:
        ConfigError: it is taken, or not permitted.
    """
    with socket.socket() as probe:
        # As servers do, since connections that have just ended would keep the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except (OSError, OverflowError) as error:
            raise ConfigError(f'{name} {port} cannot be had, perhaps another simulator has it: '
                              f'{error}; choose another port') from error


def with_ports(settings: SimSettings) -> SimSettings:
    """Replace unset ports of the settings by free ones.

    Raises:
        ConfigError: a chosen port is not available.
    """
    for name, port in (('truth_port', settings.truth_port), ('model_port', settings.model_port)):
        if port:
            check_port(name, port)
    return replace(settings, truth_port=settings.truth_port or free_port(),
                   model_port=settings.model_port or free_port())
