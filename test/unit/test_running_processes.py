"""Domains, ports, variables and processes of a run are its own."""

import contextlib
import os
import socket
import sys
import time
from pathlib import Path

import pytest
import yaml

from semantic_nav.processes import (
    NavSettings,
    Process,
    SimSettings,
    navigation_processes,
    simulator_processes,
)
from semantic_nav.running.isolation import environment, free_port, own_domain
from semantic_nav.running.supervisor import ProcessDied, Supervisor


def test_domains_held_at_the_same_time_differ() -> None:
    with own_domain() as one, own_domain() as two, own_domain() as three:
        assert len({one, two, three}) == 3
        assert all(1 <= domain <= 100 for domain in (one, two, three))


def test_variables_are_put_back() -> None:
    os.environ['SEMANTIC_NAV_TEST_SET'] = 'before'
    os.environ.pop('SEMANTIC_NAV_TEST_UNSET', None)
    try:
        with contextlib.suppress(KeyError), environment(SEMANTIC_NAV_TEST_SET='now',
                                                        SEMANTIC_NAV_TEST_UNSET='now'):
            assert os.environ['SEMANTIC_NAV_TEST_SET'] == 'now'
            assert os.environ['SEMANTIC_NAV_TEST_UNSET'] == 'now'
            raise KeyError
        assert os.environ['SEMANTIC_NAV_TEST_SET'] == 'before'
        assert 'SEMANTIC_NAV_TEST_UNSET' not in os.environ
    finally:
        del os.environ['SEMANTIC_NAV_TEST_SET']


def test_free_port_can_be_bound() -> None:
    with socket.socket() as server:
        server.bind(('127.0.0.1', free_port()))


# Processes

def script(tmp_path: Path, name: str, text: str) -> Process:
    """Return a process that runs a module of ours."""
    (tmp_path / f'{name}.py').write_text(text)
    return Process(name, name, name, arguments=('--go',))


@pytest.fixture
def supervisor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('PYTHONPATH', f'{tmp_path}{os.pathsep}{os.environ.get("PYTHONPATH", "")}')
    with Supervisor(tmp_path / 'log') as made:
        yield made


def wait_for(condition) -> None:
    end = time.monotonic() + 30.0
    while not condition():
        assert time.monotonic() < end, 'waited too long'
        time.sleep(0.01)


WAITING = 'import signal, sys\nprint("up", flush=True)\n'


def test_process_is_ended_by_an_interrupt(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start(script(tmp_path, 'polite', WAITING + """
signal.signal(signal.SIGINT, lambda *_: sys.exit(7))
signal.pause()
"""))
    wait_for(lambda: 'up' in supervisor.tail('polite'))
    supervisor.check()
    pid = supervisor.pid('polite')
    assert supervisor.stop() == {'polite': 7}
    assert not Path(f'/proc/{pid}').exists()
    assert supervisor.stop() == {}


def test_death_of_a_process_is_told_with_its_last_words(supervisor: Supervisor,
                                                        tmp_path: Path) -> None:
    supervisor.start(script(tmp_path, 'mortal', 'import sys\nsys.exit("the last words")\n'))

    wait_for(lambda: Path(f'/proc/{supervisor.pid("mortal")}/status').read_text().find('Z (') > 0)
    with pytest.raises(ProcessDied, match='mortal ended with code 1') as caught:
        supervisor.check()
    assert 'the last words' in str(caught.value)


def test_killed_process_takes_its_children_along(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start(script(tmp_path, 'parent', f"""
import signal, subprocess
child = subprocess.Popen([{sys.executable!r}, '-c', 'import signal; signal.pause()'])
print('child', child.pid, flush=True)
signal.pause()
"""))
    wait_for(lambda: 'child' in supervisor.tail('parent'))
    child = int(supervisor.tail('parent').split()[-1])
    supervisor.kill('parent')

    def gone() -> bool:
        try:
            return 'State:\tZ' in Path(f'/proc/{child}/status').read_text()
        except FileNotFoundError:
            return True

    wait_for(gone)
    supervisor.check()


@pytest.mark.parametrize('value', [
    'map', '', 'true', '12', '1e3', 'a b', "it's", 'x: y', '{', '[1]', '~/mem.sqlite', True, 3,
    0.5, 1e-7, 'ü', '#no comment', '*'])
def test_parameters_reach_the_command_line_as_they_are(value: object) -> None:
    command = Supervisor(Path('log'))._command(Process('n', 'm', 'n', {'name': value}))
    (assignment,) = [part for part in command if part.startswith('name:=')]
    text = assignment.removeprefix('name:=')
    assert '\n' not in text
    back = yaml.safe_load(text)
    assert back == value and type(back) is type(value)


def test_a_namespace_takes_the_transforms_along() -> None:
    node = Process('n', 'm', 'n', {'a': 1})
    server = Process('s', 'm', 's', arguments=('--port', '1'))
    namespaced = Supervisor(Path('log'), namespace='/robot1/')
    words = ' '.join(namespaced._command(node))
    assert '-r __ns:=/robot1 -r /tf:=tf -r /tf_static:=tf_static' in words
    assert '__ns' not in ' '.join(Supervisor(Path('log'))._command(node))
    assert namespaced._command(server) == Supervisor(Path('log'))._command(server)


def test_parameters_of_one_node_go_to_it_alone_and_before_those_of_all() -> None:
    settings = NavSettings(common={'seed': 1, 'journal': False},
                           of_node={'belief': {'time_limit_s': 9.0, 'seed': 2}})
    found = {process.name: process.parameters for process in navigation_processes(settings)}
    assert found.pop('belief') == {'seed': 2, 'journal': False, 'time_limit_s': 9.0}
    assert all(rest == {'seed': 1, 'journal': False} for rest in found.values())


def test_processes_of_the_product_and_of_the_simulator_have_modules() -> None:
    from importlib.util import find_spec
    processes = [*navigation_processes(NavSettings(model='m')),
                 *simulator_processes(SimSettings())]
    names = [process.name for process in processes]
    assert len(set(names)) == len(names)
    for process in processes:
        top, _, rest = process.module.partition('.')
        assert top == 'semantic_nav'
        folder = Path(find_spec(top).origin).parent
        assert (folder / f'{rest.replace(".", "/")}.py').is_file(), process.module
