"""A case of the benchmark through the real nodes: what comes of it, and how it ends early."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_world
from bench_rig import GOAL, cache_beside
from started import Started

from semantic_nav_sim.bench.cases import NODES, Case
from semantic_nav_sim.running.case_through_nodes import run_case_through_nodes

#: A mission in the small home takes half a minute; on a busy machine more.
_LIMIT_S = 60.0


@pytest.fixture(scope='module')
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_world.write_world(tmp_path_factory.mktemp('home') / 'small'))


@pytest.fixture
def command(home: str, tmp_path: Path) -> Iterator[Started]:
    """Return a command that carries a case out both ways, one after the other."""
    running = Started(
        ['bench', 'missions', '--ros', '--world', home, '--seed', str(small_world.SEED_STOOL),
         '--runs', '1', '--embedder', 'hash', '--out', str(tmp_path / 'out')],
        tmp_path / 'said', Path(home).parent / 'cache')
    try:
        yield running
    finally:
        running.kill()


def test_a_case_is_carried_out_and_judged_as_through_the_cores(home: str, tmp_path: Path) -> None:
    before = os.environ.get('ROS_DOMAIN_ID')
    case = Case(home, small_world.SEED_STOOL, GOAL, 1, embedder='hash',
                without='second_looks', through=NODES)
    with cache_beside(home):
        [run] = run_case_through_nodes(case, tmp_path / 'case', _LIMIT_S)
    print(run)
    assert (run.number, run.options, run.unvetted) == (1, case.options, ())
    assert run.goals_sent > 0 and run.model_calls > 0
    assert run.reached == run.success == (run.outcome == 'arrived')
    assert run.spl is not None and 0.0 <= run.spl <= 1.0 < run.shortest_m
    assert len(run.driven) > 5 and run.driven[0] != run.driven[-1]
    assert run.wall_s > run.simulated_s > 0.0
    assert run.target is not None and run.stands is not None
    assert (tmp_path / 'case' / 'map1' / 'map.yaml').is_file(), 'a second mission begins with it'
    assert os.environ.get('ROS_DOMAIN_ID') == before


def test_a_node_that_ends_is_told_and_ends_the_others(command: Started) -> None:
    command.wait_for(lambda: 'verifier' in command.processes())
    os.kill(command.processes()['belief'], signal.SIGKILL)
    assert command.ends_soon() == 1
    assert 'CRASHED: [through nodes]' in command.said
    assert 'belief was ended by SIGKILL, and the others cannot do without it' in command.said
    assert 'crashed cases' in command.said


def test_ctrl_c_ends_the_nodes_and_leaves_the_table(command: Started) -> None:
    command.wait_for(lambda: 'verifier' in command.processes())
    command.process.send_signal(signal.SIGINT)
    assert command.ends_soon() == 128 + signal.SIGINT
    assert command.said.endswith('bench: interrupted; the table is of what was finished\n')
    assert command.said.count('[through cores]') == 1
