"""A file of zones is read, or it is said what is wrong with it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.share import share_path
from semantic_nav.nodes.zones_file import ZonesError, ZonesFault, load_zones
from semantic_nav.verify.zones import SpeedLimit, ZoneKind

SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2]]


def zone(**fields: Any) -> dict[str, Any]:
    return {'names': ['nursery'], 'kind': 'keep_out', 'polygon': SQUARE, **fields}


def written(folder: Path, *zones: Any, frame: str = 'map') -> Path:
    path = folder / 'zones.yaml'
    path.write_text(yaml.safe_dump({'frame_id': frame, 'zones': list(zones)}), encoding='utf-8')
    return path


def fault_of(path: Path) -> ZonesFault:
    with pytest.raises(ZonesError) as raised:
        load_zones(path, 'map')
    assert str(path) in str(raised.value) and isinstance(raised.value, ConfigError)
    return raised.value.fault


def test_example_is_read() -> None:
    zones = load_zones(share_path('config', 'zones.yaml'), 'map').zones
    assert [one.kind for one in zones] == [ZoneKind.KEEP_OUT, ZoneKind.KEEP_IN, ZoneKind.SPEED]
    assert zones[0].words == "the zone 'nursery' / 'children's room'"
    assert zones[0].corners[0] == (4.0, 1.0)
    assert [one.limit for one in zones] == [None, None, SpeedLimit(0.2)]


def test_limit_may_be_in_percent(tmp_path: Path) -> None:
    (one,) = load_zones(written(tmp_path, zone(kind='speed', max_speed_percent=30)), 'map').zones
    assert one.limit == SpeedLimit(30.0, percentage=True)


def test_file_without_zones_closes_nothing(tmp_path: Path) -> None:
    assert load_zones(written(tmp_path), 'map').closed == ()


@pytest.mark.parametrize(('zones', 'fault'), [
    ([zone(polygon=SQUARE[:2])], ZonesFault.FEW_CORNERS),
    ([zone(polygon=[])], ZonesFault.FEW_CORNERS),
    ([zone(polygon=[[0, 0], [float('nan'), 0], [1, 1]])], ZonesFault.NOT_FINITE),
    ([zone(polygon=[[0, 0], [float('inf'), 0], [1, 1]])], ZonesFault.NOT_FINITE),
    ([zone(polygon=[[0, 0], [2, 2], [2, 0], [0, 2]])], ZonesFault.CROSSES_ITSELF),
    ([zone(polygon=[[0, 0], [2, 0], [1, 0]])], ZonesFault.CROSSES_ITSELF),
    ([zone(polygon=[*SQUARE, SQUARE[0]])], ZonesFault.CROSSES_ITSELF),
    # Two rooms that hang together at a corner.
    ([zone(polygon=[[0, 0], [1, 1], [2, 0], [2, 2], [1, 1], [0, 2]])], ZonesFault.CROSSES_ITSELF),
    ([zone(polygon=[[0, 0], [1e9, 0], [1, 1]])], ZonesFault.SCHEMA),
    ([zone(polygon=[[0, 0, 0], [1, 0, 0], [1, 1, 0]])], ZonesFault.SCHEMA),
    ([zone(polygon='square')], ZonesFault.SCHEMA),
    ([zone(names=[])], ZonesFault.SCHEMA),
    ([zone(kind='slow')], ZonesFault.SCHEMA),
    ([zone(kind='speed')], ZonesFault.SCHEMA),
    ([zone(kind='speed', max_speed_mps=0)], ZonesFault.SCHEMA),
    ([zone(kind='speed', max_speed_mps=1, max_speed_percent=10)], ZonesFault.SCHEMA),
    ([zone(max_speed_mps=0.5)], ZonesFault.SCHEMA),
    (['nursery'], ZonesFault.SCHEMA),
    ([zone(kind='speed', max_speed_mps=1), zone(kind='speed', max_speed_percent=10)],
     ZonesFault.MIXED_LIMITS),
])
def test_what_is_wrong_is_named(zones: list[Any], fault: ZonesFault, tmp_path: Path) -> None:
    assert fault_of(written(tmp_path, *zones)) is fault


def test_frame_must_be_that_of_the_map(tmp_path: Path) -> None:
    assert fault_of(written(tmp_path, zone(), frame='odom')) is ZonesFault.WRONG_FRAME


def test_file_must_be_there_and_be_yaml(tmp_path: Path) -> None:
    assert fault_of(tmp_path / 'none.yaml') is ZonesFault.MISSING
    assert fault_of(tmp_path) is ZonesFault.MISSING
    path = tmp_path / 'zones.yaml'
    for content in (b'a: [', b'\xff\xfe\x00'):
        path.write_bytes(content)
        assert fault_of(path) is ZonesFault.NOT_YAML
    for content in (b'', b'[]', b'zones', b'zones: {}'):
        path.write_bytes(content)
        assert fault_of(path) is ZonesFault.SCHEMA


def test_message_names_zone_and_fault(tmp_path: Path) -> None:
    path = written(tmp_path, zone(polygon=SQUARE[:2]))
    with pytest.raises(ZonesError) as raised:
        load_zones(path, 'map')
    assert str(raised.value) == (f"zones_file {path}: the polygon of zone 1, ['nursery'] has 2 "
                                 'corners, and needs three')
