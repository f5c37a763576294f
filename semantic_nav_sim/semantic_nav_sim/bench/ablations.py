"""Ablations: robots that lack one part of the product, to measure what that part is worth."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The whole product.
WHOLE = 'nothing'
#: The second mission begins with the map of the first one but with an empty memory.
FORGETFUL = 'memory'
#: Parameters of belief that differ, by the name of the part left out. The model never takes an
#: hour to answer. Without confirmation one last look that claims the target is enough, from any
#: bearing.
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    WHOLE: {},
    'looks_while_driving': {'slow_answer_s': 3600.0},
    'second_view': {'confirm_views': 1},
    'confirmation': {'confirm_views': 1, 'confirm_bearing_rad': math.pi},
    'second_looks': {'second_looks_share': 0.0},
    FORGETFUL: {},
}


def memory_file(without: str, folder: Path, number: int) -> Path:
    """The memory file of a mission, in the folder of its case."""
    return folder / (f'memory{number}.sqlite' if without == FORGETFUL else 'memory.sqlite')
