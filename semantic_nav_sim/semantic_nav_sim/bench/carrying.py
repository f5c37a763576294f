"""Cases carried out one after the other, and what is told of each meanwhile."""

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
    """Nobody could judge a case, for a reason; nothing was carried out."""

    why: str


@dataclass(frozen=True)
class Crashed:
    """A case ended before its missions did, for a reason."""

    why: str


Told = Run | LeftOut | Crashed
#: Carries a case out in a folder of its own, see `missions.run_case`.
Carry = Callable[[Case, Path], Iterator[Run]]


@dataclass(frozen=True)
class Job:
    """A case that is to be carried out.

    Attributes:
        index: its place among all cases.
        folder: for what it leaves; is made.
    """

    index: int
    case: Case
    folder: Path


#: What is told of which case; closing it ends what is under way.
AllTold = Generator[tuple[Job, Told], None, None]


def carry_out(job: Job, carry: Carry) -> Iterator[Told]:
    """Carry one case out; what goes wrong in it is told, for the others must go on."""
    try:
        yield from carry(job.case, job.folder)
    except Unjudged as error:
        yield LeftOut(str(error))
    except SemanticNavError as error:
        yield Crashed(str(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is logged whole and told
        _LOG.exception('%s', job.case)
        yield Crashed(f'{type(error).__name__}: {error}')


def one_by_one(jobs: Sequence[Job], carry: Carry) -> AllTold:
    """Carry cases out in this process."""
    for job in jobs:
        for told in carry_out(job, carry):
            yield job, told


def home_by_home(jobs: Sequence[Job]) -> list[Job]:
    """Return jobs in an order in which a process builds each home once."""
    worlds = list(dict.fromkeys(job.case.world for job in jobs))
    return sorted(jobs, key=lambda job: (worlds.index(job.case.world), job.index))
