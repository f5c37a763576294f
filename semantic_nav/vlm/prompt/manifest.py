"""The manifest of a prompt: its parts, their expected cost, and the chunks left out."""

from dataclasses import dataclass
from enum import StrEnum

#: Name of the part with the offer of tools, which chat templates word as they like.
TOOLS = 'tools'
#: Name of the part with the picture.
PICTURE = 'picture'


class Exclusion(StrEnum):
    """Reason why a chunk is not in the prompt."""

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
        tokens: our count, before calibration and margin.
    """

    name: str
    tokens: int


@dataclass(frozen=True)
class Included:
    """A chunk in the prompt.

    Attributes:
        provenance: source of its text; empty if unknown.
    """

    id: str
    score: float
    provenance: str


@dataclass(frozen=True)
class Excluded:
    """A chunk that was left out; `tokens` is its cost."""

    id: str
    score: float
    provenance: str
    reason: Exclusion
    tokens: int


@dataclass(frozen=True)
class Manifest:
    """The manifest of a prompt.

    Attributes:
        version: version of the template; empty for a prompt that was not assembled.
        parts: parts of the prompt.
        included: chunks in it, best first.
        excluded: chunks left out, best first.
        missing: ids of candidates in the prompt with a placeholder instead of memory.
        counted_tokens: sum of the parts.
        sure_tokens: part of that sum on which vocabularies and unknown models agree.
        estimated_tokens: sum with calibration and margin, which is compared with the budget.
        budget_tokens: longest prompt: the window less the reserve for the reply.
        window_tokens: context window that the server is asked for.
        sha256: SHA-256 of the prompt, in hexadecimal.
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
