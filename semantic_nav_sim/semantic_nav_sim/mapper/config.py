"""Configuration of the mapper."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class MapperConfig:
    """Resolution, range, pace and weights.

    The weights are log-odds, those of OctoMap (Hornung et al., 2013): 0.7 for a hit, 0.4 for
    a miss, clamped to 0.12 to 0.97.
    """

    resolution: float = parameter(0.05, 'edge of a cell [m]', 0.01, 1.0)
    chunk_cells: int = parameter(40, 'room is made by whole chunks of so many cells', 1, 1000)
    laser_range: float = parameter(8.0, 'how far a scan marks and clears [m]', 0.5, 100.0)
    no_return_range: float = parameter(3.0, 'how far a ray without return clears [m]', 0.0, 100.0)
    depth_range: float = parameter(3.5, 'how far a depth picture marks and clears [m]', 0.5, 20.0)
    depth_stride: int = parameter(8, 'of a depth picture, every so many columns [px]', 1, 64)
    min_travel: float = parameter(0.10, 'a scan counts after so much way [m]', 0.0, 5.0)
    min_turn: float = parameter(0.10, 'or after such a turn [rad]', 0.0, 3.2)
    period: float = parameter(1.0, 'or after so long a time [s]', 0.0, 600.0)
    depth_interval: float = parameter(0.5, 'time between depth pictures, at least [s]', 0.0, 600.0)
    map_interval: float = parameter(5.0, 'time between maps, changed or not [s]', 0.5, 600.0)
    hit: float = parameter(0.85, 'what is added to a cell where something was met', 0.0, 10.0)
    miss: float = parameter(0.40, 'what is taken from a cell that was seen through', 0.0, 10.0)
    lowest: float = parameter(-2.0, 'a cell never falls below this', -100.0, 0.0)
    highest: float = parameter(3.5, 'nor rises above this', 0.0, 100.0)
    occupied_at: float = parameter(0.8, 'from here on a cell becomes occupied', 0.0, 100.0)
    free_at: float = parameter(-0.3, 'down from here it becomes free', -100.0, 0.0)


@dataclass(frozen=True)
class MapperNodeConfig(MapperConfig):
    """Parameters of the node alone, read once at the start."""

    map: str = parameter('', 'YAML file of a map that was saved; empty: nothing is known')
    update: bool = parameter(False, 'go on mapping on a map that was saved')
    save_to: str = parameter(
        '', 'folder for map.yaml and map.pgm: at the end, and when `save_map` is called')
    robot_profile: str = parameter(
        'default', 'the robot whose cameras are listened to: names of config/profiles/robot, or '
        'paths of YAML files, with + between')
    map_frame: str = parameter('map', 'frame of the map')
    base_frame: str = parameter('base_link', 'frame of the robot')
