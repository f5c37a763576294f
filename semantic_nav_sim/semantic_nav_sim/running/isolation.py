"""ROS domains of our own, so that two runs on one machine do not meet."""

import fcntl
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from semantic_nav.bringup.processes import ONE_THREAD
from semantic_nav.client.running_demo import environment
from semantic_nav.contracts.errors import ConfigError

#: Above it the ports of a domain would reach into Linux's ephemeral range.
_MOST_DOMAIN = 101


@contextmanager
def own_domain() -> Iterator[int]:
    """Hold a ROS domain from 1 to 100 that no other holder on this machine has.

    Raises:
        ConfigError: all of them are held.
    """
    domains = list(range(1, 101))
    random.SystemRandom().shuffle(domains)
    for domain in domains:
        path = Path(tempfile.gettempdir(), f'semantic_nav_ros_domain_{domain}.lock')
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:
            continue  # Another user's.
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            yield domain
        finally:
            os.close(lock)
        return
    raise ConfigError('all ROS domains from 1 to 100 are held by other runs')


def check_domain(domain: str) -> None:
    """Check that a ROS domain is valid; empty for any.

    Raises:
        ConfigError: it is not.
    """
    if domain and not (domain.isascii() and domain.isdecimal() and int(domain) <= _MOST_DOMAIN):
        raise ConfigError(f'ROS_DOMAIN_ID is {domain[:40]!r}: say a number of 0 to '
                          f'{_MOST_DOMAIN}, or none')


@contextmanager
def isolated(logs: Path, domain: str = '') -> Iterator[None]:
    """Let our processes start in a ROS domain, on loopback only.

    Args:
        logs: folder of ROS's logs, unless the environment names one.
        domain: the chosen one; empty for one of their own.

    Raises:
        ConfigError: see `own_domain` and `check_domain`.
    """
    check_domain(domain)
    ros_logs = os.environ.get('ROS_LOG_DIR') or str(logs.resolve())
    with nullcontext(domain) if domain else own_domain() as held, environment(
            ROS_DOMAIN_ID=str(held), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST',
            ROS_LOG_DIR=ros_logs, **ONE_THREAD):
        yield
