"""What processes cost: read from /proc, told in lines."""

import os
import subprocess
import sys

from semantic_nav_sim.running.resources import Usage, age_s, measure, parse, table

TICKS = os.sysconf('SC_CLK_TCK')
#: 12 s of user and 3 s of system time; started 1000 s after boot.
STAT = ('42 (a) name (odd) S 1 42 42 0 -1 4194304 9 0 0 0 '
        f'{12 * TICKS} {3 * TICKS} 7 7 20 0 4 0 {1000 * TICKS} 1 2 3')
STATUS = 'Name:\tx\nVmPeak:\t  999999 kB\nVmHWM:\t   50000 kB\nVmRSS:\t   40000 kB\n'
BUSY = """
import sys
held = bytearray(60_000_000)
held = None
n = sum(i * i for i in range(2_000_000))
print('done', flush=True)
sys.stdin.read()
"""


def test_a_sample_is_read() -> None:
    usage = parse(STAT, STATUS, '1060.00 2000.00\n')
    assert usage == Usage(cpu_s=15.0, core=15.0 / 60.0, peak_mb=51.2, now_mb=40.96)


def test_a_process_that_just_began_divides_by_no_zero() -> None:
    assert parse(STAT, '', '1000.00 0').core > 0.0


def test_a_running_process_is_measured_and_one_that_is_gone_left_out() -> None:
    with subprocess.Popen([sys.executable, '-c', BUSY], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b'done\n'
        usage = measure({'busy': process.pid})['busy']
        assert 0.0 < age_s(process.pid) < age_s(os.getpid())
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
    assert usage.cpu_s > 0.0
    assert 0.0 < usage.core < 1.5
    assert 10.0 < usage.now_mb < usage.peak_mb
    assert usage.peak_mb > 60.0, 'what it held for a while counts too'
    assert measure({'busy': process.pid}) == {}


def test_the_table_ends_with_the_sum() -> None:
    lines = list(table({'belief': Usage(1.5, 0.05, 70.4), 'sim_robot': Usage(30.0, 0.9, 300.0)}))
    assert [line.split()[0] for line in lines] == ['belief', 'sim_robot', 'together']
    assert lines[0].split()[1:] == '1.5 s of a core, 5.0%, 70 MB at most'.split()
    assert '31.5 s' in lines[2] and '95.0%' in lines[2] and '370 MB' in lines[2]
    assert list(table({})) == []
