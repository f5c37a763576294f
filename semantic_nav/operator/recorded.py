"""A journal as a history: the nodes' outputs and pictures in the order of the clock."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semantic_nav.contracts.blobs import Blobs
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.codec import document_from_plain
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import lines_of
from semantic_nav.operator.heard import (
    Item,
    MapShown,
    PictureShown,
    PlacesShown,
    ShownPlace,
    Statement,
)
from semantic_nav.operator.history import History

Json = dict[str, Any]


def history_of(journal: Path, blobs: Blobs) -> History:
    """The history of a journal.

    Args:
        journal: of all nodes, merged, or a folder with those of the nodes.
        blobs: store of pictures and maps, if they were kept.

    Raises:
        ContractError: it cannot be read, or holds nothing that can be shown.
    """
    history = History()
    places: dict[str, ShownPlace] = {}
    first_ns: int | None = None
    for line in lines_of(journal):
        if 'event' not in line:
            continue
        steady_ns = line['now']['steady_ns']
        first_ns = steady_ns if first_ns is None else first_ns
        for item in _items(line, blobs, places):
            history.add((steady_ns - first_ns) / NS_PER_S, item)
    if not history.heard:
        raise ContractError(f'{journal} tells of nothing that can be shown')
    return history


def _items(line: Json, blobs: Blobs, places: dict[str, ShownPlace]) -> Iterator[Item]:
    node, event = line['node'], line['event']
    match event['type']:
        case 'PictureTaken':
            for look in line['outputs']:
                if look.get('schema') == 'look':
                    yield PictureShown(look['id'], lambda: _jpeg(event, blobs))
        case 'MapReceived':
            yield MapShown(str(event['grid']['cells']['blob'])[:16], lambda: _grid(event, blobs))
    for output in line['outputs']:
        match output['type']:
            case 'Document':
                yield document_from_plain(output)
            case 'Report':
                figures = output.get('figures', ())
                yield Statement(node, output['subject'], Level(output['level']), output['text'],
                                tuple((name, str(value)) for name, value in figures))
            case 'ShowPlaces':
                places |= {one['id']: _place(one) for one in output['places']}
                yield PlacesShown(tuple(places.values()))
            case 'HidePlace':
                places.pop(output['place_id'], None)
                yield PlacesShown(tuple(places.values()))


def _place(place: Json) -> ShownPlace:
    # Journals of an older memory have no names.
    name = place.get('name', '')
    return ShownPlace(place['pose']['x'], place['pose']['y'],
                      f'{name or place["kind"] or "place"} ({place["visits"]})', place['id'], name)


def _jpeg(event: Json, blobs: Blobs) -> bytes:
    jpeg: bytes = PARTS['hypothesis'].codec(blobs).decode(event).jpeg
    return jpeg


def _grid(event: Json, blobs: Blobs) -> OccupancyGrid:
    grid: OccupancyGrid = PARTS['verifier'].codec(blobs).decode(event).grid
    return grid
