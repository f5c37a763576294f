"""The command line of the demonstration, and what it says before anything starts."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from semantic_nav.operator.config import OperatorConfig
from semantic_nav_sim.cli.demo import _say_page, main, parse

USUAL = OperatorConfig().port


@pytest.fixture
def taken() -> Iterator[None]:
    """Somebody listens on the usual port of the page: us, or whoever has it already."""
    with closing(socket.socket()) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(('127.0.0.1', USUAL))
            other.listen()
        except OSError:
            pass
        yield


@pytest.mark.usefixtures('taken')
def test_a_page_port_that_is_taken_is_told() -> None:
    options, said = parse(['--page']), list[str]()
    _say_page(options, said.append)
    assert options.page_port not in (0, USUAL)
    assert said[0].startswith(f'page      port {USUAL} is taken')
    assert f'http://127.0.0.1:{options.page_port}/' in said[1]


def test_a_domain_that_is_none_is_told_before_anything_is_written(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp('demo') / 'out'
    monkeypatch.setenv('ROS_DOMAIN_ID', 'mine')
    assert main(['--out', str(out)]) == 1
    assert "demo: ROS_DOMAIN_ID is 'mine'" in capsys.readouterr().err
    assert not out.exists()


def test_the_room_that_is_asked_for_follows_from_the_time_limit(
        capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp('demo') / 'out'
    assert main(['--out', str(out), '--timeout', '1e10']) == 1
    assert 'a run of that length may need 3200000015 MB' in capsys.readouterr().err
    assert not out.exists()
