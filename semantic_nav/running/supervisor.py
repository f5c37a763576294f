"""Starts processes, writes their output to files, and ends them, and them alone."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.processes import Process
from semantic_nav.running.resources import Usage, measure

_GRACE_S = 20.0
_LOG_TAIL = 8


class ProcessDied(SemanticNavError):
    """A process ended that should have gone on."""


class Supervisor:
    """Processes that belong together: each in a session of its own, all ended at the end."""

    def __init__(self, log_folder: Path, params_file: Path | None = None,
                 namespace: str = '') -> None:
        """Write each process's output to `<log_folder>/<name>.log`.

        Args:
            log_folder: is made when it is needed.
            params_file: of all nodes.
            namespace: of all nodes; tf and tf_static are then sought in it, as with Nav2.
        """
        self._log_folder = log_folder
        self._params_file = params_file
        self._namespace = namespace.strip('/')
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, process: Process) -> None:
        """Start a process."""
        self._log_folder.mkdir(parents=True, exist_ok=True)
        with (self._log_folder / f'{process.name}.log').open('ab') as log:
            self._running[process.name] = subprocess.Popen(
                self._command(process), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)

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
        """Return the process id of a running process."""
        return self._running[name].pid

    def usage(self) -> dict[str, Usage]:
        """Return what each process cost so far, by its name."""
        return measure({name: process.pid for name, process in self._running.items()})

    def check(self) -> None:
        """Make sure that all processes still run.

        Raises:
            ProcessDied: naming the one that ended, its exit code and the end of its output.
        """
        for name, process in self._running.items():
            code = process.poll()
            if code is not None:
                raise ProcessDied(f'{name} ended with code {code}:\n{self.tail(name)}')

    def tail(self, name: str) -> str:
        """Return the last lines that a process printed."""
        path = self._log_folder / f'{name}.log'
        lines = path.read_text(encoding='utf-8', errors='replace').splitlines()
        return '\n'.join(f'  {line}' for line in lines[-_LOG_TAIL:])

    def kill(self, name: str) -> None:
        """End one process at once, without a chance to say good-bye."""
        process = self._running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> dict[str, int]:
        """Ask all processes to end, then make them; returns their exit codes."""
        for process in reversed(self._running.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + _GRACE_S
        codes = {}
        for name, process in self._running.items():
            try:
                codes[name] = process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                codes[name] = process.wait()
        self._running.clear()
        return codes

    def __enter__(self) -> Self:
        """Return the supervisor."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """End all processes."""
        self.stop()


def _yaml(value: Any) -> str:
    """Return a value as the command line of a node takes it."""
    return yaml.safe_dump(value, default_flow_style=True).removesuffix('\n...\n').strip()
