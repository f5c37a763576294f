"""Generated homes by name, kept in the cache: world.yaml and the map that a robot would make."""

import re
from functools import partial
from pathlib import Path

import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.sim.map_file import save_map
from semantic_nav.sim.world.floor_plan import floor_plan
from semantic_nav.sim.world.generator.home import generate_world
from semantic_nav.sim.world.generator.layout import FEWEST_ROOMS, MOST_ROOMS
from semantic_nav.sim.world.model_cache import cache_folder, keep
from semantic_nav.sim.world.reading import Json, world_from
from semantic_nav.sim.world.scene import build_scene
from semantic_nav.sim.world.sources import code_digest

_NAME = re.compile('generated:([0-9]+)(?::([0-9]+))?(:wide)?')
#: Digits of the largest seed, 999999999.
_SEED_DIGITS = 9
_ROOMS = frozenset(map(str, range(FEWEST_ROOMS, MOST_ROOMS + 1)))
_KEY_LENGTH = 16


def generated_folder(name: str) -> Path:
    """Return the folder of a generated home, made if it is not there yet.

    Args:
        name: 'generated:SEED' or 'generated:SEED:ROOMS'; ':wide' at its end gives doors and ways
            for a large robot.

    Raises:
        ConfigError: that is no such name, or there is no such home.
    """
    seed, rooms, wide = parts_of(name)
    folder = cache_folder().parent / 'generated' / (
        f'{seed}_{rooms or "any"}{"_wide" if wide else ""}_{_key()}')
    if not _whole(folder):
        keep(folder, partial(write_world, generate_world(seed, rooms, wide=wide)), _whole)
    return folder


def parts_of(name: str) -> tuple[int, int | None, bool]:
    """Return what the name of a generated home says: seed, number of rooms, whether it is wide.

    Raises:
        ConfigError: that is no such name, or there is no such home.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ConfigError(f'no world {name!r}: write generated:SEED or generated:SEED:ROOMS, '
                          'for example generated:7')
    if len(match[1]) > _SEED_DIGITS:
        raise ConfigError(f'no world {name!r}: the largest seed is {"9" * _SEED_DIGITS}')
    if match[2] and match[2] not in _ROOMS:
        raise ConfigError(f'no world {name!r}: a home has {FEWEST_ROOMS} to {MOST_ROOMS} rooms, '
                          'the hall not counted')
    return int(match[1]), int(match[2]) if match[2] else None, bool(match[3])


def _whole(folder: Path) -> bool:
    return (folder / 'world.yaml').is_file()


def write_world(document: Json, folder: Path) -> None:
    """Write a world and its map into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(document, sort_keys=False, width=99, default_flow_style=None)
    write_whole(folder / 'world.yaml', text.encode())
    save_map(floor_plan(build_scene(world_from(document))), folder)


def _key() -> str:
    """Return a hash of what decides how a seed's home looks."""
    words = share_path('config', 'worlds', 'vocabulary.yaml').read_bytes()
    return code_digest(generator=True, also=words)[:_KEY_LENGTH]
