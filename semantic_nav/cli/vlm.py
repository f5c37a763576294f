"""`vlm`: tries, measures and manages the model, asked as the hypothesis node asks it."""

import argparse
import os
from pathlib import Path
from typing import Any

import yaml

from semantic_nav.cli import (
    vlm_ask,
    vlm_bench,
    vlm_discover,
    vlm_eval,
    vlm_limits,
    vlm_models,
    vlm_serve,
)
from semantic_nav.cli.command import command, remark
from semantic_nav.cli.vlm_look import TrialFailed, secrets_of
from semantic_nav.client.running_demo import with_server
from semantic_nav.contracts.errors import ConfigError, SemanticNavError
from semantic_nav.contracts.parameters import build, specs
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.looker import EXAMPLE_GOAL
from semantic_nav.vlm.redaction import Redaction
from semantic_nav.vlm.settings.backends import BACKENDS
from semantic_nav.vlm.settings.environment import with_environment

#: As the parameter look_deadline_s of the belief node, in s.
_DEADLINE_S = 60.0
#: As the range of that parameter, in s.
_LONGEST_DEADLINE_S = 3600.0
_ASSIGN = ':='


def make_parser() -> argparse.ArgumentParser:
    """The command's parser."""
    server = _server_options()
    parser = argparse.ArgumentParser(prog='vlm', description=__doc__, parents=[server])
    actions = parser.add_subparsers(dest='action', required=True)
    looks = argparse.ArgumentParser(add_help=False, parents=[server])
    looks.add_argument('--deadline', type=_deadline, default=_DEADLINE_S, metavar='S',
                       help='for a look, in seconds (default: %(default)s)')

    def action(name: str, words: str,
               parent: argparse.ArgumentParser) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=words, description=words, parents=[parent])

    action('ping', 'say what the server and the model can do, and ask one real question', server)
    discover = action('discover', 'find the model servers of this machine and print the settings '
                      'to use; changes none', server)
    discover.add_argument('--ports', type=_port, nargs='+', default=vlm_discover.PORTS,
                          metavar='PORT', help="where to look (default: the servers' usual ones)")
    action('serve', 'start Ollama where none answers, fetch the model, and stay with it', server)
    _add_models(actions.add_parser('models', help='manage the models of Ollama'), server)
    ask = action('ask', 'look at a picture: the manifest, the reply, the gated hypothesis', looks)
    ask.add_argument('image', type=Path, help='the picture')
    ask.add_argument('goal', help='what to find, in words')
    action('guard', f'try to send {vlm_limits.GUARDED_TOKENS} tokens: they must be refused before '
           f'anything is sent', server)
    action('truncate', f'send {vlm_limits.TOO_MANY_WORDS} tokens: an error in words, all read, or '
           f'silently cut', server)
    bench = action('bench', 'compare models: latency, tokens, share of valid replies',
                   looks)
    bench.add_argument('images', type=Path, nargs='*', help='pictures (default: a built-in one)')
    bench.add_argument('--models', default='', metavar='A,B', help='names (default: --model)')
    bench.add_argument('--goal', default=EXAMPLE_GOAL, help='what to find (default: %(default)s)')
    bench.add_argument('--rounds', type=_count, default=3, metavar='N',
                       help='looks at each picture (default: %(default)s)')
    judge = action('eval', "judge the model by one's own labelled pictures", looks)
    judge.add_argument('folder', type=Path, metavar='DIR',
                       help=f'pictures, and {vlm_eval.LABELS[0]} (docs/models.md)')
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line; those of the server may stand anywhere in it."""
    given = argparse.Namespace(backend='', model='', base_url='', param=[])
    # The parser of an action would overwrite options that stand before it.
    given, others = _server_options().parse_known_args(args, given)
    return make_parser().parse_args(others, given)


def _server_options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog='vlm', add_help=False, allow_abbrev=False,
                                      argument_default=argparse.SUPPRESS)
    options.add_argument('--backend', help=f'one of {", ".join(BACKENDS)}')
    options.add_argument('--model', help='its name on the server')
    options.add_argument('--base-url', metavar='URL', help='of the server')
    options.add_argument('-p', '--param', action='append', metavar='NAME:=VALUE',
                         help='any parameter of the hypothesis node; may stand several times')
    return options


def _add_models(parser: argparse.ArgumentParser, server: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest='what', required=True)
    for name, one in vlm_models.ACTIONS.items():
        sub = actions.add_parser(name, help=one.words, description=one.words, parents=[server])
        if one.names_model:
            named = name in vlm_models.NAMED
            sub.add_argument('name', nargs=None if named else '?', default='',
                             help='of the model' + ('' if named else ' (default: --model)'))
        if name in vlm_models.PRUNING:
            sub.add_argument('--keep', action='append', default=[], metavar='NAME',
                             help='besides the model; may stand several times')
            sub.add_argument('--yes', action='store_true', help='delete, do not only list')


@command
def main(args: list[str] | None = None) -> int:
    """Carry out one action; exit code 1 if it failed."""
    chosen = parse(args)
    config = config_of(chosen)
    try:
        return _carry_out(config, chosen)
    except SemanticNavError as error:
        # A server may repeat the key that it refuses.
        raise TrialFailed(Redaction(secrets_of(config))(str(error))) from None


def _carry_out(config: HypothesisConfig, chosen: argparse.Namespace) -> int:
    match chosen.action:
        case 'ping':
            return vlm_ask.ping(config)
        case 'discover':
            return vlm_discover.discover(config, chosen.ports, chosen.backend, chosen.model,
                                         chosen.base_url)
        case 'serve':
            return vlm_serve.serve(config)
        case 'models':
            return vlm_models.manage(config, chosen)
        case 'ask':
            return vlm_ask.ask(config, chosen.image, chosen.goal, chosen.deadline)
        case 'guard':
            return vlm_limits.guard(config)
        case 'truncate':
            return vlm_limits.truncate(config)
        case 'bench':
            models = [name.strip() for name in chosen.models.split(',') if name.strip()]
            return vlm_bench.bench(config, models or [config.model], chosen.images, chosen.goal,
                                   chosen.rounds, chosen.deadline)
        case _:
            return vlm_eval.evaluate(config, chosen.folder, chosen.deadline)


def config_of(chosen: argparse.Namespace) -> HypothesisConfig:
    """The parameters that the hypothesis node would have.

    Raises:
        ConfigError: one is unknown or wrong.
    """
    values = dict(_parameter(words) for words in chosen.param)
    given = {'vlm_backend': chosen.backend, 'model': chosen.model, 'base_url': chosen.base_url}
    values |= {name: value for name, value in given.items() if value}
    # All servers of this machine are searched: none need be chosen.
    environ = os.environ if chosen.action == 'discover' else with_server(values, remark)
    return build(HypothesisConfig, with_environment(values, environ))


def _parameter(words: str) -> tuple[str, Any]:
    name, assign, value = words.partition(_ASSIGN)
    if not assign:
        raise ConfigError(f'--param {words!r}: write NAME{_ASSIGN}VALUE')
    default, _ = specs(HypothesisConfig).get(name, ('', None))
    if isinstance(default, str):
        return name, value
    try:
        return name, yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ConfigError(f'--param {words!r}: {value!r} is no value of YAML') from error


def _port(words: str) -> int:
    port = int(words)
    if not 0 < port < 1 << 16:
        raise ValueError(words)
    return port


def _deadline(words: str) -> float:
    deadline_s = float(words)
    if not 0.0 < deadline_s <= _LONGEST_DEADLINE_S:
        raise ValueError(words)
    return deadline_s


def _count(words: str) -> int:
    count = int(words)
    if count < 1:
        raise ValueError(words)
    return count
