"""Domains, ports, variables and processes of a run are its own."""

import contextlib
import os
import shutil
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from semantic_nav.bringup.processes import (
    NavSettings,
    Process,
    navigation_processes,
    recorder_processes,
)
from semantic_nav.client.running_demo import environment
from semantic_nav_sim.ports import free_port
from semantic_nav_sim.processes import SimSettings, simulator_processes
from semantic_nav_sim.running.isolation import own_domain
from semantic_nav_sim.running.supervisor import ProcessDied, Supervisor


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


def alive(pid: int) -> bool:
    try:
        return 'State:\tZ' not in Path(f'/proc/{pid}/status').read_text()
    except FileNotFoundError:
        return False


WAITING = 'import signal, sys\nprint("up", flush=True)\n'


def test_process_is_asked_to_end(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start(script(tmp_path, 'polite', WAITING + """
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print('polite', flush=True)
signal.pause()
"""))
    wait_for(lambda: 'polite' in supervisor.tail('polite'))
    supervisor.check()
    pid = supervisor.pid('polite')
    assert supervisor.stop() == {'polite': 7}
    assert not Path(f'/proc/{pid}').exists()
    assert supervisor.stop() == {}


def test_process_that_is_still_starting_ends_too(supervisor: Supervisor, tmp_path: Path) -> None:
    # A shell ignores SIGINT for what it runs in the background, and every child inherits that.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        supervisor.start(script(tmp_path, 'starting', WAITING + 'signal.pause()\n'))
    finally:
        signal.signal(signal.SIGINT, before)
    wait_for(lambda: 'up' in supervisor.tail('starting'))
    began = time.monotonic()
    assert supervisor.stop() == {'starting': -signal.SIGTERM}
    assert time.monotonic() - began < 5.0


STUBBORN = WAITING + """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('deaf', flush=True)
while True:
    signal.pause()
"""


def test_process_that_does_not_end_is_made_to(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start(script(tmp_path, 'stubborn', STUBBORN))
    wait_for(lambda: 'deaf' in supervisor.tail('stubborn'))
    began = time.monotonic()
    assert supervisor.stop(0.3) == {'stubborn': -signal.SIGKILL}
    assert 0.3 <= time.monotonic() - began < 5.0


def test_who_is_impatient_while_they_end_leaves_none_behind(supervisor: Supervisor,
                                                            tmp_path: Path) -> None:
    for name in ('one', 'two'):
        supervisor.start(script(tmp_path, name, STUBBORN))
    wait_for(lambda: all('deaf' in supervisor.tail(name) for name in ('one', 'two')))
    pids = [supervisor.pid(name) for name in ('one', 'two')]

    def impatient(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, impatient)
    second = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    second.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            supervisor.stop()
    finally:
        second.join()
        signal.signal(signal.SIGUSR1, before)
    wait_for(lambda: not any(alive(pid) for pid in pids))


def children() -> set[int]:
    return {int(pid) for file in Path('/proc/self/task').glob('*/children')
            for pid in file.read_text().split()}


def test_a_signal_while_a_process_is_started_loses_nobody(supervisor: Supervisor,
                                                          tmp_path: Path) -> None:
    class Came(Exception):
        pass

    def come(number: int, frame: object) -> None:
        raise Came

    def knock() -> None:
        while children() == before_it and time.monotonic() < end:
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    def start() -> None:
        knocking = threading.Thread(target=knock)
        knocking.start()
        supervisor.start(process)
        knocking.join()
        wait_for(lambda: False)

    process = script(tmp_path, 'deaf', STUBBORN)
    before = signal.signal(signal.SIGTERM, come)
    try:
        for _ in range(10):
            before_it, end = children(), time.monotonic() + 30.0
            with pytest.raises(Came):
                start()
            supervisor.stop(0.0)
            assert children() == before_it
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(shutil.which('setpriv') is None, reason='needs setpriv of util-linux')
@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGTERM])
def test_who_is_killed_leaves_none_behind(tmp_path: Path, number: signal.Signals,
                                          supervisor: Supervisor) -> None:
    supervisor.start(script(tmp_path, 'parent', f"""
import signal
from pathlib import Path
from semantic_nav.bringup.processes import Process
from semantic_nav_sim.running.supervisor import Supervisor
supervisor = Supervisor(Path({str(tmp_path)!r}) / 'below')
supervisor.start(Process('child', 'child', 'child', arguments=('--go',)))
print('child', supervisor.pid('child'), flush=True)
signal.pause()
"""))
    script(tmp_path, 'child', WAITING + 'signal.pause()\n')
    log = tmp_path / 'below' / 'child.log'
    wait_for(lambda: 'child' in supervisor.tail('parent') and 'up' in log.read_text())
    child = int(supervisor.tail('parent').split()[-1])
    assert alive(child)
    # No block is left in an orderly way: the parent has no handler.
    os.kill(supervisor.pid('parent'), number)
    wait_for(lambda: not alive(child))


def test_end_of_one_that_is_not_needed_is_told_once(supervisor: Supervisor,
                                                    tmp_path: Path) -> None:
    supervisor.start(script(tmp_path, 'needed', WAITING + 'signal.pause()\n'))
    supervisor.start(replace(script(tmp_path, 'spare', WAITING + 'signal.pause()\n'),
                             needed=False))
    wait_for(lambda: 'up' in supervisor.tail('spare') and 'up' in supervisor.tail('needed'))
    assert supervisor.check() == []
    os.kill(supervisor.pid('spare'), signal.SIGKILL)
    told: list[str] = []
    wait_for(lambda: told.extend(supervisor.check()) or told)
    assert told == ['spare was ended by SIGKILL; the others do without it']
    assert supervisor.check() == []
    assert set(supervisor.usage()) == {'needed'}
    assert supervisor.stop() == {'spare': -signal.SIGKILL, 'needed': -signal.SIGTERM}


def test_robot_does_without_its_model_and_recorder_but_not_without_a_node() -> None:
    processes = [*navigation_processes(NavSettings()),
                 *recorder_processes(NavSettings(record=True)),
                 *simulator_processes(SimSettings(mapping=True))]
    assert {process.name for process in processes if not process.needed} == {
        'recorder', 'sim_model_server'}


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

    wait_for(lambda: not alive(child))
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
                 *recorder_processes(NavSettings(record=True)),
                 *simulator_processes(SimSettings())]
    names = [process.name for process in processes]
    assert len(set(names)) == len(names)
    for process in processes:
        top, _, rest = process.module.partition('.')
        assert top == process.package
        folder = Path(find_spec(top).origin).parent
        assert (folder / f'{rest.replace(".", "/")}.py').is_file(), process.module
