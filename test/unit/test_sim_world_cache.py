"""Building, lighting and caching a world."""

import math
import multiprocessing
import shutil
from pathlib import Path

import numpy as np
import pytest
import small_world

from semantic_nav_sim.world import model_cache, sources
from semantic_nav_sim.world.bake import bake
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.scene import WorldScene, build_scene

pytestmark = pytest.mark.slow


def small_scene() -> WorldScene:
    return build_scene(world_from(small_world.document()))


def closet() -> WorldScene:
    return build_scene(world_from(small_world.closet()))


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache that holds the closet."""
    folder = tmp_path_factory.mktemp('cache')
    model_cache.cached_model(closet(), folder)
    return folder


def entry_of(folder: Path) -> Path:
    [entry] = folder.iterdir()
    return entry


def test_a_kept_world_is_not_built_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError('built again')
    monkeypatch.setattr(model_cache, 'bake', refuse)
    assert model_cache.cached_model(closet(), folder).ngeom > 10


@pytest.mark.parametrize('damage', [b'', b'not a model', None])
def test_a_damaged_entry_is_built_again(folder: Path, damage: bytes | None) -> None:
    model = entry_of(folder) / model_cache.MODEL_FILE
    whole = model.read_bytes()
    if damage is None:
        model.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    else:
        model.write_bytes(damage)
    model_cache.cached_model(closet(), folder)
    assert model.read_bytes() == whole
    assert len(list(folder.iterdir())) == 1


def test_another_world_has_another_entry() -> None:
    document = small_world.closet()
    document['start_poses'][0]['yaw_deg'] = 1
    assert model_cache.cache_key(world_from(document)) != model_cache.cache_key(closet().world)


def test_a_changed_table_makes_another_entry(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / 'world'
    shutil.copytree(sources._WORLD, folder)
    monkeypatch.setattr(sources, '_WORLD', folder)
    monkeypatch.setattr(sources, '_GENERATOR', folder / 'generator')

    def digests() -> tuple[str, str]:
        sources.code_digest.cache_clear()
        return sources.code_digest(), sources.code_digest(generator=True)

    first = digests()
    with (folder / 'generator' / 'catalogue.yaml').open('a', encoding='ascii') as table:
        table.write('# changed\n')
    second = digests()
    assert first[0] == second[0] and first[1] != second[1]
    (folder / 'materials.yaml').unlink()
    assert digests()[0] != second[0]
    sources.code_digest.cache_clear()


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    blocked = tmp_path / 'file'
    blocked.write_text('in the way', encoding='ascii')
    assert model_cache.cached_model(closet(), blocked / 'worlds').ngeom > 10


def _build(folder: Path, barrier: object) -> int:
    scene = closet()
    barrier.wait()  # type: ignore[attr-defined]
    return int(model_cache.cached_model(scene, folder).ngeom)


def test_two_processes_may_build_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context('spawn')
    with context.Manager() as manager, context.Pool(2) as pool:
        barrier = manager.Barrier(2)
        sizes = pool.starmap(_build, [(tmp_path, barrier)] * 2)
    assert sizes[0] == sizes[1] > 10
    assert [path.name for path in entry_of(tmp_path).iterdir()] != []
    assert entry_of(tmp_path).name == model_cache.cache_key(closet().world)


def test_old_entries_are_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, 'KEPT_ENTRIES', 1)
    (tmp_path / 'old').mkdir()
    model_cache.cached_model(closet(), tmp_path)
    assert entry_of(tmp_path).name != 'old'


def test_the_cache_keeps_a_limit_of_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, 'KEPT_BYTES', 10)
    old = tmp_path / 'old'
    old.mkdir()
    (old / model_cache.MODEL_FILE).write_bytes(bytes(100))
    model_cache.cached_model(closet(), tmp_path)
    # The newest entry stays, however large it is.
    assert entry_of(tmp_path).name == model_cache.cache_key(closet().world)


def test_the_sun_shines_in_through_the_window_only() -> None:
    document = small_world.document()
    scene = build_scene(world_from(document))
    document['sun']['power'] = 0
    overcast = build_scene(world_from(document))
    sunny, dull = bake(scene), bake(overcast)
    for surface, with_sun, without in zip(scene.structure.surfaces, sunny.textures, dull.textures,
                                          strict=True):
        gain = with_sun.astype(float) - without
        bright = (gain > 40).any(axis=2)
        if surface.kind == 'floor' and surface.room == 'den':
            # As far from the south wall as the pane's edges are high, at 40 degrees.
            rows, columns = np.nonzero(bright)
            north, south = (3 * (1 - row / bright.shape[0]) for row in (rows.min(), rows.max()))
            slope = math.sin(math.radians(80)) / math.tan(math.radians(40))
            assert south == pytest.approx(0.95 * slope, abs=0.06)
            assert north == pytest.approx(2.15 * slope, abs=0.06)
        elif surface.kind == 'floor':
            assert not bright.any()


def test_light_makes_corners_darker_than_the_middle() -> None:
    scene = small_scene()
    textures = bake(scene).textures
    [floor] = [texture.astype(float).mean(axis=2)
               for surface, texture in zip(scene.structure.surfaces, textures, strict=True)
               if surface.kind == 'floor' and surface.room == 'store']
    rows, columns = floor.shape
    middle = floor[2 * rows // 5:3 * rows // 5, 2 * columns // 5:3 * columns // 5].mean()
    corner = floor[:rows // 10, -columns // 10:].mean()
    assert corner < 0.9 * middle
