"""The parameters of the memory."""

import math
from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter
from semantic_nav.embed.embedder import EMBEDDERS
from semantic_nav.memory.retrieval import RANKINGS


@dataclass(frozen=True)
class MemoryConfig:
    """Parameters of the store, the density of places, and the candidates for a goal."""

    memory_db: str = parameter(
        '', 'URL of the memory, sqlite:///absolute/path, or that path alone. One node writes to '
        "a file. 'memory:', in quotes, keeps the places until the node ends. Empty: a file of the "
        'namespace, $ROS_HOME/semantic_nav/memory.sqlite or memory.NAMESPACE.sqlite.')
    map_id: str = parameter('default', 'Name of the map that the places lie on.')
    map_frame: str = parameter(
        'map', 'Frame of the map, in which all coordinates of the documents are.')
    embedder: str = parameter(
        'minilm', 'Text embedder that compares goals with places: minilm compares meaning, hash '
        'compares spelling.',
        choices=EMBEDDERS)
    ranking: str = parameter(
        'content_words', 'Order of the places found for a goal: content_words compares the '
        'words that carry meaning, plurals folded, and leaves out poor matches; classic compares '
        'all words as they are, and ranks every place.', choices=tuple(RANKINGS))
    place_spacing_m: float = parameter(
        1.0, 'Distance to the nearest place below which a look belongs to that place, in m.',
        0.05, 100.0)
    place_turn_rad: float = parameter(
        1.0, 'Turn from the nearest place below which a look belongs to that place, in rad.',
        0.05, math.pi)
    likely_threshold: float = parameter(
        -1.0, 'Score from which on a place is likely. Negative: the value measured for the '
        'ranking and the embedder.', -1.0, 1.0)
    pose_timeout_s: float = parameter(
        2.0, 'Age from which on the pose of the robot is not trusted, in s.', 0.1, 60.0)
    viewpoint_checked_m: float = parameter(
        0.6, 'Distance of a look from a viewpoint within which it checks that place, in m.',
        0.0, 10.0)
    viewpoint_checked_rad: float = parameter(
        0.6, 'Turn of a look from a viewpoint within which it checks that place, in rad.',
        0.0, math.pi)
