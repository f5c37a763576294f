"""Builds a world from a document, after checks against its schema and for consistency."""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.schemas import check
from semantic_nav_sim.world.description import (
    Block,
    Item,
    Lamp,
    Leaf,
    Opening,
    Point2,
    Room,
    Spot,
    Sun,
    Wall,
    WorldDescription,
)

Json = dict[str, Any]
DOOR_HEIGHT_M = (0.0, 2.05)
WINDOW_HEIGHT_M = (0.9, 2.2)


def world_from(document: Json) -> WorldDescription:
    """Build a world from a document of semantic_nav_sim/schema/world.schema.json.

    Raises:
        ConfigError: it breaks the schema or is inconsistent.
    """
    try:
        check('world', document)
    except ContractError as error:
        raise ConfigError(str(error)) from error
    items = tuple(_item(entry, movable=False) for entry in document['furniture'])
    items += tuple(_item(entry, movable=True) for entry in document['objects'])
    world = WorldDescription(
        name=document['name'],
        wall_height=float(document.get('wall_height_m', 2.6)),
        wall_thickness=float(document.get('wall_thickness_m', 0.12)),
        rooms=tuple(_room(entry) for entry in document['rooms']),
        walls=tuple(_wall(entry) for entry in document['walls']),
        blocks=tuple(_block(entry) for entry in document.get('blocks', ())),
        items=items,
        placements={entry['object']: tuple(_spot(spot) for spot in entry['alternatives'])
                    for entry in document['placements']},
        lamps=tuple(_lamp(entry, float(document.get('wall_height_m', 2.6)))
                    for entry in document['lights']),
        sun=Sun(math.radians(document['sun']['azimuth_deg']),
                math.radians(document['sun']['elevation_deg']),
                float(document['sun']['power'])),
        materials=document.get('materials', {}),
        start_poses=tuple(Pose2D(*_point(entry['at_m']), math.radians(entry['yaw_deg']))
                          for entry in document['start_poses']),
        digest=hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest(),
    )
    _check_sense(world)
    return world


def _point(values: Sequence[float]) -> Point2:
    return float(values[0]), float(values[1])


def _room(entry: Json) -> Room:
    x0, y0, x1, y1 = entry['rectangle_m']
    return Room(entry['name'], entry['kind'], (float(x0), float(y0)), (float(x1), float(y1)),
                entry['walls'], entry['floor'], entry.get('ceiling', 'ceiling_white'))


def _wall(entry: Json) -> Wall:
    openings = sorted((_opening(o) for o in entry.get('openings', ())), key=lambda o: o.span)
    return Wall(entry['axis'], float(entry['at_m']), _point(entry['span_m']), tuple(openings))


def _block(entry: Json) -> Block:
    x0, y0, x1, y1 = entry['rectangle_m']
    return Block((float(x0), float(y0)), (float(x1), float(y1)), float(entry['height_m']))


def _opening(entry: Json) -> Opening:
    usual = WINDOW_HEIGHT_M if entry['kind'] == 'window' else DOOR_HEIGHT_M
    leaf = None
    if entry['kind'] == 'door':
        leaf = Leaf(entry['id'], entry['hinge'], math.radians(entry['leaf_yaw_deg']),
                    entry.get('colour', 'brown'), entry.get('material', 'door_wood'))
    return Opening(entry['kind'], _point(entry['span_m']), _point(entry.get('height_m', usual)),
                   leaf)


def _spot(entry: Json) -> Spot:
    return Spot(entry['support'], _point(entry.get('offset_m', (0, 0))),
                math.radians(entry.get('yaw_deg', 0)), entry.get('surface', 'top'))


def _item(entry: Json, *, movable: bool) -> Item:
    at = entry.get('at_m')
    size = entry.get('size_m')
    return Item(
        id=entry['id'], kind=entry['kind'], name=entry['name'], colour=entry['colour'],
        recipe=str(entry.get('recipe') or entry['kind']),
        at=None if at is None else (float(at[0]), float(at[1]), float(entry.get('z_m', 0))),
        yaw_rad=math.radians(entry.get('yaw_deg', 0)),
        size=None if size is None else (float(size[0]), float(size[1]), float(size[2])),
        material=entry.get('material'), trim=entry.get('trim'), face=entry.get('face'),
        spot=_spot(entry) if 'support' in entry else None, movable=movable)


def _lamp(entry: Json, wall_height: float) -> Lamp:
    x, y = _point(entry['at_m'])
    return Lamp((x, y, wall_height - 0.25), float(entry.get('power', 1)))


def _check_sense(world: WorldDescription) -> None:
    """Reject errors that the schema cannot express."""
    _unique('room', (room.name for room in world.rooms))
    leaves = [o.leaf.id for wall in world.walls for o in wall.openings if o.leaf is not None]
    _unique('id', [*leaves, *(item.id for item in world.items)])
    for room in world.rooms:
        if room.low[0] >= room.high[0] or room.low[1] >= room.high[1]:
            raise ConfigError(f'room {room.name!r}: rectangle_m must be x0 < x1, y0 < y1')
    for wall in world.walls:
        _check_wall(wall, world.wall_height)
    for block in world.blocks:
        if block.low[0] >= block.high[0] or block.low[1] >= block.high[1]:
            raise ConfigError(f'block at {block.low}: rectangle_m must be x0 < x1, y0 < y1')
    fixed = {item.id for item in world.items if not item.movable}
    placed = set(world.placements)
    for item in world.items:
        if (item.at is not None) + (item.spot is not None) + (item.id in placed) != 1:
            raise ConfigError(f'{item.id}: give exactly one of at_m, support, or placements')
        if not item.movable and item.id in placed:
            raise ConfigError(f'{item.id}: only objects, not furniture, can be placed by seed')
        spots = (item.spot,) if item.spot else world.placements.get(item.id, ())
        for spot in spots:
            if spot.support not in fixed:
                raise ConfigError(f'{item.id}: stands on {spot.support!r}, which is no furniture')
    for unknown in placed - {item.id for item in world.items}:
        raise ConfigError(f'placements: no object {unknown!r}')
    for pose in world.start_poses:
        if world.room_at(pose.x, pose.y) is None:
            raise ConfigError(f'start pose ({pose.x}, {pose.y}) lies in no room')


def _check_wall(wall: Wall, wall_height: float) -> None:
    where = f'wall along {wall.axis} at {wall.at} m'
    end = wall.span[0]
    for opening in wall.openings:
        if opening.span[0] < end or opening.span[1] <= opening.span[0]:
            raise ConfigError(f'{where}: openings overlap or leave the wall at '
                              f'{opening.span[0]} m')
        low, high = opening.height
        if not 0 <= low < high <= wall_height:
            raise ConfigError(f'{where}: opening from {low} to {high} m does not fit its height')
        end = opening.span[1]
    if end > wall.span[1]:
        raise ConfigError(f'{where}: an opening ends at {end} m, beyond the wall')


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ConfigError(f'{what} {name!r} stands twice')
        seen.add(name)
