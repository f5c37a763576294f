"""Which remembered texts go into a prompt: the best first, as far as the budget goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from semantic_nav.vlm.prompt.manifest import Exclusion


@dataclass(frozen=True)
class Chunk:
    """A remembered text that may go into a prompt.

    Attributes:
        text: as it would stand there; empty where nothing is remembered.
        provenance: where the text comes from; empty where nobody knows.
    """

    id: str
    score: float
    text: str
    provenance: str


@dataclass(frozen=True)
class Selection:
    """The outcome: both in the order of the ranking."""

    included: tuple[Chunk, ...]
    excluded: tuple[tuple[Chunk, Exclusion], ...]


def rank(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return chunks by score, the highest first, and equal ones by id."""
    return sorted(chunks, key=lambda chunk: (-chunk.score, chunk.id))


def select(chunks: Sequence[Chunk], limit: int, fits: Callable[[Sequence[Chunk]], bool], *,
           strict_provenance: bool) -> Selection:
    """Choose among chunks, whatever order they come in.

    A chunk that does not fit is left out, and smaller ones after it may still go in. One that is
    left out makes no room for one beyond the limit.

    Args:
        chunks: each id once.
        limit: how many are considered.
        fits: whether a prompt with these chunks keeps to its budget.
        strict_provenance: leave out what nobody knows the source of.
    """
    included: list[Chunk] = []
    excluded = []
    for place, chunk in enumerate(rank(chunks)):
        if place >= limit:
            reason = Exclusion.NOT_AMONG_TOP
        elif not chunk.text:
            reason = Exclusion.NOTHING_REMEMBERED
        elif strict_provenance and not chunk.provenance:
            reason = Exclusion.NO_PROVENANCE
        elif not fits([*included, chunk]):
            reason = Exclusion.OVER_BUDGET
        else:
            included.append(chunk)
            continue
        excluded.append((chunk, reason))
    return Selection(tuple(included), tuple(excluded))
