"""Starts processes, logs their output to files, and ends them, and only them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from semantic_nav.bringup.processes import Process, ended_with_ours
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav_sim.running.resources import Usage, measure

#: Time that processes have to end by themselves: at the end of a run, and after an error.
GRACE_S, SHORT_GRACE_S = 20.0, 1.5
_LOG_TAIL = 8
#: Signals that ask this process to end.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ProcessDied(SemanticNavError):
    """A required process ended."""


class Supervisor:
    """A group of processes, each in a session of its own, that all end together."""

    def __init__(self, log_folder: Path, params_file: Path | None = None,
                 namespace: str = '') -> None:
        """Write each process's output to `<log_folder>/<name>.log`.

        Args:
            log_folder: is made if needed.
            params_file: of all nodes.
            namespace: of all nodes; tf and tf_static are then in it, as with Nav2.
        """
        self._log_folder = log_folder
        self._params_file = params_file
        self._namespace = namespace.strip('/')
        self._running: dict[str, tuple[Process, subprocess.Popen[bytes]]] = {}
        self._ended: dict[str, int] = {}

    def start(self, process: Process) -> None:
        """Start a process."""
        self._log_folder.mkdir(parents=True, exist_ok=True)
        with self._log(process.name).open('ab') as log, undisturbed():
            self._running[process.name] = process, subprocess.Popen(
                [*ended_with_ours(), *self._command(process)], stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def _log(self, name: str) -> Path:
        return self._log_folder / f'{name}.log'

    def _command(self, process: Process) -> list[str]:
        command = [sys.executable, '-m', process.module, *process.arguments]
        if not process.is_node:
            return command
        command += ['--ros-args']
        if self._namespace:
            command += ['-r', f'__ns:=/{self._namespace}',
                        '-r', '/tf:=tf', '-r', '/tf_static:=tf_static']
        if self._params_file is not None:
            command += ['--params-file', str(self._params_file)]
        for name, value in process.parameters.items():
            command += ['-p', f'{name}:={_yaml(value)}']
        return command

    def pid(self, name: str) -> int:
        """The process id of a running process."""
        return self._running[name][1].pid

    def process(self, name: str) -> Process:
        """The specification of a running process."""
        return self._running[name][0]

    def usage(self) -> dict[str, Usage]:
        """The cost of each process so far, by name."""
        return measure({name: running.pid for name, (_, running) in self._running.items()})

    def check(self) -> list[str]:
        """Check that all processes still run.

        Returns:
            A sentence for each optional process that has ended since the last call.

        Raises:
            ProcessDied: a required process ended; the message has the end of its output.
        """
        lost = []
        for name, (process, running) in list(self._running.items()):
            code = running.poll()
            if code is None:
                continue
            if process.needed:
                raise ProcessDied(f'{name} {_end(code)}, and the others cannot do without it; '
                                  f'its log is {self._log(name)}:\n{self.tail(name)}')
            self._ended[name] = code
            del self._running[name]
            lost.append(f'{name} {_end(code)}; the others do without it')
        return lost

    def tail(self, name: str) -> str:
        """The last lines of a process's output."""
        lines = self._log(name).read_text(encoding='utf-8', errors='replace').splitlines()
        return '\n'.join(f'  {line}' for line in lines[-_LOG_TAIL:])

    def kill(self, name: str) -> None:
        """Kill one process at once, and forget it."""
        _, running = self._running.pop(name)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()

    def stop(self, grace_s: float = GRACE_S) -> dict[str, int]:
        """Ask all processes to end, then kill the rest; none is left, even after an exception.

        SIGTERM is used, since a shell that starts us in the background makes us ignore SIGINT. A
        process inherits that until it has installed its own handler.

        Args:
            grace_s: time to end by themselves, in s.

        Returns:
            Their exit codes, by name.
        """
        children = {name: running for name, (_, running) in self._running.items()}
        try:
            for child in reversed(children.values()):
                child.terminate()
            deadline = time.monotonic() + grace_s
            for child in children.values():
                with suppress(subprocess.TimeoutExpired):
                    child.wait(max(0.0, deadline - time.monotonic()))
        finally:
            for child in children.values():
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
        codes = {**self._ended, **{name: child.wait() for name, child in children.items()}}
        self._running.clear()
        self._ended.clear()
        return codes

    def __enter__(self) -> Self:
        """The supervisor."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """End all processes, with a short grace if the block raised."""
        self.stop(GRACE_S if kind is None else SHORT_GRACE_S)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Defer signals until the end of a block.

    An exception while a process starts would leave it without an owner, and rclpy does not survive
    one in the middle of its work. The signals are not blocked, since a child process would inherit
    that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: handler for number in _ENDING
                if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _end(code: int) -> str:
    """The end of a process, in words."""
    return f'ended with code {code}' if code >= 0 else (
        f'was ended by {signal.Signals(-code).name}')


def _yaml(value: Any) -> str:
    """Format a value for the command line of a node."""
    return yaml.safe_dump(value, default_flow_style=True).removesuffix('\n...\n').strip()
