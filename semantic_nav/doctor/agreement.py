"""Check of the parameters of several nodes that must agree."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding, good

_ABOUT = 'agreement'
#: Parameters by node; a node that is not known is left out.
Parameters = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Agreement:
    """Parameters of two nodes that must agree.

    Attributes:
        node, names: one node, and its parameters, whose sum counts.
        other_node, other_name: the other node, and its parameter.
        harm: consequence of a disagreement.
        holds: test of the two values.
        relation: the test in words.
    """

    node: str
    names: tuple[str, ...]
    other_node: str
    other_name: str
    harm: str
    holds: Callable[[Any, Any], bool]
    relation: str


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal; the order of names in a list does not count."""
    if isinstance(one, str) and isinstance(other, str):
        return _parts(one) == _parts(other)
    return bool(one == other)


def _parts(text: str) -> list[str]:
    return sorted(part.strip() for part in text.split(','))


def _alike(node: str, other_node: str, name: str, harm: str) -> Agreement:
    return Agreement(node, (name,), other_node, name, harm, _same, 'must be the same as')


def _less(node: str, names: tuple[str, ...], other_node: str, other_name: str,
          harm: str) -> Agreement:
    return Agreement(node, names, other_node, other_name, harm,
                     lambda one, other: bool(one < other), 'must be less than')


AGREEMENTS = (
    _alike('memory', 'verifier', 'map_frame',
           'places are remembered in another frame than the robot drives in'),
    _alike('hypothesis', 'verifier', 'other_cameras',
           'nothing that only one of them knows as a camera can be grounded'),
    *(_alike(node, 'verifier', 'use_sim_time', 'their clocks differ, so that all is too old')
      for node in ('hypothesis', 'memory', 'belief')),
    _less('verifier', ('stand_off_last_m',), 'belief', 'stand_off_m',
          'the robot may stop where no arrival counts'),
    _less('hypothesis', ('picture_timeout_s',), 'belief', 'part_wait_s',
          'a look is given up while its picture is awaited'),
    _less('verifier', ('cancel_max_s', 'settle_max_s'), 'belief', 'stop_wait_s',
          'a mission may end before the robot is known to stand'),
)


def names_by_node() -> dict[str, tuple[str, ...]]:
    """The parameters that the check needs, by node."""
    names: dict[str, dict[str, None]] = {}
    for one in AGREEMENTS:
        names.setdefault(one.node, {}).update(dict.fromkeys(one.names))
        names.setdefault(one.other_node, {})[one.other_name] = None
    return {node: tuple(named) for node, named in names.items()}


def agreement(parameters: Parameters) -> list[Finding]:
    """Findings about parameters that disagree; none if no two nodes are known."""
    findings, count = [], 0
    for one in AGREEMENTS:
        pair = list(_values(one, parameters))
        if len(pair) < 2:
            continue
        count += 1
        value, other = pair
        if not one.holds(value, other):
            named = ' + '.join(one.names)
            findings.append(Finding(
                Level.ERROR, _ABOUT,
                f'{named} of {one.node} ({value!r}) {one.relation} {one.other_name} of '
                f'{one.other_node} ({other!r}): {one.harm}',
                f'set {named} of {one.node} or {one.other_name} of {one.other_node} in the '
                'parameter file, and start both nodes again'))
    if findings or not count:
        return findings
    return [good(_ABOUT, f'all {count} pairs of parameters of two nodes that must agree do')]


def _values(one: Agreement, parameters: Parameters) -> Iterator[Any]:
    """Yield the values to compare; none of the wrong type, which its node refuses."""
    for node, names in ((one.node, one.names), (one.other_node, (one.other_name,))):
        values = [parameters.get(node, {}).get(name) for name in names]
        if one.holds is _same:
            yield from (value for value in values if isinstance(value, str | bool))
        elif all(isinstance(value, int | float) for value in values):
            yield round(sum(values), 6)
