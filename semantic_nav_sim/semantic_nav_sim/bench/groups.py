"""Runs by the robot that they were carried out with."""

from collections.abc import Iterable, Sequence
from dataclasses import fields

from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.bench.runs import Run


def names_of(robots: Iterable[Options]) -> dict[Options, str]:
    """Return a name for each robot: what tells it from the others, nothing where there is one."""
    different = dict.fromkeys(robots)
    telling = [one.name for one in fields(Options)
               if len({getattr(options, one.name) for options in different}) > 1]
    return {options: ', '.join(f'{name} {getattr(options, name)}' for name in telling)
            for options in different}


def unusual(options: Options) -> str:
    """Return what tells a robot from the usual one, nothing of that."""
    return names_of([Options(), options])[options]


def under(name: str, words: object) -> str:
    """Return words with the name of a robot before them, where it has one."""
    return f'[{name}] {words}' if name else f'{words}'


def named_groups(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Return the runs of each robot by its name, in the order in which they come."""
    names = names_of(run.options for run in runs)
    groups: dict[str, list[Run]] = {name: [] for name in names.values()}
    for run in runs:
        groups[names[run.options]].append(run)
    return groups
