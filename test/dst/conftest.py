"""The home in which the missions under faults take place, opened once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from run import Home


@pytest.fixture(scope='session')
def where(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Return the small home."""
    from run import home
    with home(tmp_path_factory.mktemp('dst')) as opened:
        yield opened
