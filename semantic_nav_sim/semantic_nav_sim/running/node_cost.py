"""Cost of the four nodes, idle and on a mission, and their start-up time."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import NODES
from semantic_nav_sim.running.resources import age_s, measure

_DOMAIN = 'ROS_DOMAIN_ID'
_MODULE = re.compile(r'semantic_nav\.nodes\.(\w+)')
_EXECUTABLE = re.compile(r'.*/semantic_nav/(\w+)_node')
#: Format of rclpy's log: level, time, name.
_ACTIVE = re.compile(r'\[INFO\] \[(\d+\.\d+)\] \[[\w.]+\]: lifecycle: active$', re.MULTILINE)


@dataclass(frozen=True)
class Cost:
    """Cost of a node over a span of time.

    Attributes:
        core_percent: share of one core, over all its threads.
        memory_mb: resident set at the end, in 10⁶ bytes.
    """

    core_percent: float
    memory_mb: float


def cost_over(pids: Mapping[str, int], pass_time: Callable[[], float]) -> dict[str, Cost]:
    """The cost of processes over a span of time.

    Args:
        pids: by name.
        pass_time: waits, and returns the time that passed, in s.

    Raises:
        ConfigError: one of them ended meanwhile.
    """
    before = measure(pids)
    passed_s = pass_time()
    after = measure(pids)
    gone = sorted(set(pids) - set(before) | set(pids) - set(after))
    if gone:
        raise ConfigError(f'{" and ".join(gone)} ended while it was measured')
    return {name: Cost(100.0 * (after[name].cpu_s - before[name].cpu_s) / passed_s,
                       after[name].now_mb) for name in pids}


def running_nodes(domain: str, proc: Path = Path('/proc')) -> dict[str, int]:
    """The process ids of the nodes on this machine in a ROS domain, by name.

    Raises:
        ConfigError: a node does not run, or runs several times.
    """
    found: dict[str, list[int]] = {name: [] for name in NODES}
    for folder in proc.glob('[0-9]*'):
        try:
            words = _texts(folder / 'cmdline')
            environ = dict(one.partition('=')[::2] for one in _texts(folder / 'environ'))
        except OSError:  # It has just ended, or belongs to another user.
            continue
        if (environ.get(_DOMAIN) or '0') != domain:
            continue
        for word in words[:4]:
            match = _MODULE.fullmatch(word) or _EXECUTABLE.fullmatch(word)
            if match and match[1] in found:
                found[match[1]].append(int(folder.name))
                break
    for name, pids in found.items():
        if len(pids) != 1:
            here = f'on this machine in ROS domain {domain}'
            raise ConfigError(f'{name} does not run {here}' if not pids else
                              f'{len(pids)} nodes {name} run {here}: {sorted(pids)}')
    return {name: pids[0] for name, pids in found.items()}


def _texts(file: Path) -> list[str]:
    return file.read_bytes().decode(errors='replace').split('\0')


def active_after_s(log: Path, pid: int, now_s: float) -> float | None:
    """The time from a node's process start until it was active; None if it is not active.

    Args:
        log: the node's output.
        pid: of the process.
        now_s: current time on the clock of the log.
    """
    told = _ACTIVE.search(log.read_text(encoding='utf-8', errors='replace'))
    return None if told is None else float(told[1]) - (now_s - age_s(pid))
