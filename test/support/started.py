"""A command that runs, and whatever it started."""

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 240.0
#: A command whose processes stop at once ends within 3 s on a machine that has nothing else to
#: do; an orderly end may take 20.
SOON_S = 15.0
#: What processes of a robot are recognised by.
_MODULE = re.compile(r'semantic_nav(?:\.nodes|_sim)\.(\w+)')
_MARK = 'SEMANTIC_NAV_TEST_RUN'


class Started:
    """A command of `python -m semantic_nav` that runs."""

    def __init__(self, words: list[str], log: Path, cache: Path) -> None:
        """Start it.

        Args:
            words: of its command line.
            log: file for all that it says.
            cache: folder in which worlds are kept once they are compiled.
        """
        self._log, self._mark = log, f'{_MARK}={uuid.uuid4()}'
        name, _, value = self._mark.partition('=')
        with log.open('wb') as file:
            self.process = subprocess.Popen(
                [sys.executable, '-m', 'semantic_nav', *words],
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                env={**os.environ, name: value, 'XDG_CACHE_HOME': str(cache)})

    @property
    def said(self) -> str:
        return self._log.read_text(encoding='utf-8', errors='replace')

    def processes(self) -> dict[str, int]:
        """Return the processes of a robot that it started and that are there."""
        found = {}
        for folder in Path('/proc').glob('[0-9]*'):
            try:
                if self._mark.encode() in (folder / 'environ').read_bytes().split(b'\0'):
                    words = (folder / 'cmdline').read_bytes().replace(b'\0', b' ').decode()
                    if match := _MODULE.search(words):
                        found[match[1]] = int(folder.name)
            except OSError:  # It is gone, or none of ours.
                continue
        return found

    def wait_for(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said
            time.sleep(0.05)

    def ends_soon(self) -> int:
        """Return the exit code; nothing may be left, and no traceback be seen."""
        code = self.process.wait(SOON_S)
        assert self.processes() == {}
        assert 'Traceback' not in self.said
        return code

    def kill(self) -> None:
        """End it and all that is left of what it started, at once."""
        for pid in [*self.processes().values(), self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
