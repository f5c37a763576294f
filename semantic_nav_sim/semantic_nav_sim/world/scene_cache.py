"""Cache of the last built scene, for successive missions in one home."""

from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.scene import WorldScene, build_scene

#: The last scene built in this process, by the digest of its world.
_newest: dict[str, WorldScene] = {}


def load_scene(name: str) -> WorldScene:
    """Read a world by a name for `world_file` and build it; the last one is kept.

    Scenes are never changed, and processes with several missions stay in one home.

    Raises:
        ConfigError: it does not exist, breaks the schema or is inconsistent.
    """
    world = load_world(name)
    scene = _newest.get(world.digest)
    if scene is None:
        scene = build_scene(world)
        _newest.clear()
        _newest[world.digest] = scene
    return scene
