"""The arrows between the packages, and what may be called where (docs: the cores are pure)."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from semantic_nav.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / 'semantic_nav'
SIMULATOR = ROOT / 'semantic_nav_sim' / 'semantic_nav_sim'
#: Which packages of ours a core package may import besides itself.
ARROWS = {
    'contracts': set(),
    'embed': {'contracts'},
    'vlm': {'contracts'},
    'memory': {'contracts', 'embed'},
    'belief': {'contracts'},
    'explore': {'contracts'},
    'verify': {'contracts', 'explore'},
}
CORES = sorted(ARROWS)
#: What lies around the cores, and what of the package each may import besides itself.
SHELLS = {
    'bringup': {'contracts'},
    'journal': {*CORES} - {'embed', 'explore'},
    'nodes': {*CORES, 'bringup'} - {'embed'},
    'client': {'contracts', 'belief', 'nodes'},
    'doctor': {'contracts', 'belief', 'verify', 'vlm', 'nodes'},
    'show': {'contracts', 'memory', 'verify', 'journal'},
    'operator': {'contracts', 'belief', 'bringup', 'journal', 'nodes', 'client', 'doctor'},
    'cli': {'contracts', 'belief', 'memory', 'vlm', 'bringup', 'journal', 'nodes', 'client',
            'doctor', 'show', 'operator', '__main__'},
}
#: What of the simulator's package lies around the simulator itself, and which of these each may
#: import besides itself.
AROUND_SIMULATOR = {
    'policies': set(),
    'bench': {'policies'},
    'show': {'bench'},
    'running': {'bench', 'show'},
    'cli': {'policies', 'bench', 'show', 'running'},
}
#: The rooms of a package that is not flat, in the order of the arrows: each may import those named
#: here, all of which stand above it. A module beside the rooms is a room by itself.
ROOMS: dict[str, dict[str, set[str]]] = {
    'vlm': {
        'conversation': set(),
        'errors': set(),
        'quoting': set(),
        'redaction': set(),
        'settings': set(),
        'gate': {'quoting'},
        'config': {'settings', 'gate'},
        'prompt': {'conversation', 'quoting', 'gate', 'config'},
        'events': {'conversation', 'errors', 'gate', 'prompt'},
        'look': {'conversation', 'quoting', 'gate', 'config', 'prompt', 'events'},
        'core': {'gate', 'config', 'prompt', 'events', 'look'},
        'picture': {'errors', 'gate', 'config'},
        'content': set(),
        'picture_taker': {'gate', 'events', 'picture', 'content'},
        'http': {'errors', 'quoting', 'settings', 'config'},
        'request_log': {'conversation', 'redaction', 'config', 'prompt', 'events'},
        'providers': {'conversation', 'errors', 'quoting', 'redaction', 'settings', 'gate',
                      'config', 'prompt', 'events', 'picture', 'http'},
        'looker': {'config', 'prompt', 'gate', 'events', 'core', 'picture', 'providers'},
        'proving': {'conversation', 'errors', 'config', 'events', 'gate', 'look', 'providers',
                    'looker'},
    },
    'verify': {
        'config': set(),
        'same_place': set(),
        'zones': set(),
        'effects': {'zones'},
        'events': {'zones', 'effects'},
        'floor': {'zones', 'effects', 'events'},
        'grounding': {'config', 'effects', 'events', 'floor'},
        'tracking': {'config', 'same_place', 'events', 'floor', 'grounding'},
        'checks': {'config', 'same_place', 'zones', 'events', 'floor', 'grounding', 'tracking'},
        'observing': {'config', 'same_place', 'events', 'grounding', 'tracking', 'checks'},
        'planning': {'config', 'same_place', 'effects', 'grounding', 'tracking', 'checks'},
        'driving': {'config', 'same_place', 'effects', 'events', 'floor', 'checks'},
        'core': {'config', 'effects', 'events', 'floor', 'grounding', 'tracking', 'checks',
                 'observing', 'planning', 'driving'},
    },
}
#: Cores in which nothing happens but handle(): no clock, no files, no threads, no network.
PURE = ['belief', 'explore', 'memory', 'verify', 'vlm']
#: But for these rooms and modules of theirs, which a core does not import: the shells do.
IMPURE_ROOMS = {'memory': {'backend', 'sqlite_store', 'sqlite_tables', 'store_url', 'writer_lock'},
                'vlm': {'http', 'picture', 'picture_taker', 'providers', 'request_log', 'looker',
                        'proving'}}
IMPURE_MODULES = {'time', 'datetime', 'os', 'pathlib', 'io', 'socket', 'ssl', 'http', 'urllib',
                  'subprocess', 'threading', 'multiprocessing', 'asyncio', 'queue', 'signal',
                  'tempfile', 'shutil', 'secrets', 'uuid', 'importlib', 'ctypes', 'pickle',
                  'sqlite3'}
#: What of them only takes texts apart.
PURE_NAMES = {'urllib.parse.urlsplit', 'os.path.commonprefix'}
#: What only ROS brings; `*_msgs` and `*_srvs` are blocked by their ending.
ROS = ('rclpy', 'tf2_ros', 'cv_bridge', 'launch', 'launch_ros', 'ament_index_python',
       'rosidl_runtime_py', 'rosidl_parser', 'message_filters', 'rpyutils', 'builtin_interfaces',
       'unique_identifier_msgs', 'rcl_interfaces')
BLOCKING = """
import importlib, pkgutil, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        top = name.partition('.')[0]
        if top in {ros} or top.endswith(('_msgs', '_srvs', '_interfaces')):
            raise ModuleNotFoundError(f'BLOCKED {{name}}', name=name)

sys.meta_path.insert(0, Block())
imported = []
for top in sys.argv[1:]:
    package = importlib.import_module(top)
    imported.append(top)
    if hasattr(package, '__path__'):
        for info in pkgutil.walk_packages(package.__path__, top + '.'):
            importlib.import_module(info.name)
            imported.append(info.name)
print(len(imported))
"""


@dataclass(frozen=True)
class Module:
    """A module of the package, parsed."""

    path: Path
    tree: ast.Module

    @property
    def parts(self) -> tuple[str, ...]:
        package = SIMULATOR if self.path.is_relative_to(SIMULATOR) else PACKAGE
        return self.path.relative_to(package).with_suffix('').parts

    def __str__(self) -> str:
        return '/'.join(self.parts)


def modules(*tops: str, package: Path = PACKAGE) -> list[Module]:
    folders = [package / top for top in tops] if tops else [package]
    paths = sorted(path for folder in folders for path in folder.rglob('*.py'))
    return [parsed(path) for path in paths]


def of_both_packages() -> list[Module]:
    return [*modules(), *modules(package=SIMULATOR)]


@cache
def parsed(path: Path) -> Module:
    return Module(path, ast.parse(path.read_text(encoding='utf-8')))


def imported(module: Module) -> Iterator[str]:
    """Yield the full names of everything that a module imports, wherever the statement stands."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{module}: relative import in line {node.lineno}'
            yield from (f'{node.module}.{alias.name}' for alias in node.names)


def called(module: Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the dotted name of what is called."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def room_of(module: Module) -> str:
    """Return the folder within its package in which a module stands, or its own name."""
    return module.parts[1]


def run_blocked(*tops: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-c', BLOCKING.format(ros=repr(ROS)), *tops], cwd=ROOT,
        capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_cores_import_without_ros() -> None:
    done = run_blocked(*(f'semantic_nav.{core}' for core in CORES))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(modules(*CORES))


@pytest.mark.slow
def test_simulated_time_and_its_pictures_need_no_ros() -> None:
    done = run_blocked('semantic_nav_sim.bench', 'semantic_nav.show')
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_journal_is_shown_without_ros() -> None:
    done = run_blocked('semantic_nav.operator.recorded', 'semantic_nav.operator.serving')
    assert done.returncode == 0, done.stderr


OPERATOR_STATE = ('standing', 'heard', 'scene', 'view', 'history', 'layers')


@pytest.mark.parametrize('name', OPERATOR_STATE)
def test_the_state_of_the_operator_page_is_pure(name: str) -> None:
    module = parsed(PACKAGE / 'operator' / f'{name}.py')
    for one in imported(module):
        assert not is_impure(one), f'{module} imports {one}'
        first, second, *rest = [*one.split('.'), '', '']
        assert (first, second) != ('semantic_nav', 'operator') or rest[0] in OPERATOR_STATE


def test_blocking_ros_blocks_it() -> None:
    done = run_blocked('semantic_nav.nodes.belief')
    assert done.returncode != 0 and 'BLOCKED' in done.stderr


def with_cores() -> list[Module]:
    """Return the modules that hold cores."""
    return [*modules('nodes', 'cli', 'journal', 'doctor'), *modules('bench', package=SIMULATOR)]


def test_no_shell_reads_anything_of_a_core() -> None:
    read = {f'{module}: {ast.unparse(node)}' for module in with_cores()
            for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)
            and ast.unparse(node.value).split('.')[-1] == 'core' and node.attr != 'handle'}
    read |= {f'{module}: {name}' for module in with_cores()
             for name, call in called(module) if name in ('getattr', 'hasattr')
             and ast.unparse(call.args[0]).split('.')[-1] == 'core'}
    assert read == set(), 'what a shell must know is an effect'
    held = [node for module in with_cores() for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute) and node.attr == 'handle'
            and ast.unparse(node.value).split('.')[-1] == 'core']
    assert len(held) >= 3, 'nodes, benchmark and replay'


@pytest.mark.parametrize('core', CORES)
def test_arrows_run_one_way(core: str) -> None:
    for module in modules(core):
        for name in imported(module):
            first, *rest = name.split('.')
            if first != 'semantic_nav':
                continue
            assert rest and rest[0] in {core, *ARROWS[core]}, f'{module} imports {name}'


@pytest.mark.parametrize('package', ROOMS)
def test_arrows_between_rooms_run_one_way(package: str) -> None:
    arrows = ROOMS[package]
    above: set[str] = set()
    for room, named in arrows.items():
        assert named <= above, f'{room} may import {named - above}, which stands below it'
        above.add(room)
    for module in modules(package):
        room = room_of(module)
        assert room in {*arrows, '__init__'}, f'{module} stands in no room'
        for name in imported(module):
            first, second, *rest = [*name.split('.'), '']
            if (first, second) == ('semantic_nav', package):
                assert rest[0] in {room, *arrows[room]}, f'{module} imports {name}'


def test_every_package_is_a_core_or_a_shell() -> None:
    packages = {path.parent.name for path in PACKAGE.glob('*/__init__.py')}
    assert packages == {*CORES, *SHELLS}


@pytest.mark.parametrize('shell', SHELLS)
def test_arrows_of_the_shells_run_one_way(shell: str) -> None:
    for module in modules(shell):
        for name in imported(module):
            first, second, *_ = [*name.split('.'), '']
            if first == PACKAGE.name:
                assert second in {shell, *SHELLS[shell]}, f'{module} imports {name}'


def test_no_shell_stands_above_one_that_it_imports() -> None:
    above = {*CORES, '__main__'}
    for shell, named in SHELLS.items():
        assert named <= above, f'{shell} may import {named - above}, which stands below it'
        above.add(shell)


def test_robots_package_does_not_import_the_simulators() -> None:
    for module in modules():
        for name in imported(module):
            assert name.partition('.')[0] != SIMULATOR.name, f'{module} imports {name}'


def test_simulator_does_not_know_the_benchmark_nor_the_commands() -> None:
    for module in modules(package=SIMULATOR):
        may = {module.parts[0], *AROUND_SIMULATOR.get(module.parts[0], ())}
        for name in imported(module):
            first, second, *_ = [*name.split('.'), '']
            if first == SIMULATOR.name:
                assert second not in AROUND_SIMULATOR or second in may, f'{module} imports {name}'


def test_among_the_commands_lie_only_commands() -> None:
    """And what belongs to a single one, under its name."""
    for module in (*modules('cli'), *modules('cli', package=SIMULATOR)):
        name = module.parts[-1]
        assert name in ('__init__', 'command', 'arguments', 'defaults', 'mission', 'desk',
                        'following') or name.partition('_')[0] in COMMANDS, str(module)


@pytest.mark.parametrize('core', PURE)
def test_pure_cores_take_time_chance_and_files_as_arguments(core: str) -> None:
    impure = IMPURE_ROOMS.get(core, set())
    pure = [module for module in modules(core) if room_of(module) not in impure]
    assert {room_of(module) for module in modules(core)} >= impure
    for module in pure:
        for name in imported(module):
            assert not is_impure(name), f'{module} imports {name}'
            first, second, *rest = [*name.split('.'), '']
            if (first, second) == ('semantic_nav', core):
                assert rest[0] not in impure, f'{module} imports {name}'
        for name, call in called(module):
            assert name != 'open' and not name.startswith(('np.random.', 'numpy.random.')), (
                f'{module}: {name} in line {call.lineno}')
            if name.startswith('random.'):
                assert name == 'random.Random' and call.args, (
                    f'{module}: {name} without a seed in line {call.lineno}')


def is_impure(name: str) -> bool:
    return name.partition('.')[0] in IMPURE_MODULES and name not in PURE_NAMES


def test_nothing_is_printed_outside_the_commands() -> None:
    for module in of_both_packages():
        if module.parts[0] in ('cli', '__main__'):
            continue
        for name, call in called(module):
            assert name not in ('print', 'sys.stdout.write', 'pprint', 'pprint.pprint'), (
                f'{module}: {name} in line {call.lineno}')


def test_calendar_is_read_in_one_place_of_the_product() -> None:
    clocks = ('time.time', 'time.time_ns', 'datetime.now', 'datetime.utcnow', 'datetime.today',
              'datetime.datetime.now', 'date.today')
    found = {str(module) for module in modules()
             for name, _ in called(module) if name in clocks}
    assert found == {'nodes/ros/clock'}


def test_timers_of_the_product_run_on_the_steady_clock() -> None:
    found = {str(module) for module in modules('nodes')
             for name, _ in called(module) if name.endswith('.create_timer')}
    assert found == {'nodes/ros/clock'}


def test_no_text_becomes_code() -> None:
    forbidden = {'eval', 'exec', 'compile', '__import__', 'pickle.loads', 'pickle.load',
                 'marshal.loads', 'yaml.load', 'yaml.unsafe_load', 'yaml.full_load', 'os.system',
                 'os.popen', 'execfile'}
    for module in of_both_packages():
        for name, call in called(module):
            assert name not in forbidden, f'{module}: {name} in line {call.lineno}'
            if name.startswith('subprocess.'):
                assert not any(word.arg == 'shell' for word in call.keywords), str(module)
            if name == 'np.load':
                words = {word.arg: ast.unparse(word.value) for word in call.keywords}
                assert words.get('allow_pickle', 'False') == 'False', str(module)


@pytest.mark.parametrize('top', [*CORES, 'nodes'])
def test_no_name_is_picked_by_data(top: str) -> None:
    for module in modules(top):
        for name, call in called(module):
            if name in ('getattr', 'setattr', 'hasattr', 'operator.attrgetter'):
                assert all(isinstance(one, ast.Constant) for one in call.args[1:2]), (
                    f'{module}: {name} by a variable name in line {call.lineno}')
            assert name not in ('globals', 'locals', 'vars'), f'{module}: {name}'


def test_nodes_do_not_block_the_executor() -> None:
    waits = ('time.sleep', 'rclpy.spin_until_future_complete')
    endings = ('.wait_for_server', '.wait_for_service', '.wait_for_message', '.result_sync',
               '.send_goal', '.wait_for_transform')
    for module in modules('nodes'):
        for name, call in called(module):
            assert name not in waits and not name.endswith(endings), (
                f'{module}: {name} in line {call.lineno}')


def test_whoever_catches_everything_raises_or_logs_it() -> None:
    """A fallback that hides a bug is never found."""
    for module in of_both_packages():
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.ExceptHandler):
                continue
            assert node.type is not None, f'{module}: bare except in line {node.lineno}'
            caught = {name.strip(' ()') for name in ast.unparse(node.type).split(',')}
            if caught & {'Exception', 'BaseException'}:
                inside = list(ast.walk(node))
                raises = any(isinstance(one, ast.Raise) for one in inside)
                logs = any(isinstance(one, ast.Attribute) and one.attr == 'exception'
                           for one in inside)
                assert raises or logs, f'{module}: except Exception in line {node.lineno}'


def test_no_two_test_files_have_one_name() -> None:
    """They are imported by name, and the second one would not be collected."""
    names = Counter(path.name for path in PACKAGE.with_name('test').rglob('test_*.py'))
    assert [name for name, count in names.items() if count > 1] == []


def test_callbacks_of_futures_are_added_in_one_place() -> None:
    """What one raises ends a process without a Python error, or is lost without a word."""
    found = {str(module) for module in of_both_packages() for node in ast.walk(module.tree)
             if isinstance(node, ast.Attribute) and node.attr == 'add_done_callback'}
    assert found == {'nodes/ros/futures'}
