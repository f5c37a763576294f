"""Ports of the simulator: free ones, and busy ones that are named."""

import socket

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim import ports
from semantic_nav_sim.ports import check_port, free_port, with_ports
from semantic_nav_sim.processes import SimSettings


def test_any_free_port_is_chosen_where_none_is_named() -> None:
    found = with_ports(SimSettings(model_port=free_port()))
    check_port('truth_port', found.truth_port)
    assert found.truth_port and found.truth_port != found.model_port
    assert with_ports(found) == found


def test_a_free_port_is_none_that_an_outgoing_connection_may_get() -> None:
    """Between the choice and the start of the server many of these are made."""
    assert all(1024 < free_port() < 32_768 for _ in range(50))


def test_ports_that_are_busy_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, '_TRIES', 2)
    with socket.create_server(('127.0.0.1', free_port())) as other:
        busy = other.getsockname()[1]
        free = free_port()
        monkeypatch.setattr(ports, '_PORTS', [busy, free])
        assert {free_port() for _ in range(20)} == {free}
        monkeypatch.setattr(ports, '_PORTS', [busy, busy])
        with pytest.raises(ConfigError, match='none is free'):
            free_port()


@pytest.mark.parametrize('name', ['truth_port', 'model_port'])
def test_a_busy_port_is_named(name: str) -> None:
    with socket.create_server(('127.0.0.1', 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f'{name} {port} cannot be had, .*choose another'):
            with_ports(SimSettings(**{name: port}))


@pytest.mark.parametrize('port', [-1, 70000])
def test_a_port_that_is_none_is_named(port: int) -> None:
    with pytest.raises(ConfigError, match=f'truth_port {port}'):
        with_ports(SimSettings(truth_port=port))
