"""Reads a world by name: one of the package, one in a folder, or a generated one."""

import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world.description import WorldDescription
from semantic_nav_sim.world.reading import Json, world_from
from semantic_nav_sim.world.world_files import world_file


def world_document(name: str) -> Json:
    """Read the document of a world by a name for `world_file`.

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
    """Read a world by a name for `world_file`.

    Raises:
        ConfigError: it does not exist, breaks the schema or is inconsistent.
    """
    return world_from(world_document(name))
