"""The common output of the benchmarks: a table, its copy in a file, and the exit code."""

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.show.table import Measure, lines_of


def show(measures: Sequence[Measure], file: Path | None, **more: object) -> int:
    """Print the table, and write it with `more` to a file; returns the exit code."""
    print('\n'.join(lines_of(measures)))
    if file is not None:
        write_whole(file, (json.dumps(_finite({
            'measures': [dataclasses.asdict(one) for one in measures], **more}), indent=2) + '\n'
            ).encode())
    return 1 if any(one.holds is False for one in measures) else 0


def _finite(value: Any) -> Any:
    """Replace numbers that JSON cannot express by null, at any depth."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
