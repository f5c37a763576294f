"""The scene that this process built last, for missions that follow each other in one home."""

from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.scene import WorldScene, build_scene

#: The scene built last in this process, by the digest of its world.
_newest: dict[str, WorldScene] = {}


def load_scene(name: str) -> WorldScene:
    """Read a world by the names of `world_file` and build it; the one built last is kept.

    Nobody changes a scene, and processes that carry out several missions stay in one home.

    Raises:
        ConfigError: it does not exist, breaks the schema or makes no sense.
    """
    world = load_world(name)
    scene = _newest.get(world.digest)
    if scene is None:
        scene = build_scene(world)
        _newest.clear()
        _newest[world.digest] = scene
    return scene
