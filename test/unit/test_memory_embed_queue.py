"""The places that wait for their vector, the newest first, each once."""

import numpy as np
from stored_places import make_place

from semantic_nav.contracts.ids import Ids
from semantic_nav.memory.embed_queue import EmbedQueue


def test_place_that_changes_while_it_waits_is_asked_for_once() -> None:
    queue = EmbedQueue(Ids('embed', 's'))
    places = {f'place-s-{number}': make_place(number, kind=f'room {number}', tags=())
              for number in range(1, 10)}
    for number in (9, *range(1, 9), 9):
        queue.put_first(f'place-s-{number}')
    asked = queue.next_request(places.get)
    assert asked is not None
    assert asked.texts[:2] == ('room 9', 'room 8')
    found = queue.take('one', np.eye(len(asked.texts), dtype=np.float32), places.get)
    assert [place.id for place, _ in found] == [f'place-s-{n}' for n in (9, 8, 7, 6, 5, 4, 3, 2)]
    last = queue.next_request(places.get)
    assert last is not None and last.texts == ('room 1',)
