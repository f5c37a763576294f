"""Cases carried out in several processes, one at a time in each.

A pool of the standard library breaks if one of its processes dies. Here only the case of that
process is lost.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from semantic_nav.bringup.processes import ONE_THREAD
from semantic_nav_sim.bench.carrying import AllTold, Carry, Crashed, Job, Told, carry_out

#: Not forked: threads of BLAS, of MuJoCo and of the progress bar would be copied half alive.
_CONTEXT = multiprocessing.get_context('spawn')
_END_S = 5.0


class _Worker:
    """A process and its current job.

    Attributes:
        job: the current one.
        gone: whether the process has ended by itself.
    """

    def __init__(self, carry: Carry) -> None:
        self.job: Job | None = None
        self.gone = False
        self.link, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_work, args=(theirs, carry), daemon=True)
        # The terminal sends Ctrl-C to all processes, also to those that still load. The parent
        # ends them. A child process inherits the blocked signals.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def begin(self, job: Job) -> None:
        """Start a case."""
        self.job = job
        # A process that died since its last case is noticed by `hear`.
        with suppress(OSError):
            self.link.send(job)

    def hear(self) -> Told | None:
        """The next report of the process, None at the end of its case; also reports its death."""
        try:
            told: Told | None = self.link.recv()
            return told
        except (EOFError, OSError):
            self.gone = True
            self.process.join(_END_S)
            return Crashed(f'its process {_ended(self.process.exitcode)}')

    def end(self) -> None:
        """End the process at once, even during a case."""
        self.process.terminate()
        self.process.join(_END_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.link.close()


def in_processes(jobs: Sequence[Job], carry: Carry, count: int) -> AllTold:
    """Carry out cases in several processes, which end with this iterator.

    Args:
        jobs: the cases, in starting order.
        carry: carries out one case; must be importable by its name.
        count: number of processes.

    Yields:
        The reports, in order of arrival.
    """
    os.environ.update(ONE_THREAD)
    waiting = deque(jobs)
    busy: dict[Connection, _Worker] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < count:
                _begin(_Worker(carry), waiting.popleft(), busy)
            for link in wait(list(busy)):
                assert isinstance(link, Connection)
                worker = busy[link]
                job, told = worker.job, worker.hear()
                assert job is not None
                if told is not None:
                    yield job, told
                if told is None and waiting and worker.process.is_alive():
                    worker.begin(waiting.popleft())
                elif told is None or worker.gone:
                    busy.pop(link).end()
    finally:
        for worker in busy.values():
            worker.end()


def _begin(worker: _Worker, job: Job, busy: dict[Connection, _Worker]) -> None:
    busy[worker.link] = worker
    worker.begin(job)


def _work(link: Connection, carry: Carry) -> None:
    """Carry out the jobs that arrive, until the pipe is closed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            job: Job = link.recv()
        except EOFError:
            return
        for told in carry_out(job, carry):
            link.send(told)
        link.send(None)


def _end_with_parent() -> None:
    """End this process with its parent, even if the parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ended(code: int | None) -> str:
    if code is None:
        return 'hangs'
    return f'was ended by {signal.Signals(-code).name}' if code < 0 else f'ended with code {code}'
