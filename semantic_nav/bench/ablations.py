"""Robots that lack a part of the product, to measure what the part is worth."""

from collections.abc import Mapping
from typing import Any

#: Nothing is left out.
WHOLE = 'nothing'
#: What is left out, by name: parameters of belief, and what they are then. No answer of a model
#: takes an hour.
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    WHOLE: {},
    'looks_while_driving': {'slow_answer_s': 3600.0},
    'second_view': {'confirm_views': 1},
    'second_looks': {'second_looks_share': 0.0},
}
