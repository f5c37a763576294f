"""Cost of processes: processor time and memory, from Linux's /proc."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_PROC = Path('/proc')
_TICKS_PER_S = os.sysconf('SC_CLK_TCK')
#: Fields of /proc/<pid>/stat after the name in brackets, which may hold anything (proc(5)).
_UTIME, _STIME, _STARTED = 11, 12, 19
_PEAK = re.compile(r'^VmHWM:\s*(\d+) kB$', re.MULTILINE)
_NOW = re.compile(r'^VmRSS:\s*(\d+) kB$', re.MULTILINE)


@dataclass(frozen=True)
class Usage:
    """Cost of a process since its start.

    Attributes:
        cpu_s: processor time of all its threads.
        core: that time as a share of one core, over the whole life of the process.
        peak_mb: largest resident set, in 10⁶ bytes.
        now_mb: current resident set, in 10⁶ bytes.
    """

    cpu_s: float
    core: float
    peak_mb: float
    now_mb: float = 0.0


def parse(stat: str, status: str, uptime: str) -> Usage:
    """Parse the cost of a process.

    Args:
        stat: content of /proc/<pid>/stat.
        status: content of /proc/<pid>/status.
        uptime: content of /proc/uptime at the same moment.
    """
    fields = stat.rpartition(')')[2].split()
    cpu_s = (int(fields[_UTIME]) + int(fields[_STIME])) / _TICKS_PER_S
    return Usage(cpu_s, cpu_s / max(_age_s(stat, uptime), 1 / _TICKS_PER_S),
                 _mb(_PEAK, status), _mb(_NOW, status))


def age_s(pid: int) -> float:
    """The time since the start of a running process, in s."""
    return _age_s((_PROC / str(pid) / 'stat').read_text(), (_PROC / 'uptime').read_text())


def _age_s(stat: str, uptime: str) -> float:
    started_s = int(stat.rpartition(')')[2].split()[_STARTED]) / _TICKS_PER_S
    return float(uptime.split()[0]) - started_s


def _mb(line: re.Pattern[str], status: str) -> float:
    found = line.search(status)
    return int(found[1]) * 1024 / 1e6 if found else 0.0


def measure(pids: Mapping[str, int]) -> dict[str, Usage]:
    """The cost of running processes by name; processes that have ended are left out."""
    found = {}
    for name, pid in pids.items():
        folder = _PROC / str(pid)
        try:
            found[name] = parse((folder / 'stat').read_text(), (folder / 'status').read_text(),
                                (_PROC / 'uptime').read_text())
        except OSError:  # It has just ended, or this is not Linux.
            continue
    return found


def table(usages: Mapping[str, Usage]) -> Iterable[str]:
    """Yield lines for people: one for each process, and one for their sum."""
    for name, usage in usages.items():
        yield _line(name, usage)
    if usages:
        yield _line('together', Usage(sum(one.cpu_s for one in usages.values()),
                                      sum(one.core for one in usages.values()),
                                      sum(one.peak_mb for one in usages.values())))


def _line(name: str, usage: Usage) -> str:
    return (f'{name:<16} {usage.cpu_s:7.1f} s of a core, {usage.core:6.1%}, '
            f'{usage.peak_mb:6.0f} MB at most')
