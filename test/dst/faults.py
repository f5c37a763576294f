"""What each kind of fault does to a trial, when it begins and when it is over."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from plan import DRAWS, NODES, Fault

from semantic_nav.belief.events import AnswerReceived, ResumeRequested
from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.grid import LETHAL, OccupancyGrid
from semantic_nav.memory.events import SaveFailed, SavePlace
from semantic_nav.verify.events import ChargeHeard, HoldHeard, MapReceived, UncertaintyHeard
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.profiles import load_profile

_POINTS = 9
#: What others say of the robot while a condition lets it stand, and when it does no more.
CONDITIONS = {'pause': (HoldHeard(True), HoldHeard(False)),
              'battery': (ChargeHeard(0.05), ChargeHeard(0.9)),
              'localisation': (UncertaintyHeard(2.0, 0.1), UncertaintyHeard(0.1, 0.1))}
#: Every fault that begins or ends takes profiles; each is read once.
profile = cache(load_profile)


def begin(trial: Any, fault: Fault) -> None:
    """Let a fault strike; what lasts is over after its time."""
    match fault.kind:
        case 'cancel':
            trial.cancel()
        case 'pause':
            trial.pause()
        case 'resume':
            trial.shells['belief'].feed(ResumeRequested())
        case 'goal':
            trial.say_goal(fault.what)
        case 'errand':
            trial.send_on(fault.what)
        case 'answer':
            trial.shells['belief'].feed(AnswerReceived(fault.what))
        case 'other_client':
            trial.others.send(fault)
            trial.scheduler.after(fault.for_s, lambda: trial.others.take_back(fault))
        case 'clock':
            trial.scheduler.clock_ahead_ns += nanoseconds(fault.size)
            trial.disturbed()
        case kind if kind not in DRAWS:
            raise ValueError(f'no such fault: {kind!r}')
        case _:
            trial.active = [*trial.active, fault]
            apply(trial)
            if fault.kind == 'map':
                change_map(trial, fault)
            trial.scheduler.after(fault.for_s, lambda: end(trial, fault))


def end(trial: Any, fault: Fault) -> None:
    """Let a fault be over."""
    if fault not in trial.active:
        return
    trial.active = [one for one in trial.active if one is not fault]
    apply(trial)
    if fault.kind == 'partition':
        writer, _, reader = fault.what.partition('>')
        trial.network.meet(reader, writer)
    if fault.kind == 'map':
        restore_map(trial)


def heal(trial: Any) -> None:
    """Let all be well from now on, but for the clock, which is what it is."""
    for fault in trial.active:
        end(trial, fault)


def apply(trial: Any) -> None:
    """Make everything as wrong as the faults of now say."""
    def struck(kind: str) -> list[Fault]:
        return [one for one in trial.active if one.kind == kind]

    trial.disturbed()
    network = trial.network
    network.late_s = {one.what: one.size for one in sorted(struck('delay'),
                                                           key=lambda one: one.size)}
    network.cut = {one.what for one in struck('partition')}
    camera = bool(struck('camera'))
    trial.camera.link.silent = camera
    trial.robot.scans.silent = bool(struck('scan'))
    trial.robot.depths.silent = camera or bool(struck('depth'))
    jumps = struck('jump')
    trial.bent.jump_m = (jumps[-1].size, -jumps[-1].size / 2) if jumps else (0.0, 0.0)
    _nav2(trial, struck)
    models = struck('model')
    trial.model.become(profile(ModelProfile, models[-1].what if models else (
        trial.plan.model)))
    _nodes(trial, struck)
    for what in CONDITIONS:
        trial.say_condition(what, bad=any(one.what == what for one in struck('condition')))
    full = {one.what for one in struck('disk')}
    for name, shell in trial.shells.items():
        shell.disk.full = name in full


def _nav2(trial: Any, struck: Any) -> None:
    weather = trial.weather
    weather.late_s = max((one.size for one in struck('late_nav2')), default=0.0)
    gone = bool(struck('bt_navigator'))
    if gone and not weather.gone:
        trial.navigator.servers.lose_navigator()
        weather.gone = True
        trial._link.lose()
    weather.gone = gone
    paused = bool(struck('pause_nav2'))
    if paused is not trial.navigator.servers.paused:
        trial.navigator.pause(paused)
    worst = struck('navigator')
    trial.navigator.become(profile(NavigatorProfile, worst[-1].what if worst else 'none'))


def _nodes(trial: Any, struck: Any) -> None:
    down = {one.what: one for one in struck('crash')}
    held = {one.what for one in struck('hang')}
    for name in NODES:
        shell = trial.shells[name]
        if name in down and shell.running:
            trial.kill(name, down[name].size)
        elif name not in down and not shell.running:
            trial.start(name)
            apply(trial)
        if name in held and not shell.held and shell.running:
            trial.hold(name)
        elif name not in held and shell.held:
            trial.let_go(name)


def change_map(trial: Any, fault: Fault) -> None:
    """Publish another map: with a wall, smaller, or the same once more."""
    grid: OccupancyGrid = trial.robot.map
    cells = grid.cells.copy()
    height, width = cells.shape
    if fault.what == 'walled':
        column = int(width * min(0.9, fault.size / 2.0))
        cells[:, column:column + 3] = LETHAL
    elif fault.what == 'cut':
        cells[:, int(width * 0.6):] = -1
    if not hasattr(trial, 'whole_map'):
        trial.whole_map = grid
    _publish(trial, replace(grid, cells=cells, stamp_ns=trial.clock_ns))


def restore_map(trial: Any) -> None:
    """Publish the map as it was."""
    _publish(trial, replace(trial.whole_map, stamp_ns=trial.clock_ns))


def _publish(trial: Any, grid: OccupancyGrid) -> None:
    trial.robot.map = grid
    trial.robot.costmap.set_map(grid)
    trial.shells['verifier'].feed(MapReceived(grid))


def no_room(effect: SavePlace) -> SaveFailed:
    """Return what a store on a full disk says."""
    return SaveFailed(effect.place.id, effect.edge, 'database or disk is full')


def outline_of(objects: Any, goal: str) -> list[tuple[float, float]]:
    """Return points on the floor below the one object that a goal names by its longest name.

    Where it names none, a word of the operator's answer, which follows in brackets, may do.
    """
    words = f' {goal.lower()} '
    answer = words.partition('(')[2].replace(')', ' ').split()
    named = [one for one in objects if f' {one.name.lower()} ' in words] or [
        one for one in objects if any(word in answer for word in one.name.lower().split())]
    if not named:
        return []
    longest = max(len(one.name) for one in named)
    steps = np.linspace(-0.5, 0.5, _POINTS)
    points = []
    for one in named:
        if len(one.name) == longest:
            c, s = math.cos(one.yaw), math.sin(one.yaw)
            depth, width, _ = one.size
            points += [(one.position[0] + c * a * depth - s * b * width,
                        one.position[1] + s * a * depth + c * b * width)
                       for a in steps for b in steps]
    return points
