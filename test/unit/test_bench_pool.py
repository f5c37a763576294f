"""Cases in several processes: the same results, whatever becomes of one of them."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import GOOD

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.bench.carrying import (
    AllTold,
    Carry,
    Crashed,
    Job,
    LeftOut,
    home_by_home,
    one_by_one,
)
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.pool import in_processes
from semantic_nav_sim.bench.results import Results
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.judge import Unjudged

_DEADLINE_S = 60.0


def acted(case: Case, folder: Path) -> Iterator[Run]:
    """Do what the goal says."""
    del folder
    if case.goal == 'be killed':
        os.kill(os.getpid(), signal.SIGKILL)
    if case.goal == 'exit':
        os._exit(3)
    if case.goal == 'raise':
        raise RuntimeError('a bug')
    if case.goal == 'fail':
        raise ConfigError('no such home')
    if case.goal == 'mean nothing':
        raise Unjudged('what?')
    for number in range(1, case.runs + 1):
        yield replace(GOOD, world=case.world, seed=case.seed, goal=case.goal, number=number,
                      reason=os.environ.get('OMP_NUM_THREADS', ''))


def jobs_of(*goals: str, runs: int = 1) -> list[Job]:
    return [Job(index, Case('home', index, goal, runs), Path(f'{index}'))
            for index, goal in enumerate(goals)]


def collected(jobs: list[Job], told: AllTold) -> Results:
    results = Results([job.case for job in jobs])
    for job, one in told:
        results.take(job.index, one)
    return results


def test_several_processes_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OMP_NUM_THREADS', '1')
    jobs = jobs_of('a', 'b', 'mean nothing', 'c', runs=2)
    alone, together = (collected(jobs, told) for told in (
        one_by_one(jobs, acted), in_processes(jobs, acted, 2)))
    assert together == alone
    assert [(run.seed, run.number) for run in together.runs] == [
        (0, 1), (0, 2), (1, 1), (1, 2), (3, 1), (3, 2)]
    assert together.left_out == {2: 'what?'}
    assert together.settled == 8


def test_numerics_of_a_process_have_one_thread() -> None:
    jobs = jobs_of('a')
    assert [run.reason for run in collected(jobs, in_processes(jobs, acted, 1)).runs] == ['1']


@pytest.mark.parametrize('count', [1, 2])
def test_a_process_that_dies_costs_its_case_only(count: int) -> None:
    jobs = jobs_of('a', 'be killed', 'b', 'exit', 'c', 'd')
    results = collected(jobs, in_processes(jobs, acted, count))
    assert [run.goal for run in results.runs] == ['a', 'b', 'c', 'd']
    assert results.crashed == {1: 'its process was ended by SIGKILL',
                               3: 'its process ended with code 3'}
    assert results.settled == 6


@pytest.mark.parametrize('carry_all', [
    one_by_one, lambda jobs, carry: in_processes(jobs, carry, 2)], ids=['alone', 'processes'])
def test_an_error_costs_its_case_only(carry_all: Callable[[list[Job], Carry], AllTold]) -> None:
    jobs = jobs_of('raise', 'a', 'fail')
    results = collected(jobs, carry_all(jobs, acted))
    assert [run.goal for run in results.runs] == ['a']
    assert results.crashed == {0: 'RuntimeError: a bug', 2: 'no such home'}


def hung(case: Case, folder: Path) -> Iterator[Run]:
    """End at once, or never."""
    if case.seed:
        (folder.parent / f'pid{case.seed}').write_text(str(os.getpid()))
        time.sleep(10 * _DEADLINE_S)
    yield GOOD


def has_ended(pid: int) -> bool:
    """Tell whether there is no such process, or it only waits for whoever started it."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] == 'Z'
    except FileNotFoundError:
        return True


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _DEADLINE_S
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def test_whoever_stops_listening_ends_all_processes(tmp_path: Path) -> None:
    jobs = [Job(index, Case('home', index, 'a', 1), tmp_path / str(index)) for index in range(3)]
    told = in_processes(jobs, hung, 2)
    assert next(told) == (jobs[0], GOOD)
    pids = [tmp_path / 'pid1', tmp_path / 'pid2']
    wait_for('a second process began', lambda: pids[0].exists() and pids[0].read_text() != '')
    told.close()
    assert all(has_ended(int(path.read_text())) for path in pids if path.exists())


def test_processes_end_with_one_that_is_killed(tmp_path: Path) -> None:
    main = tmp_path / 'main.py'
    main.write_text(textwrap.dedent(f"""
        import sys
        sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}
        from pathlib import Path
        from semantic_nav_sim.bench.carrying import Job
        from semantic_nav_sim.bench.cases import Case
        from semantic_nav_sim.bench.pool import in_processes
        import test_bench_pool
        if __name__ == '__main__':
            jobs = [Job(i, Case('home', i, 'a', 1), Path({str(tmp_path)!r}) / str(i))
                    for i in (1, 2)]
            list(in_processes(jobs, test_bench_pool.hung, 2))
        """))
    parent = subprocess.Popen([sys.executable, str(main)])
    pids = [tmp_path / 'pid1', tmp_path / 'pid2']
    try:
        wait_for('both began', lambda: all(
            path.exists() and path.read_text() != '' for path in pids))
    finally:
        parent.kill()
        parent.wait()
    wait_for('both ended', lambda: all(has_ended(int(path.read_text())) for path in pids))


def test_homes_are_built_once() -> None:
    jobs = [Job(index, Case(world, 1, 'a'), Path()) for index, world in enumerate('xyxzy')]
    assert [job.index for job in home_by_home(jobs)] == [0, 2, 1, 4, 3]


def test_what_is_left_out_and_what_crashed_differ() -> None:
    results = Results([Case('home', 1, 'a', 2), Case('home', 2, 'a', 2), Case('home', 3, 'a', 2)])
    results.take(0, LeftOut('two'))
    results.take(1, GOOD)
    results.take(1, Crashed('a bug'))
    assert (results.settled, results.left_out, results.crashed) == (4, {0: 'two'}, {1: 'a bug'})
