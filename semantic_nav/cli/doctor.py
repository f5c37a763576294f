"""`doctor`: checks machine, model and robot, and names the cure of each fault."""

import argparse
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.command import command, remark
from semantic_nav.cli.vlm_look import secrets_of
from semantic_nav.client.running_demo import meant, robot_reached, with_server
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.advice import here
from semantic_nav.doctor.agreement import agreement
from semantic_nav.doctor.finding import Finding, good, missing, worst
from semantic_nav.doctor.machine import machine
from semantic_nav.doctor.model import model
from semantic_nav.doctor.parameter_file import of_node, read, together, unknown
from semantic_nav.doctor.self_check import self_check
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.redaction import Redaction
from semantic_nav.vlm.settings.environment import with_environment

_WORDS = {Level.OK: 'ok', Level.WARN: 'warn', Level.ERROR: 'BAD'}


def make_parser() -> Parser:
    """The command's parser."""
    parser = Parser(prog='doctor', description=__doc__)
    parser.add_argument('--self-check', action='store_true',
                        help='try the parts of the package alone; needs no robot and no ROS')
    parser.add_argument('--namespace', default='', help='namespace of the robot')
    parser.add_argument('--params', type=Path, metavar='FILE',
                        help='parameter file of the nodes: what in it no node takes or does not '
                             'agree, and for the model where no node runs')
    parser.add_argument('--no-robot', action='store_true', help='leave the running nodes out')
    return parser


def parse(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    return make_parser().parse_args(args)


@command
def main(args: list[str] | None = None) -> int:
    """Print the findings; exit code 1 if anything is bad."""
    chosen = parse(args)
    if chosen.self_check:
        return _told(self_check())
    chosen.namespace = chosen.namespace.strip('/')
    with nullcontext() if chosen.no_robot else robot_reached(chosen.namespace, remark):
        robot = [] if chosen.no_robot else _robot(chosen.namespace)
        # A running hypothesis node has probed its model itself, with its own settings.
        asked = missing('hypothesis') not in robot and any(
            one.about.partition(':')[0] == 'hypothesis' for one in robot)
        return _told(machine(os.environ) + _demo(chosen) + _parameters(chosen)
                     + ([] if asked else _model(chosen)) + robot)


def _demo(chosen: argparse.Namespace) -> list[Finding]:
    demo = None if chosen.no_robot or chosen.namespace else meant()
    return [] if demo is None else [good('demo', ', '.join(filter(None, (
        f'in ROS domain {demo.domain}', f'model server {demo.base_url}', f'memory {demo.memory}',
        demo.page and f'page {demo.page}', f'run {demo.folder}'))))]


def _parameters(chosen: argparse.Namespace) -> list[Finding]:
    if chosen.params is None:
        return []
    try:
        sections = read(chosen.params)
        return unknown(sections) + agreement(together(sections, chosen.namespace))
    except ConfigError as error:
        return [Finding(Level.ERROR, 'parameters', str(error), 'mend the file')]


def _model(chosen: argparse.Namespace) -> list[Finding]:
    """Findings of the model server; keys that it repeats are redacted."""
    try:
        config = _hypothesis_config(chosen.params, chosen.namespace)
        redacted = Redaction(secrets_of(config))
        return [replace(one, words=redacted(one.words)) for one in model(config, os.environ)]
    except ConfigError as error:
        return [Finding(Level.ERROR, 'model', str(error), 'mend the parameter or the file')]


def _told(findings: list[Finding]) -> int:
    wide = max(len(one.about) for one in findings)
    for one in findings:
        print(f'{_WORDS[one.level]:<5} {one.about:<{wide}}  {one.words}')
        if one.mend:
            print(f'{"":<5} {"":<{wide}}    {here(one.mend)}')
    return int(worst(findings) is Level.ERROR)


def _robot(words: str) -> list[Finding]:
    # Imported here, as machine and model can be checked without ROS.
    try:
        import rclpy
        from rclpy.signals import SignalHandlerOptions

        from semantic_nav.cli.desk import namespace_of
        from semantic_nav.doctor.robot import RobotDoctor
    except ImportError as error:
        return [Finding(Level.ERROR, 'robot', f'it cannot be looked at: {error}')]
    namespace = namespace_of(words)
    context = rclpy.context.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    try:
        doctor = RobotDoctor(namespace, context=context)
        try:
            return doctor.findings()
        finally:
            doctor.close()
    finally:
        rclpy.shutdown(context=context)


def _hypothesis_config(file: Path | None, namespace: str) -> HypothesisConfig:
    """The parameters that the hypothesis node of a namespace would have.

    Raises:
        ConfigError: the file cannot be read, or holds an invalid value.
    """
    values = {} if file is None else of_node(read(file), 'hypothesis', namespace)
    known = {name: value for name, value in values.items()
             if name in HypothesisConfig.__dataclass_fields__}
    # The robot of a demo has no namespace.
    environ = os.environ if namespace else with_server(known, remark)
    return build(HypothesisConfig, with_environment(known, environ))


if __name__ == '__main__':
    sys.exit(main())
