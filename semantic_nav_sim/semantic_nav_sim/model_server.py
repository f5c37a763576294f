"""Stands in for an Ollama server with a vision-language model; does not run a model.

It speaks Ollama's HTTP API (and the simple part of OpenAI's) on loopback. Its eyes ask the
simulator for the content of a picture, and its brain is a small rule. A pull only adds a name: all
models see and think alike. It does not create or copy models, embed, think, or enforce more of a
schema than the names of fields.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence

from semantic_nav.bringup.shutdown import ENDING
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.loopback import is_loopback
from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import Engine
from semantic_nav_sim.model.eyes import Eyes, OracleEyes
from semantic_nav_sim.model.http_server import ModelHttpServer
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.profile_files import profile_names
from semantic_nav_sim.profiles import load_profile

_LOG = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    out = argparse.ArgumentParser(prog='sim_model_server', description=__doc__.split('\n')[0])
    out.add_argument('--host', default='127.0.0.1', help='loopback address to listen on')
    out.add_argument('--port', type=int, default=11434, help='TCP port, 0 for any free one')
    out.add_argument('--model', default='qwen2.5vl:7b', help='name of the one model it has')
    out.add_argument('--eyes-url', default='', metavar='URL',
                     help="the simulated robot's truth server; without it the model sees nothing")
    out.add_argument('--seed', type=int, default=0, help='seed of everything random')
    known = ', '.join(profile_names('model'))
    out.add_argument('--profile', default='default', metavar='NAME[+NAME...]',
                     help='what is wrong with it: files of YAML by their path, or of these by '
                          f'their name: {known}')
    out.add_argument('--verbose', action='store_true', help='log every request')
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM.

    Args:
        argv: Arguments without the program's name; those of the process if None.

    Returns:
        Exit code: 0 after a signal, 1 if the port cannot be opened, 2 if the command line is
            invalid.
    """
    commands = parser()
    args = commands.parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.INFO,
                        format='%(levelname)s %(name)s: %(message)s')
    if not is_loopback(args.host):
        commands.error(f'--host {args.host} is not a loopback address')
    try:
        profile = load_profile(ModelProfile, args.profile)
        eyes = _detector() if profile.eyes.detector else OracleEyes(args.eyes_url)
    except ConfigError as error:
        commands.error(str(error))
    ENDING.heed()
    if not profile.transport.listens:
        _LOG.info('profile %r: not listening on %s:%d', args.profile, args.host, args.port)
        ENDING.wait()
        return 0
    engine = Engine(ModelCard(args.model), eyes, profile, args.seed)
    try:
        server = ModelHttpServer(args.host, args.port, engine)
    except OSError as error:
        _LOG.error('cannot listen on %s:%d: %s; --port 0 takes any free one', args.host,
                   args.port, error.strerror)
        return 1
    with server:
        _LOG.info('%s on %s', args.model, server.url)
        ENDING.wait()
    ENDING.over()
    return 0


def _detector() -> Eyes:
    # It needs SciPy, which takes a while to load and is not needed otherwise.
    from semantic_nav_sim.detector.eyes import DetectorEyes
    return DetectorEyes()


if __name__ == '__main__':
    raise SystemExit(main())
