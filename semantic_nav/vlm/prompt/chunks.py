"""The choice of remembered texts for a prompt: the best first, as the budget allows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from semantic_nav.vlm.prompt.manifest import Exclusion


@dataclass(frozen=True)
class Chunk:
    """A remembered text that may go into a prompt.

    Attributes:
        text: text as it would stand there; empty if nothing is remembered.
        provenance: source of the text; empty if unknown.
    """

    id: str
    score: float
    text: str
    provenance: str


@dataclass(frozen=True)
class Selection:
    """The chosen chunks and the others, both in the order of the ranking."""

    included: tuple[Chunk, ...]
    excluded: tuple[tuple[Chunk, Exclusion], ...]


def select(chunks: Sequence[Chunk], limit: int, fits: Callable[[Sequence[Chunk]], bool], *,
           strict_provenance: bool) -> Selection:
    """Choose among ranked chunks.

    A chunk that does not fit is left out, and smaller ones after it may still go in. It makes no
    room for a chunk beyond the limit.

    Args:
        chunks: chunks, best first, each id once.
        limit: number of best chunks that are considered.
        fits: predicate that a prompt with these chunks keeps to its budget.
        strict_provenance: leave out chunks of unknown provenance.
    """
    included: list[Chunk] = []
    excluded = []
    for place, chunk in enumerate(chunks):
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
