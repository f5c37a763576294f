"""The results of a command so far: a file that grows by each run as it ends.

A killed process tears at most the last line, which is then left out. The first line identifies the
command by a digest of all that defines its cases.
"""

import fcntl
import hashlib
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import semantic_nav
import semantic_nav_sim
from semantic_nav.contracts.codec import from_plain, to_plain
from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav_sim.bench.carrying import LeftOut, Told
from semantic_nav_sim.bench.cases import Case, is_generated
from semantic_nav_sim.bench.results import Results
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.profile_files import LOCALISERS, robot_choice
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.world.loading import load_world

Json = dict[str, Any]
_VERSION = 1


def beside(figures: Path) -> Path | None:
    """The path of the run log beside a file of figures; None if the latter is not a regular file.

    Args:
        figures: such as 'figures.json', or '/dev/stdout', which is a link.
    """
    if figures.is_symlink() or (figures.exists() and not figures.is_file()):
        return None
    return figures.with_name(f'{figures.name.removesuffix(".json")}.runs.jsonl')


def digest_of(cases: Sequence[Case], out: Path | None) -> str:
    """Digest of a command: its cases, and where it leaves their journals.

    The contents of profiles and worlds count too, since a file may change under its name. So does
    the package: runs of two versions must not share a table.
    """
    profiles = {f'{kind.PART} {name}': to_plain(load_profile(kind, name))
                for kind, names in (
                    (ModelProfile, {case.model_profile for case in cases}),
                    (RobotProfile, {robot_choice(case.robot_profile, localiser)
                                    for case in cases for localiser in LOCALISERS}),
                    (NavigatorProfile, {case.navigator_profile for case in cases}))
                for name in names}
    worlds = {case.world: load_world(case.world).digest for case in {
        case.world: case for case in cases}.values() if not is_generated(case.world)}
    told = {'cases': [asdict(case) for case in cases], 'profiles': profiles, 'worlds': worlds,
            'out': None if out is None else str(out.resolve()),
            'package': package_digest()}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def package_digest() -> str:
    """Digest of the names and contents of our packages' files."""
    digest = hashlib.sha256()
    for package in (semantic_nav, semantic_nav_sim):
        root = Path(package.__file__).parent
        for file in sorted((*root.rglob('*.py'), *root.rglob('*.yaml'))):
            digest.update(f'{package.__name__}/{file.relative_to(root)}\0'.encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def is_begun(path: Path) -> bool:
    """Tell whether a file has a complete first line, which names the command."""
    return path.is_file() and b'\n' in path.read_bytes()


class RunLog:
    """The open file. This process is its only writer."""

    def __init__(self, path: Path, digest: str) -> None:
        """Open the file, or make it.

        Raises:
            ConfigError: it belongs to another command, is no run log, or another process writes
                it.
            OSError: it cannot be written.
        """
        self._path = path
        # Not 'a': a torn line is overwritten.
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), 'r+b')
        try:
            self._lock()
            self._lines = self._read(digest)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def fill(self, results: Results) -> None:
        """Add the results of an earlier process.

        Raises:
            ConfigError: a line cannot be read, or belongs to no case.
        """
        for number, line in enumerate(self._lines, start=2):
            try:
                results.take(*_told_of(json.loads(line), results.cases))
            except (ContractError, ValueError, RecursionError) as error:
                raise ConfigError(f'{self._path} line {number} cannot be read: {error}') from error
            except (LookupError, TypeError) as error:
                raise ConfigError(f'{self._path} line {number} cannot be read: it tells of no run'
                                  ) from error

    def add(self, index: int, told: Told) -> None:
        """Append the result of the case at an index, unless it crashed: then it is tried again."""
        if isinstance(told, Run):
            self._write({'case': index, 'run': plain(told)})
        elif isinstance(told, LeftOut):
            self._write({'case': index, 'left_out': told.why})

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f'another process writes {self._path}') from None

    def _read(self, digest: str) -> list[bytes]:
        content, own = self._file.read(), {'bench': _VERSION, 'command': digest}
        whole, newline, torn = content.rpartition(b'\n')
        if not newline and not json.dumps(own).encode().startswith(torn):
            raise ConfigError(f'{self._path} holds no runs of a benchmark: name another file')
        if not newline:
            self._cut(0)
            self._write(own)
            return []
        head, *lines = whole.split(b'\n')
        try:
            command = json.loads(head)
        except (ValueError, RecursionError):
            raise ConfigError(f'{self._path} holds no runs of a benchmark: name another file'
                              ) from None
        if command != own:
            raise ConfigError(f'{self._path} holds the runs of another command or version: '
                              'name another file, or remove that one')
        self._cut(len(whole + newline))
        return lines

    def _cut(self, size: int) -> None:
        """Cut off a torn line. Only our own files are cut; a refused file stays as it is."""
        self._file.seek(size)
        self._file.truncate()

    def _write(self, line: Json) -> None:
        self._file.write(json.dumps(line, allow_nan=False).encode() + b'\n')
        self._file.flush()
        os.fsync(self._file.fileno())


def plain(run: Run) -> Json:
    """The run as JSON values. An infinite shortest way becomes null."""
    values = asdict(run)
    return values if run.shortest_m < math.inf else {**values, 'shortest_m': None}


def _told_of(line: Json, cases: Sequence[Case]) -> tuple[int, Told]:
    """The case index and the result that a line holds.

    Raises:
        ContractError, LookupError, TypeError, ValueError: it holds no result of one of them.
    """
    index = line['case']
    if type(index) is not int or index not in range(len(cases)):
        raise ContractError(f'there is no case {index!r}')
    if isinstance(why := line.get('left_out'), str):
        return index, LeftOut(why)
    values = line['run']
    run, case = from_plain({**values, 'shortest_m': math.inf} if values['shortest_m'] is None
                           else values, Run), cases[index]
    if json.loads(json.dumps(plain(run), allow_nan=False)) != values:
        raise ContractError('its values are not of the kind that a run has')
    if (*run.case, run.options) != (case.world, case.seed, case.goal, case.options) or (
            run.number not in range(1, case.runs + 1)):
        raise ContractError(f'that is no mission of case {index}, {case}')
    if not run.wall_s > 0.0:
        raise ContractError(f'it took {run.wall_s} s')
    return index, run
