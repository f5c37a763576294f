"""Places, vectors and stores for tests of what is stored."""

from dataclasses import replace

import numpy as np

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.place import Place, PlaceVector


def make_place(number: int, **changes: object) -> Place:
    place = Place(
        id=f'place-s-{number}', map_id='home', pose=Pose2D(number, -number, 0.5), kind='kitchen',
        tags=('red mug', 'Küche'), summary='kitchen with red mug, Küche', created_calendar_ns=1,
        last_seen_calendar_ns=2**60, visits=1, session='s')
    return replace(place, **changes)  # type: ignore[arg-type]


def make_vector(place_id: str, embedder: str = 'one', dimension: int = 4) -> PlaceVector:
    values = np.arange(1, dimension + 1, dtype=np.float32)
    return PlaceVector(place_id, embedder, values / np.linalg.norm(values))
