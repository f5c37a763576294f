"""Robots that lack a part of the product, to measure what the part is worth."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Nothing is left out.
WHOLE = 'nothing'
#: The second mission begins without what the first one remembered; it has the map all the same.
FORGETFUL = 'memory'
#: What is left out, by name: parameters of belief, and what they are then. No answer of a model
#: takes an hour. Without confirmation one last look is enough that claims the target anywhere.
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    WHOLE: {},
    'looks_while_driving': {'slow_answer_s': 3600.0},
    'second_view': {'confirm_views': 1},
    'confirmation': {'confirm_views': 1, 'confirm_bearing_rad': math.pi},
    'second_looks': {'second_looks_share': 0.0},
    FORGETFUL: {},
}


def memory_file(without: str, folder: Path, number: int) -> Path:
    """Return the file of the memory in the mission of a number, in the folder of its case."""
    return folder / (f'memory{number}.sqlite' if without == FORGETFUL else 'memory.sqlite')
