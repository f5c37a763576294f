"""Command line of a checkout, `python -m semantic_nav <command>`, without `ros2 run`."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Callable

from semantic_nav.bringup.processes import ONE_THREAD
from semantic_nav.contracts.names import meant
from semantic_nav.contracts.share import version

COMMANDS = {
    'ask': 'publish a goal in words and follow the mission',
    'bench': 'measure missions in simulated time, single parts, or what the nodes cost',
    'cancel': 'end the running mission, and stop the robot',
    'completion': 'write what lets bash complete commands and options',
    'demo': 'two missions in the built-in simulator',
    'doctor': 'look at machine, model and robot, and say what mends what is wrong',
    'go': 'send the robot to a remembered place',
    'home': 'send the robot to the place that is named home',
    'operator': 'serve the operator page, of a robot or of a journal',
    'pause': 'let the robot stand, and the running mission wait',
    'places': 'list, draw, name or forget what is remembered',
    'replay': 'feed a journal back through the cores, or compare two runs',
    'resume': 'let the paused mission go on',
    'schema': 'hold the files of schema/ against the documents, or write them',
    'status': 'tell how the newest mission stands',
    'tour': 'let the robot look at the whole home',
    'verdicts': 'tell and draw why goals were refused or taken',
    'vlm': 'try, measure and manage the model',
    'world': 'generate, check and draw worlds of the simulator',
}

#: Package of the simulator, which a robot need not have, and its commands.
_SIMULATOR, _OF_SIMULATOR = 'semantic_nav_sim', ('bench', 'demo', 'world')
#: Commands that one module holds.
_OF_MISSIONS = ('ask', 'cancel', 'go', 'home', 'pause', 'resume', 'status', 'tour')
#: The option with a value that may precede the command; other options have no value.
_WITH_VALUE = '--namespace'


def main() -> int:
    """Run a command and return its exit code."""
    before, words = _at_command(sys.argv[1:])
    name = words[0] if words else ''.join(before[:1])
    if before[:1] in (['-h'], ['--help']):
        print(_usage())
        return 0
    if before[:1] == ['--version']:
        print(f'semantic_nav {version()}')
        return 0
    if name not in COMMANDS:
        unknown = f'semantic_nav: there is no command {name!r}{meant(name, COMMANDS)}\n\n'
        if before and words[1:] and words[1] in COMMANDS:
            unknown = (f'semantic_nav: {before[-1]} and its value stand after the command: '
                       f'{words[1]} {before[-1]} {name}\n\n')
        print((unknown if name else '') + _usage(), file=sys.stderr)
        return 2
    os.environ.update(ONE_THREAD)
    try:
        command = main_of(name)
    except KeyboardInterrupt:
        # The command cannot say it yet: ROS and the simulator take a second to load.
        print(f'{name}: interrupted', file=sys.stderr)
        return 128 + signal.SIGINT
    except ModuleNotFoundError as error:
        if (error.name or '').partition('.')[0] == _SIMULATOR:
            print(f'{name}: belongs to {_SIMULATOR}, which is not built here; a robot does '
                  'without', file=sys.stderr)
            return 1
        print(f'{name}: this shell has no {error.name}: first `. ros_wheels/env.sh`, or on a '
              'robot `source /opt/ros/jazzy/setup.bash` and that of the workspace',
              file=sys.stderr)
        return 1
    return command([*before, *words[1:]])


def module_of(name: str) -> str:
    """Name of the module of a command."""
    package = _SIMULATOR if name in _OF_SIMULATOR else 'semantic_nav'
    return f'{package}.cli.{"mission" if name in _OF_MISSIONS else name}'


def main_of(name: str) -> Callable[[list[str] | None], int]:
    """The function that runs a command; its module is imported."""
    module = importlib.import_module(module_of(name))
    run: Callable[[list[str] | None], int] = (
        module.MAINS[name] if name in _OF_MISSIONS else module.main)
    return run


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of a command; its module is imported."""
    module = importlib.import_module(module_of(name))
    parser: argparse.ArgumentParser = (
        module.make_parser(name) if name in _OF_MISSIONS else module.make_parser())
    return parser


def _at_command(words: list[str]) -> tuple[list[str], list[str]]:
    """The options before the command, and the words from the command on."""
    count = 0
    while count < len(words) and words[count].startswith('-'):
        count += 2 if words[count] == _WITH_VALUE else 1
    return words[:count], words[count:]


def _usage() -> str:
    width = max(map(len, COMMANDS))
    return '\n'.join(['usage: python -m semantic_nav <command> [options]', '', *(
        f'  {name:<{width}}  {purpose}' for name, purpose in COMMANDS.items())])


if __name__ == '__main__':
    sys.exit(main())
