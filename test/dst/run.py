"""Deterministic simulation testing: whole missions, everything going wrong, one integer each.

Run `python test/dst/run.py --help`. A seed that fails prints the command that replays it, with
the shortest list of faults that still fails. What was run is kept in the folder of --out, and is
not run again.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parent / 'support', HERE.parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import faults  # noqa: E402
import small_world  # noqa: E402
from bench_rig import cache_beside  # noqa: E402
from plan import Plan, draw  # noqa: E402
from shrink import shrink  # noqa: E402
from tqdm import tqdm  # noqa: E402
from trial import Found, Trial  # noqa: E402
from workers import workers  # noqa: E402

from semantic_nav.contracts.grid import OccupancyGrid  # noqa: E402
from semantic_nav_sim.bench.bodies import BODIES, MakeBody, open_home  # noqa: E402
from semantic_nav_sim.robot.profile import RobotProfile  # noqa: E402
from semantic_nav_sim.world.floor_plan import floor_plan  # noqa: E402

BODY = 'light' if 'light' in BODIES else BODIES[0]
#: Every so many seeds are run twice, and must leave the same bytes.
TWICE_EVERY = 20


@dataclass(frozen=True)
class Home:
    """Where the trials take place.

    Attributes:
        make_body: puts a robot into it.
        plan: the map that a robot may be given.
    """

    make_body: MakeBody
    plan: OccupancyGrid


@contextmanager
def home(folder: Path, body: str = BODY) -> Iterator[Home]:
    """Open the small home, which is written to a folder first."""
    world = folder / 'small'
    if not (world / 'world.yaml').exists():
        small_world.write_world(world)
    with cache_beside(str(world)), open_home(str(world), body) as make_body:
        probe = make_body(1, profile=faults.profile(RobotProfile, 'none'))
        saved = floor_plan(probe.stage.scene)
        probe.close()
        yield Home(make_body, saved)


def carry_out(plan: Plan, where: Home, folder: Path, *, journal: bool = False) -> Found:
    """Run a plan in a folder of its own, which is left as the mission leaves it."""
    # What a robot wears out is no fault that could heal.
    worn = 'none' if plan.heal_s or plan.seed % 3 else 'default'
    body = where.make_body(plan.world_seed, profile=faults.profile(RobotProfile, worn))
    try:
        mission = Trial(body, plan, folder, None if plan.seed % 5 == 4 else where.plan,
                        journal=journal)
        try:
            return mission.run()
        finally:
            mission.close()
    finally:
        body.close()


def codes_of(plan: Plan, where: Home, folder: Path, *, journal: bool = False) -> dict[str, str]:
    """Return what a plan breaks: each rule and how, also beside a run without faults."""
    found = carry_out(plan, where, folder, journal=journal)
    broken = {one.code: str(one) for one in found.violations}
    # What a model that lied has looked at counts as looked at.
    if plan.mode == 'liveness' and found.last == 'not_here' and not plan.lies:
        with tempfile.TemporaryDirectory() as other:
            plain = carry_out(plan.keeping(()), where, Path(other))
        if plain.last == 'arrived':
            broken['NOT_HERE'] = 'not here, though a run without faults arrives'
    return broken


def journals_of(folder: Path) -> dict[str, bytes]:
    """Return what the nodes wrote, by name."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.glob('journal/*/*.jsonl'))}


def judge(seed: int, mode: str, where: Home,
          keep: tuple[int, ...] | None = None) -> dict[str, Any]:
    """Run one seed and return all that is to be kept of it."""
    began = time.perf_counter()
    plan = draw(seed, mode)
    plan = plan if keep is None else plan.keeping(keep)
    twice = seed % TWICE_EVERY == 0
    with tempfile.TemporaryDirectory(dir=_fast()) as name:
        broken = codes_of(plan, where, Path(name) / 'once', journal=twice)
        if twice and not broken:
            carry_out(plan, where, Path(name) / 'again', journal=True)
            if journals_of(Path(name) / 'once') != journals_of(Path(name) / 'again'):
                broken['NOT_THE_SAME'] = 'two runs left different journals'
    return {'seed': seed, 'mode': mode, 'broken': broken,
            'took_s': round(time.perf_counter() - began, 3)}


def shrunk(seed: int, mode: str, code: str, where: Home) -> tuple[int, ...]:
    """Return the numbers of the fewest faults with which a seed breaks the same rule."""
    plan = draw(seed, mode)

    def fails(numbers: tuple[int, ...]) -> bool:
        with tempfile.TemporaryDirectory(dir=_fast()) as name:
            return code in codes_of(plan.keeping(numbers), where, Path(name))

    return shrink(range(len(plan.faults)), fails)


def command(seed: int, mode: str, keep: tuple[int, ...] | None = None) -> str:
    """Return what replays a seed."""
    only = '' if keep is None else f' --keep {",".join(map(str, keep)) or "none"}'
    return f"make dst ARGS='--replay {seed} --mode {mode}{only}'"


@cache
def _fast() -> str | None:
    """Return a folder in memory, where there is one."""
    return '/dev/shm' if Path('/dev/shm').is_dir() else None


# Many seeds

_WHERE: list[Home] = []
_KEPT: list[Any] = []


def _open(folder: str, body: str) -> None:
    """Open the home of a worker, which is closed with its process."""
    opened = home(Path(folder), body)
    _KEPT.append(opened)
    _WHERE.append(opened.__enter__())


def _work(job: tuple[int, str]) -> dict[str, Any]:
    return judge(*job, _WHERE[0])


def run_many(seeds: list[int], mode: str, out: Path, jobs: int, body: str) -> Counter[str]:
    """Run seeds that were not run yet, and say what they break."""
    out.mkdir(parents=True, exist_ok=True)
    kept = out / f'{mode}.jsonl'
    done = {} if not kept.exists() else {
        one['seed']: one for one in map(json.loads, kept.read_text().splitlines())}
    todo = [seed for seed in seeds if seed not in done]
    broken: Counter[str] = Counter(
        code for seed in seeds if seed in done for code in done[seed]['broken'])
    with home(out, body):
        pass  # Written and compiled once, before the workers want it.
    began, finished = time.perf_counter(), 0
    with kept.open('a') as file, workers(jobs, _open, str(out), body) as pool, tqdm(
            total=len(todo), desc=mode, disable=None) as bar:
        for result in pool.imap_unordered(_work, [(seed, mode) for seed in todo]):
            bar.update()
            finished += 1
            file.write(json.dumps(result) + '\n')
            file.flush()
            broken.update(result['broken'].keys())
            for words in result['broken'].values():
                print(f'seed {result["seed"]}: {words}\n  {command(result["seed"], mode)}',
                      flush=True)
            if finished % 100 == 0 or finished == len(todo):
                speed = finished / (time.perf_counter() - began)
                print(f'{mode}: {finished} of {len(todo)}, {speed:.1f} a second, '
                      f'broken {dict(broken)}', flush=True)
    return broken


def replay(seed: int, mode: str, keep: tuple[int, ...] | None, out: Path, body: str,
           folder: Path | None) -> int:
    """Run one seed, show its plan and what it breaks, and shrink it."""
    with home(out, body) as where:
        plan = draw(seed, mode)
        print(plan.describe() if keep is None else plan.keeping(keep).describe())
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
            carry_out(plan if keep is None else plan.keeping(keep), where, folder, journal=True)
            print(f'journals in {folder}')
        broken = judge(seed, mode, where, keep)['broken']
        for words in broken.values():
            print(words)
        if not broken:
            print('nothing is broken')
        elif keep is None:
            for code in broken:
                if code != 'NOT_THE_SAME':
                    fewest = shrunk(seed, mode, code, where)
                    print(f'{code}: {command(seed, mode, fewest)}')
                    for number in fewest:
                        print(f'  [{number}] {plan.faults[number]}')
        return int(bool(broken))


def main(argv: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, prog='make dst')
    parser.add_argument('--seed', type=int, default=1, help='the first one')
    parser.add_argument('--count', type=int, default=300, help='how many')
    parser.add_argument('--mode', choices=('safety', 'liveness'), default='safety')
    parser.add_argument('--jobs', type=int, default=2, help='processes')
    parser.add_argument('--body', choices=BODIES, default=BODY)
    parser.add_argument('--out', type=Path, default=Path('out/dst'))
    parser.add_argument('--replay', type=int, metavar='SEED', help='this one, and shrink it')
    parser.add_argument('--keep', help='numbers of the faults to keep, or none')
    parser.add_argument('--folder', type=Path, help='keep the journals of a replay here')
    args = parser.parse_args(argv)
    if args.replay is not None:
        keep = None if args.keep is None else tuple(
            int(one) for one in args.keep.split(',') if one not in ('', 'none'))
        return replay(args.replay, args.mode, keep, args.out, args.body, args.folder)
    broken = run_many(list(range(args.seed, args.seed + args.count)), args.mode, args.out,
                      args.jobs, args.body)
    return int(bool(broken))


if __name__ == '__main__':
    sys.exit(main())
