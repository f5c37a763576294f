"""What a prompt is made of, what it is expected to cost, and what was left out of it."""

from dataclasses import dataclass
from enum import StrEnum

#: Name of the part that the offer of tools is; chat templates word it as they like.
TOOLS = 'tools'
#: Name of the part that the picture is.
PICTURE = 'picture'


class Exclusion(StrEnum):
    """Why a chunk is not in the prompt."""

    NOT_AMONG_TOP = 'not_among_top'
    NOTHING_REMEMBERED = 'nothing_remembered'
    NO_PROVENANCE = 'no_provenance'
    OVER_BUDGET = 'over_budget'


@dataclass(frozen=True)
class ManifestItem:
    """A part of the prompt.

    Attributes:
        name: `system`, `template`, `schema` (where it is told in words), `request`,
            `memory:<id>`, `picture`, `tools` (what may be called), `tools:<n>` (a turn in which
            some were, and their results) or `repair:<n>`.
        tokens: as counted, before calibration and margin.
    """

    name: str
    tokens: int


@dataclass(frozen=True)
class Included:
    """A chunk in the prompt.

    Attributes:
        provenance: where its text comes from; empty where nobody knows.
    """

    id: str
    score: float
    provenance: str


@dataclass(frozen=True)
class Excluded:
    """A chunk that was left out; `tokens` is what it would have taken."""

    id: str
    score: float
    provenance: str
    reason: Exclusion
    tokens: int


@dataclass(frozen=True)
class Manifest:
    """The bill of a prompt.

    Attributes:
        version: of the template; empty for a prompt that nobody assembled.
        parts: what it is made of.
        included: the chunks in it, best first.
        excluded: the chunks that are not, best first.
        missing: ids of told candidates for which a placeholder stands.
        counted_tokens: sum of the parts.
        sure_tokens: of these, without what vocabularies and pictures of unknown models differ in.
        estimated_tokens: with calibration and margin; this is held to the budget.
        budget_tokens: what the prompt may take: the window less what is kept for the reply.
        window_tokens: the context window that the server is asked for.
        sha256: of the prompt, in hexadecimal.
    """

    version: str = ''
    parts: tuple[ManifestItem, ...] = ()
    included: tuple[Included, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    missing: tuple[str, ...] = ()
    counted_tokens: int = 0
    sure_tokens: int = 0
    estimated_tokens: int = 0
    budget_tokens: int = 0
    window_tokens: int = 0
    within_budget: bool = True
    sha256: str = ''

    @property
    def words_tokens(self) -> int:
        """Sum of the parts without the picture."""
        return sum(part.tokens for part in self.parts if part.name != PICTURE)
