"""Marks by folder, what to leave out where ROS is missing, and fixtures that all tests share."""

import fcntl
import importlib.util
import os
import random
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What the tests of each folder cannot do without.
NEEDS = {'unit': (), 'ros': ('rclpy',), 'system': ('rclpy',), 'launch': ('rclpy', 'launch_ros')}

try:
    import hypothesis
except ImportError:  # the folders that use it say so themselves
    pass
else:
    # A busy machine is not a failure.
    hypothesis.settings.register_profile('semantic_nav', deadline=None, print_blob=True)
    hypothesis.settings.register_profile(
        'quick', hypothesis.settings.get_profile('semantic_nav'), max_examples=10)
    # `make test-unit` asks for the quick one, `make test` takes its time.
    hypothesis.settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'semantic_nav'))


def _folder(path: Path) -> str | None:
    try:
        return path.relative_to(HERE).parts[0]
    except (ValueError, IndexError):
        return None


def _missing(folder: str) -> list[str]:
    return [name for name in NEEDS.get(folder, ()) if importlib.util.find_spec(name) is None]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    folder = _folder(collection_path)
    return True if folder and _missing(folder) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = _folder(item.path)
        if folder in NEEDS:
            item.add_marker(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    config = terminalreporter.config
    asked_for = [
        (config.invocation_params.dir / arg.split('::')[0]).resolve() for arg in config.args
    ]
    for folder in NEEDS:
        here = HERE / folder
        if not any(path in (here, *here.parents) for path in asked_for):
            continue
        if _missing(folder) and any(here.glob('test_*.py')):
            terminalreporter.write_line(
                f'test/{folder} was left out: {" and ".join(_missing(folder))} not installed here '
                '(comes with a ROS 2 distribution)'
            )


@pytest.fixture(scope='session')
def ros_domain() -> Iterator[int]:
    """Give this process a ROS domain that no other test process on the machine uses.

    ROS_DOMAIN_ID and ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST are set from the first test that
    asks until the end of the session, for this process and those it starts.
    """
    wanted = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    before = {name: os.environ.get(name) for name in ('ROS_DOMAIN_ID', *wanted)}
    domain, lock = _lock_domain()
    os.environ.update(wanted, ROS_DOMAIN_ID=str(domain))
    yield domain
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
    os.close(lock)


def _lock_domain() -> tuple[int, int]:
    """Return a domain in 1..100 and the open file that holds its lock.

    Above 101 the ports of a domain would reach into Linux's ephemeral range.
    """
    domains = list(range(1, 101))
    random.SystemRandom().shuffle(domains)
    for domain in domains:
        path = Path(tempfile.gettempdir(), f'semantic_nav_ros_domain_{domain}.lock')
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:  # another user's
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return domain, lock
    pytest.fail('all ROS domains from 1 to 100 are taken by other test processes')


@pytest.fixture
def free_port() -> int:
    """Return a TCP port on the loopback interface that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return int(probe.getsockname()[1])
