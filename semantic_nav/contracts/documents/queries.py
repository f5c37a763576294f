"""Queries to another node, and their replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from semantic_nav.contracts.documents.places import Candidate, PlaceDescription
from semantic_nav.contracts.fields import Keywords, NotNegative, Text
from semantic_nav.contracts.vocabulary import Code, QueryTool

#: Arguments of a query, few and plain; the schema of the tool says the rest.
Arguments = Annotated[dict[str, Any], MaxLen(8), Keywords({
    'propertyNames': {'type': 'string', 'maxLength': 40},
    'additionalProperties': {'anyOf': [
        {'type': 'string', 'maxLength': 500}, {'type': 'number'}, {'type': 'boolean'}]}})]


#: The error of a memory that will answer soon.
STILL_LOADING = 'the memory is still loading'


@dataclass(frozen=True)
class ToolQuery:
    """A query to another node. The envelope's id is the request's.

    It changes nothing, except for the two tools of an operator, which come without a goal.

    Attributes:
        arguments: arguments by `schema/tool_<tool>.schema.json`; the answering node checks them.
        deadline_s: time within which an answer is of use, on the receiver's steady clock.
    """

    tool: QueryTool
    arguments: Arguments
    deadline_s: Annotated[float, Interval(ge=0, le=600)]


@dataclass(frozen=True)
class Reachability:
    """Verdict of the verifier's own checks on a drive now; Nav2 was not asked.

    Attributes:
        code: code of the first check that fails, else OK.
        way_m: length of the path over the costmap; None where the checks fail.
    """

    reachable: bool
    code: Code
    reason: Text
    way_m: NotNegative | None


@dataclass(frozen=True)
class ToolReply:
    """Reply to a query, which is its cause: one of the last three, or an error in words."""

    tool: QueryTool
    error: Text = ''
    places: Annotated[tuple[Candidate, ...], MaxLen(8)] | None = None
    place: PlaceDescription | None = None
    reach: Reachability | None = None
