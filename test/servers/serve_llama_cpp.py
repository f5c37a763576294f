"""Runs llama.cpp's own HTTP server on loopback, on one thread, until its standard input ends."""

import sys
from pathlib import Path

import xllamacpp


def main(model: str, projector: str, template: str, port: int, slots: int, window: int) -> None:
    """Serve a model.

    Args:
        model, projector: GGUF files.
        template: file of the chat template.
        port: on loopback.
        slots: questions at a time.
        window: context of each, in tokens.
    """
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.mmproj.path = projector
    params.model_alias = {'smollm2'}
    params.chat_template = Path(template).read_text(encoding='utf-8')
    params.use_jinja = True
    params.n_parallel = slots
    params.n_ctx = slots * window
    params.hostnames = ['127.0.0.1']
    params.port = port
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print('ready', server.listening_address, flush=True)
    # Ends with whoever started it, however that ended.
    sys.stdin.read()


if __name__ == '__main__':
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
