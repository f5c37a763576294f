"""What the nodes cost: measured of real processes, and found among others."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.cli.bench_nodes import measures_of
from semantic_nav_sim.running.node_cost import (
    NODES,
    Cost,
    active_after_s,
    cost_over,
    running_nodes,
)

BUSY = """
import sys
for line in sys.stdin:
    sum(i * i for i in range(1_000_000))
    print('done', flush=True)
"""


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[str]]:
    """Return a process that works for each line that it reads."""
    with ExitStack() as end, subprocess.Popen(
            [sys.executable, '-c', BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True) as process:
        end.callback(process.kill)
        yield process


def test_cost_is_that_of_the_span_alone(worker: subprocess.Popen[str]) -> None:
    def work() -> float:
        began = time.monotonic()
        print('work', file=worker.stdin, flush=True)
        assert worker.stdout.readline() == 'done\n'
        return time.monotonic() - began

    work()
    before = cost_over({'busy': worker.pid}, lambda: 1.0)['busy']
    cost = cost_over({'busy': worker.pid}, work)['busy']
    assert before.core_percent < cost.core_percent
    assert cost.core_percent > 0.0 and cost.memory_mb > 5.0


def test_process_that_ends_meanwhile_is_named(worker: subprocess.Popen[str]) -> None:
    def end() -> float:
        worker.kill()
        worker.wait()
        return 1.0

    with pytest.raises(ConfigError, match='busy ended'):
        cost_over({'busy': worker.pid}, end)


def test_bars_are_held_to_the_sums() -> None:
    costs = {'belief': Cost(5.0, 400.0), 'verifier': Cost(9.0, 400.0)}
    *_, percent, memory = measures_of(costs, 'idle', bars=True)
    assert (percent.name, percent.figure, percent.holds) == ('together, idle [% of a core]', 14.0,
                                                             True)
    assert (memory.figure, memory.bar, memory.holds) == (800.0, '<= 700', False)
    assert {one.holds for one in measures_of(costs, 'busy', bars=False)} == {None}


def process(proc: Path, pid: int, *words: str, domain: str = 'ROS_DOMAIN_ID=7') -> None:
    (proc / str(pid)).mkdir()
    (proc / str(pid) / 'cmdline').write_bytes('\0'.join((*words, '')).encode())
    (proc / str(pid) / 'environ').write_bytes(f'HOME=/\0{domain}\0'.encode())


def test_nodes_are_found_among_processes(tmp_path: Path) -> None:
    process(tmp_path, 1, 'bash')
    process(tmp_path, 2, 'python', '-m', 'semantic_nav.nodes.belief', '--ros-args')
    process(tmp_path, 3, 'python3', '/ws/install/semantic_nav/lib/semantic_nav/verifier_node',
            '--ros-args')
    process(tmp_path, 4, 'python', '-m', 'semantic_nav.nodes.hypothesis')
    process(tmp_path, 5, 'vim', 'semantic_nav/nodes/belief.py')
    process(tmp_path, 6, 'python', '-m', 'semantic_nav.nodes.recorder')
    (tmp_path / '7').mkdir()
    process(tmp_path, 8, 'python', '-m', 'semantic_nav.nodes.belief', domain='ROS_DOMAIN_ID=8')
    process(tmp_path, 9, 'python', '-m', 'semantic_nav.nodes.belief', domain='X=7')
    with pytest.raises(ConfigError, match='memory does not run on this machine in ROS domain 7'):
        running_nodes('7', tmp_path)
    process(tmp_path, 10, 'python', '-m', 'semantic_nav.nodes.memory')
    found = running_nodes('7', tmp_path)
    assert found == {'hypothesis': 4, 'memory': 10, 'belief': 2, 'verifier': 3}
    assert set(NODES) == set(found)
    with pytest.raises(ConfigError, match='hypothesis does not run .* domain 0'):
        running_nodes('0', tmp_path)
    process(tmp_path, 11, 'python', '-m', 'semantic_nav.nodes.belief')
    with pytest.raises(ConfigError, match=r'2 nodes belief run .*: \[2, 11\]'):
        running_nodes('7', tmp_path)


def test_time_to_active_is_read_from_the_log(tmp_path: Path) -> None:
    log = tmp_path / 'belief.log'
    log.write_text('[INFO] [100.5] [belief]: mission: no goal yet\n')
    assert active_after_s(log, os.getpid(), 1000.0) is None
    log.write_text('[INFO] [1000.25] [robot1.belief]: lifecycle: active\nmore\n')
    first = active_after_s(log, os.getpid(), 1000.0)
    second = active_after_s(log, os.getpid(), 995.0)
    assert first is not None and second is not None and 0.25 < first < second
