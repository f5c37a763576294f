"""Generates homes: floor plan, walls, furniture, small things, light; and checks them."""

from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import Any

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world.generator.catalogue import SIMILAR_KINDS, kind_of
from semantic_nav_sim.world.generator.checks import problems
from semantic_nav_sim.world.generator.dining import furnish_dining_room
from semantic_nav_sim.world.generator.draft import Draft
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.hall import furnish_hall
from semantic_nav_sim.world.generator.kitchen import furnish_kitchen
from semantic_nav_sim.world.generator.layout import (
    FEWEST_ROOMS,
    HALL,
    MOST_ROOMS,
    Plot,
    plots,
    programme,
)
from semantic_nav_sim.world.generator.living_room import furnish_living_room
from semantic_nav_sim.world.generator.object_placement import ObjectPlacement
from semantic_nav_sim.world.generator.openings import (
    USUAL_WAYS,
    WIDE_WAYS,
    NoPlan,
    Ways,
    build_shell,
)
from semantic_nav_sim.world.generator.private_rooms import (
    furnish_bathroom,
    furnish_bedroom,
    furnish_childs_room,
    furnish_guest_room,
    furnish_study,
    furnish_utility_room,
)
from semantic_nav_sim.world.generator.style import Style
from semantic_nav_sim.world.generator.vocabulary import missing
from semantic_nav_sim.world.random_streams import stream

Json = dict[str, Any]
LAMP_AREA_M2 = 15.0
LAMP_PITCH_M = 4.0
#: Function that furnishes a room, given the kinds of all rooms. It raises NoPlan if a required
#: thing has no place.
_FURNISH: dict[str, Callable[[Furnisher, Collection[str]], None]] = {
    'living room': furnish_living_room, 'kitchen': furnish_kitchen,
    'dining room': furnish_dining_room, 'bedroom': furnish_bedroom,
    'guest room': furnish_guest_room, "child's room": furnish_childs_room, 'study': furnish_study,
    'bathroom': furnish_bathroom, 'utility room': furnish_utility_room, HALL: furnish_hall}


def generate_world(seed: int, rooms: int | None = None, *, look_alikes: Iterable[str] = (),
                   without: Iterable[str] = (), wide: bool = False) -> Json:
    """A home that follows semantic_nav_sim/schema/world.schema.json and passes its own check.

    Args:
        seed: with the options it determines the home.
        rooms: number of rooms without the hall, 3 to 8; None to draw it from the seed.
        look_alikes: things ('red mug') to which easily confused ones are added.
        without: excluded kinds ('mug') and things ('red mug').
        wide: whether doors and ways are wide enough for a robot of 0.7 m by 0.5 m.

    Raises:
        ConfigError: such a home cannot be built, or none was found that passes the check.
    """
    if seed < 0:
        raise ConfigError(f'seed {seed}: give a number from 0')
    look_alikes, without = tuple(look_alikes), tuple(without)
    _check_words(look_alikes, without)
    count = rooms if rooms is not None else int(
        stream(seed, 'rooms').integers(FEWEST_ROOMS, MOST_ROOMS + 1))
    reason = ''
    ways = WIDE_WAYS if wide else USUAL_WAYS
    for attempt in range(ways.attempts):
        rng = stream(seed, f'home, attempt {attempt}')
        try:
            document = _home(f'generated_{seed}', count, rng, look_alikes, without, ways)
        except NoPlan as error:
            reason = str(error)
            continue
        reason = next(chain(missing(document, without), problems(document, ways)), '')
        if not reason:
            return document
    raise ConfigError(f'no home was found for seed {seed} with {count} rooms in {ways.attempts} '
                      f'attempts; the last failed because {reason}')


def _check_words(look_alikes: tuple[str, ...], without: tuple[str, ...]) -> None:
    """Reject words for unknown things."""
    for words in without:
        if kind_of(words) is None:
            raise ConfigError(f'nothing is called {words!r}: nothing to leave out')
    for words in look_alikes:
        if words.partition(' ')[2] not in SIMILAR_KINDS:
            raise ConfigError(f'nothing is known to look like {words!r}: name a colour and one of '
                              f'{", ".join(sorted(SIMILAR_KINDS))}')


def _home(name: str, count: int, rng: np.random.Generator, look_alikes: tuple[str, ...],
          without: tuple[str, ...], ways: Ways) -> Json:
    """Make one home, unchecked.

    Raises:
        NoPlan: a required thing has no place.
    """
    style = Style(rng)
    plan = plots(programme(count, rng), rng)
    shell = build_shell(plan, rng, style.door, style.front_door, ways)
    draft = Draft(rng, without)
    draft.theme = style.theme
    rooms = {plot.name: Furnisher(plot, shell, draft, rng) for plot in plan}
    kinds = {plot.kind for plot in plan}
    for plot in plan:
        _FURNISH[plot.kind](rooms[plot.name], kinds)
    ObjectPlacement(draft, rooms, rng).lay_all(look_alikes)
    draft.name_all()
    document: Json = {
        'name': name,
        'wall_height_m': 2.6, 'wall_thickness_m': 0.12,
        'rooms': [_room(plot, style) for plot in plan],
        'walls': shell.walls(),
        'materials': style.materials,
        'furniture': draft.furniture, 'objects': draft.objects, 'placements': draft.placements,
        'lights': [lamp for plot in plan for lamp in _lamps(plot)],
        'sun': style.sun,
        'start_poses': _start_poses(rooms, rng),
    }
    return document


def _room(plot: Plot, style: Style) -> Json:
    walls, floor = style.surfaces(plot.kind)
    return {'name': plot.name, 'kind': plot.kind,
            'rectangle_m': [*plot.floor.low, *plot.floor.high], 'walls': walls, 'floor': floor}


def _lamps(plot: Plot) -> list[Json]:
    """The ceiling lamps of a room: several along a long hall."""
    wide, deep = plot.floor.size
    count = max(1, round(max(wide, deep) / LAMP_PITCH_M)) if plot.kind == HALL else 1
    lamps = []
    for k in range(count):
        share = (k + 0.5) / count
        x = plot.floor.low[0] + wide * (share if wide > deep else 0.5)
        y = plot.floor.low[1] + deep * (0.5 if wide > deep else share)
        power = 0.35 + 0.85 * plot.floor.area / LAMP_AREA_M2 / count
        lamps.append({'at_m': [round(x, 2), round(y, 2)], 'power': round(min(power, 2.2), 2)})
    return lamps


def _start_poses(rooms: dict[str, Furnisher], rng: np.random.Generator) -> list[Json]:
    """A start pose in each hall, at its roomiest point: the robot's dock.

    Raises:
        NoPlan: there is none.
    """
    poses = []
    for room in rooms.values():
        if room.plot.kind != HALL:
            continue
        (x, y), gap = room.occupancy.roomiest()
        if gap >= 0.4:
            poses.append({'at_m': [round(x, 3), round(y, 3)],
                          'yaw_deg': round(room.occupancy.widest_view((x, y), rng), 1)})
    if not poses:
        raise NoPlan('nowhere to start from')
    return poses
