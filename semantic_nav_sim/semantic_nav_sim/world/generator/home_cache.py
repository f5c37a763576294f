"""Generated homes by name, cached with world.yaml and the map that a robot would make."""

from functools import partial
from pathlib import Path

import yaml

from semantic_nav.contracts.map_file import save_map
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav_sim.share import share_path
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.generator.home import generate_world
from semantic_nav_sim.world.generator.home_names import parts_of
from semantic_nav_sim.world.model_cache import cache_folder, keep
from semantic_nav_sim.world.reading import Json, world_from
from semantic_nav_sim.world.scene import build_scene
from semantic_nav_sim.world.sources import code_digest

_KEY_LENGTH = 16


def generated_folder(name: str) -> Path:
    """The folder of a generated home, which is made if missing.

    Args:
        name: 'generated:SEED' or 'generated:SEED:ROOMS'; ':wide' at the end for doors and ways for
            a large robot.

    Raises:
        ConfigError: the name is invalid, or there is no such home.
    """
    seed, rooms, wide = parts_of(name)
    folder = cache_folder().parent / 'generated' / (
        f'{seed}_{rooms or "any"}{"_wide" if wide else ""}_{_key()}')
    if not _whole(folder):
        keep(folder, partial(write_world, generate_world(seed, rooms, wide=wide)), _whole)
    return folder


def _whole(folder: Path) -> bool:
    return (folder / 'world.yaml').is_file()


def write_world(document: Json, folder: Path) -> None:
    """Write a world and its map into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(document, sort_keys=False, width=99, default_flow_style=None)
    write_whole(folder / 'world.yaml', text.encode())
    save_map(floor_plan(build_scene(world_from(document))), folder)


def _key() -> str:
    """Hash of all inputs that decide the home of a seed."""
    words = share_path('config', 'worlds', 'vocabulary.yaml').read_bytes()
    return code_digest(generator=True, also=words)[:_KEY_LENGTH]
