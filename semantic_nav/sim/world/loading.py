"""Finds a world by its name: one of the package, one in a folder, or one generated on the spot."""

from pathlib import Path

import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_path
from semantic_nav.sim.world.description import WorldDescription
from semantic_nav.sim.world.reading import Json, world_from

WORLD_FILE = 'world.yaml'
GENERATED = 'generated'


def world_file(name: str, part: str = WORLD_FILE) -> Path:
    """Return a file of a world.

    Args:
        name: 'apartment' or another world of the package, which goes first; the path of a folder
            that holds a world.yaml; or 'generated:SEED' or 'generated:SEED:ROOMS' for a home
            that is generated when it is first asked for and then kept in the cache; with ':wide'
            at its end for one with wide doors.
        part: 'world.yaml', 'map.yaml' or 'map.pgm'.

    Raises:
        ConfigError: there is no such world.
    """
    if name.partition(':')[0] == GENERATED:
        # Generating needs the simulator's libraries; reading a world that is there does not.
        from semantic_nav.sim.world.generator.home_cache import generated_folder
        return generated_folder(name) / part
    folder = share_path('config', 'worlds', name)
    if not (folder / WORLD_FILE).is_file():
        folder = Path(name)
    if not (folder / WORLD_FILE).is_file():
        known = sorted(path.parent.name
                       for path in share_path('config', 'worlds').glob(f'*/{WORLD_FILE}'))
        raise ConfigError(f'no world {name!r}: known are {", ".join(known)}, '
                          'or give the path of a folder that holds a world.yaml, or '
                          'generated:SEED')
    return folder / part


def world_document(name: str) -> Json:
    """Read the document of a world; names are those of `world_file`.

    Raises:
        ConfigError: it does not exist, or is not YAML.
    """
    path = world_file(name)
    try:
        document: Json = yaml.safe_load(path.read_text(encoding='utf-8'))
    except yaml.YAMLError as error:
        raise ConfigError(f'{path} is not YAML: {error}') from error
    return document


def load_world(name: str) -> WorldDescription:
    """Read a world; names are those of `world_file`.

    Raises:
        ConfigError: it does not exist, breaks the schema or makes no sense.
    """
    return world_from(world_document(name))
