"""A small home and a mission in simulated time in it: made once, looked at by several tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the simulator is not loaded for tests that do without it
    from bench_rig import Carried


@pytest.fixture(scope='session')
def small_home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the name of the small world; `bench_rig.cache_beside` takes it."""
    import small_world
    return str(small_world.write_world(tmp_path_factory.mktemp('home') / 'small'))


@pytest.fixture(scope='session')
def small_mission(small_home: str, tmp_path_factory: pytest.TempPathFactory) -> Carried:
    """Return a mission to the other room; nobody may change what it left."""
    import small_world
    from bench_rig import carry_out
    return carry_out(tmp_path_factory.mktemp('mission'), small_home, small_world.SEED_STOOL)
