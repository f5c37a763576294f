"""Types and limits of the fields of documents.

A limit is a marker of `annotated_types` beside the type, `Annotated[float, Interval(ge=0, le=1)]`.
The JSON Schema is written from these (`schema_writer`); the tests draw values by them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Interval, Len, MaxLen

T = TypeVar('T')
#: Pi, rounded up as other software may round it.
_PI = 3.141592653589794

MAX_ID = 160
Id = Annotated[str, Len(1, MAX_ID)]
#: An id, or empty where there is none.
IdOrEmpty = Annotated[str, MaxLen(MAX_ID)]
#: Longest text that a document carries, in characters.
MAX_TEXT = 2000
Text = Annotated[str, MaxLen(MAX_TEXT)]
MAX_NAME = 200
#: Name of a frame, a map, a model or a session.
Name = Annotated[str, MaxLen(MAX_NAME)]
MAX_LABEL = 60
#: A few words: the kind of a place, a tag.
Label = Annotated[str, MaxLen(MAX_LABEL)]
#: Name of an object.
ObjectName = Annotated[str, Len(1, 60)]
#: A word of an enumeration that is defined elsewhere.
Word = Annotated[str, MaxLen(40)]
#: A digest in hexadecimal; empty where there is none.
Sha256 = Annotated[str, MaxLen(64)]
#: Databases and other languages keep integers in 64 bits.
MAX_INTEGER = 2**63 - 1
Count = Annotated[int, Interval(ge=0, le=MAX_INTEGER)]
NotNegative = Annotated[float, Ge(0)]
Fraction = Annotated[float, Interval(ge=0, le=1)]
#: Largest coordinate of a robot's world, in metres.
MAX_COORDINATE_M = 100_000
Coordinate = Annotated[float, Interval(ge=-MAX_COORDINATE_M, le=MAX_COORDINATE_M)]
#: An angle in radians between -pi and pi.
Angle = Annotated[float, Interval(ge=-_PI, le=_PI)]


@dataclass(frozen=True, eq=False)
class Keywords:
    """Keywords of JSON Schema for which `annotated_types` has no marker, as `Keywords({...})`."""

    words: Mapping[str, Any]


@dataclass(frozen=True)
class JsonForm:
    """Deviation of a dataclass's JSON form from the rule that every field is there.

    Attributes:
        omit_none: a field that defaults to None is left out where it is None, and is never null.
        keywords: keywords of JSON Schema about several fields together.
    """

    omit_none: bool = False
    keywords: Mapping[str, Any] = field(default_factory=dict)


def json_form(*, omit_none: bool = False, **keywords: Any) -> Callable[[type[T]], type[T]]:
    """A decorator that gives a dataclass a JSON form of its own, see JsonForm."""
    def give(kind: type[T]) -> type[T]:
        kind.__json_form__ = JsonForm(omit_none, keywords)  # type: ignore[attr-defined]
        return kind
    return give


def json_form_of(kind: type) -> JsonForm:
    """The JSON form of a dataclass."""
    form: JsonForm = getattr(kind, '__json_form__', None) or JsonForm()
    return form


def exactly_one(**types: str) -> list[dict[str, Any]]:
    """A `oneOf` by which exactly one of some fields is given and the others are null.

    Args:
        types: JSON Schema type of each field where it is given.
    """
    return [{'properties': {name: {'type': kind if name == given else 'null'}
                            for name, kind in types.items()}} for given in types]
