"""Paths of worlds by name; standard library only, since launch files use this too."""

from pathlib import Path

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.share import share_path

WORLD_FILE = 'world.yaml'
GENERATED = 'generated'


def world_file(name: str, part: str = WORLD_FILE) -> Path:
    """The path of a file of a world.

    Args:
        name: 'apartment' or another world of the package, which has priority; the path of a folder
            with a world.yaml; or 'generated:SEED' or 'generated:SEED:ROOMS' for a home that is
            generated at the first request and then cached; with ':wide' at the end for one with
            wide doors.
        part: 'world.yaml', 'map.yaml' or 'map.pgm'.

    Raises:
        ConfigError: there is no such world.
    """
    if name.partition(':')[0] == GENERATED:
        # Generating needs the simulator's libraries; reading an existing world does not.
        from semantic_nav_sim.world.generator.home_cache import generated_folder
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
