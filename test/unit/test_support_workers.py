"""The processes of long tests: Ctrl-C ends all of them, and no traceback is seen."""

import os
import signal
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / 'support'
PROGRAM = r"""
import os, sys, time
from workers import workers

def work(_):
    # One write a line, also where Python does not buffer: both share the pipe.
    os.write(1, b'%d\n' % os.getpid())
    time.sleep(60)

if __name__ == '__main__':
    with workers(2, sys.setrecursionlimit, 5000) as pool:
        list(pool.imap(work, range(2)))
"""


def test_interrupt_ends_all_in_a_line(tmp_path: Path) -> None:
    (tmp_path / 'program.py').write_text(PROGRAM)
    with subprocess.Popen([sys.executable, str(tmp_path / 'program.py')], start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, 'PYTHONPATH': str(SUPPORT)}) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()) for _ in range(2)]
        # As a terminal does, which tells them all.
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60.0)
    assert (process.returncode, said.strip()) == (128 + signal.SIGINT, 'interrupted')
    assert not any(Path(f'/proc/{pid}').exists() for pid in pids)
