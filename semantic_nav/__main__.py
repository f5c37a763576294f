"""`python -m semantic_nav <command>`: the commands of a checkout without `ros2 run`."""

import importlib
import sys

COMMANDS = {
    'ask': 'publish a goal in words and follow the mission',
    'bench': 'measure missions in simulated time, or what a model call costs',
    'demo': 'two missions in the built-in simulator',
    'replay': 'feed a journal back through the cores, or compare two runs',
    'schema': 'hold the files of schema/ against the documents, or write them',
    'vlm': 'try, measure and manage the model',
    'world': 'generate, check and draw worlds of the simulator',
}


def main() -> int:
    """Run a command and return its exit code."""
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        width = max(map(len, COMMANDS))
        print('usage: python -m semantic_nav <command> [options]\n', file=sys.stderr)
        for name, purpose in COMMANDS.items():
            print(f'  {name:<{width}}  {purpose}', file=sys.stderr)
        return 2
    command = importlib.import_module(f'semantic_nav.cli.{sys.argv[1]}')
    code: int = command.main(sys.argv[2:])
    return code


if __name__ == '__main__':
    sys.exit(main())
