"""Reader of the zones file of a map, in YAML, with the faults that it may have."""

import math
from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Any

import yaml

from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav.contracts.polygon import Corners, is_simple
from semantic_nav.contracts.schemas import Json, check
from semantic_nav.verify.zones import SpeedLimit, Zone, ZoneKind, Zones


class ZonesFault(Enum):
    """Faults of a zones file."""

    MISSING = auto()
    NOT_YAML = auto()
    SCHEMA = auto()
    WRONG_FRAME = auto()
    FEW_CORNERS = auto()
    NOT_FINITE = auto()
    CROSSES_ITSELF = auto()
    #: Limits in m/s and in percent cannot be compared.
    MIXED_LIMITS = auto()


class ZonesError(ConfigError):
    """A zones file that cannot be used.

    Attributes:
        fault: the fault of the file.
    """

    def __init__(self, path: Path, fault: ZonesFault, words: str) -> None:
        """Name the file and its fault."""
        super().__init__(f'zones_file {path}: {words}')
        self.fault = fault


def load_zones(path: Path, map_frame: str) -> Zones:
    """The zones of a file.

    Args:
        path: a YAML file that follows schema/zones.schema.json.
        map_frame: the frame in which the corners must be given.

    Raises:
        ZonesError: the file cannot be used.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise ZonesError(path, ZonesFault.MISSING, f'it cannot be read: {error}') from error
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise ZonesError(path, ZonesFault.NOT_YAML, f'it is no YAML: {error}') from error
    for words, corners in _polygons(document):
        _check_corners(path, words, corners)
    try:
        check('zones', document)
    except ContractError as error:
        raise ZonesError(path, ZonesFault.SCHEMA, str(error)) from error
    if document['frame_id'] != map_frame:
        raise ZonesError(path, ZonesFault.WRONG_FRAME, f'its frame_id is '
                         f'{document["frame_id"]!r}, and map_frame is {map_frame!r}')
    zones = Zones(tuple(_zone(entry) for entry in document['zones']))
    for zone in zones.zones:
        if not is_simple(zone.corners):
            raise ZonesError(path, ZonesFault.CROSSES_ITSELF,
                             f'the polygon of {zone.words} crosses or touches itself')
    if len({zone.limit.percentage for zone in zones.zones if zone.limit is not None}) > 1:
        raise ZonesError(path, ZonesFault.MIXED_LIMITS, 'some speed zones have max_speed_mps and '
                         'some max_speed_percent; use one of them in all')
    return zones


def _polygons(document: Any) -> Sequence[tuple[str, list[Any]]]:
    """Each polygon of an unchecked document, with the words for its zone."""
    entries = document.get('zones') if isinstance(document, dict) else None
    return [(f'zone {number}, {entry.get("names")!r}', entry['polygon'])
            for number, entry in enumerate(entries if isinstance(entries, list) else (), start=1)
            if isinstance(entry, dict) and isinstance(entry.get('polygon'), list)]


def _check_corners(path: Path, words: str, corners: list[Any]) -> None:
    if len(corners) < 3:
        raise ZonesError(path, ZonesFault.FEW_CORNERS,
                         f'the polygon of {words} has {len(corners)} corners, and needs three')
    for corner in corners:
        for value in corner if isinstance(corner, list) else ():
            if isinstance(value, float) and not math.isfinite(value):
                raise ZonesError(path, ZonesFault.NOT_FINITE,
                                 f'a corner of {words} is not finite: {corner}')


def _zone(entry: Json) -> Zone:
    corners: Corners = tuple((float(x), float(y)) for x, y in entry['polygon'])
    kind, limit = ZoneKind(entry['kind']), None
    if kind is ZoneKind.SPEED:
        percentage = 'max_speed_percent' in entry
        limit = SpeedLimit(float(
            entry['max_speed_percent' if percentage else 'max_speed_mps']), percentage)
    return Zone(tuple(entry['names']), kind, corners, limit)
