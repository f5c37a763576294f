"""Runs grouped by robot."""

from collections.abc import Iterable, Sequence
from dataclasses import fields

from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.bench.runs import Run


def names_of(robots: Iterable[Options]) -> dict[Options, str]:
    """A name for each robot: the options that differ between them; empty if there is only one."""
    different = dict.fromkeys(robots)
    telling = [one.name for one in fields(Options)
               if len({getattr(options, one.name) for options in different}) > 1]
    return {options: ', '.join(f'{name} {getattr(options, name)}' for name in telling)
            for options in different}


def unusual(options: Options) -> str:
    """The options in which a robot differs from the default one; empty if none."""
    return names_of([Options(), options])[options]


def under(name: str, words: object) -> str:
    """Put the name of a robot, if any, before some words."""
    return f'[{name}] {words}' if name else f'{words}'


def named_groups(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs of each robot by its name, in order of appearance."""
    names = names_of(run.options for run in runs)
    groups: dict[str, list[Run]] = {name: [] for name in names.values()}
    for run in runs:
        groups[names[run.options]].append(run)
    return groups
