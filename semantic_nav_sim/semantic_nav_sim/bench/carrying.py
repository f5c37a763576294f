"""Cases carried out one after the other, and what is reported of each."""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.judge import Unjudged

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class LeftOut:
    """A case that was not carried out, because its result could not be judged."""

    why: str


@dataclass(frozen=True)
class Crashed:
    """A case that failed before its missions ended."""

    why: str


Told = Run | LeftOut | Crashed
#: Function that carries out a case in a folder of its own, see `missions.run_case`.
Carry = Callable[[Case, Path], Iterator[Run]]


@dataclass(frozen=True)
class Job:
    """A case to carry out.

    Attributes:
        index: its place among all cases.
        folder: of its output; is made.
    """

    index: int
    case: Case
    folder: Path


#: Reports with the job that each is about. Closing the generator stops the running jobs.
AllTold = Generator[tuple[Job, Told], None, None]


def carry_out(job: Job, carry: Carry) -> Iterator[Told]:
    """Carry out one case. Its errors are reported, so that the other cases go on."""
    try:
        yield from carry(job.case, job.folder)
    except Unjudged as error:
        yield LeftOut(str(error))
    except SemanticNavError as error:
        yield Crashed(str(error))
    except Exception as error:  # noqa: BLE001 - any error is logged in full and reported
        _LOG.exception('%s', job.case)
        yield Crashed(f'{type(error).__name__}: {error}')


def one_by_one(jobs: Sequence[Job], carry: Carry) -> AllTold:
    """Carry out cases in this process."""
    for job in jobs:
        for told in carry_out(job, carry):
            yield job, told


def home_by_home(jobs: Sequence[Job]) -> list[Job]:
    """The jobs, ordered so that a process builds each home once."""
    worlds = list(dict.fromkeys(job.case.world for job in jobs))
    return sorted(jobs, key=lambda job: (worlds.index(job.case.world), job.index))
