"""Check of a ROS parameter file for names that none of our nodes takes, and for agreement."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.names import meant, nearest
from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.advice import OF_ANY
from semantic_nav.doctor.finding import Finding, good

Values = dict[str, Any]
_PARAMETERS, _ALL, _ABOUT = 'ros__parameters', '**', 'parameters'
#: Parameters of every ROS node.
_OF_ROS = ('use_sim_time', 'start_type_description_service')
_QOS = 'qos_overrides.'


def read(file: Path) -> dict[str, Values]:
    """The parameters of each node in a file, by the node's name with its namespace.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        document = yaml.safe_load(file.read_text(encoding='utf-8'))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f'{file}: {error}') from error
    return dict(_sections(document, ''))


def of_node(sections: Mapping[str, Values], node: str, namespace: str) -> Values:
    """The parameters of a node of a namespace; a more specific section overrides others."""
    values: Values = {}
    for name in (f'/{_ALL}', f'/{_ALL}/{node}', node,
                 f'/{namespace}/{node}'.replace('//', '/')):
        values |= sections.get(name, {})
    return values


def unknown(sections: Mapping[str, Values], known: Mapping[str, set[str]] | None = None,
            ) -> list[Finding]:
    """Findings of unknown names: of parameters, and of nodes that resemble ours.

    Args:
        sections: as from `read`.
        known: parameters by node; None for those of config/semantic_nav.yaml, which has all.
    """
    known = _known() if known is None else known
    findings, count = [], 0
    for section, values in sections.items():
        node = section.rpartition('/')[2]
        alike = nearest(node, known)
        if node in known or node == _ALL:
            names = list(_flat(values))
            count += len(names)
            findings += [_bad(f'{section}: {name}{why}') for name in names
                         if (why := _why_not(name, node, known))]
        elif alike:
            findings.append(_bad(f'{section}: no node of ours has that name; is {alike!r} meant?'))
    return findings or [good(_ABOUT, f'{count} of our nodes stand in the file, all known')]


def together(sections: Mapping[str, Values], namespace: str) -> dict[str, Values]:
    """The parameters that each of our nodes of a namespace would have with a file."""
    usual = _usual()
    return {node: of_node(usual, node, namespace) | of_node(sections, node, namespace)
            for node in _known()}


def _sections(document: object, path: str) -> Iterator[tuple[str, Values]]:
    """Yield the sections of nodes, which may be nested in those of namespaces."""
    for key, part in document.items() if isinstance(document, dict) else ():
        name = f'{path}/{key}' if path else str(key)
        given = part.get(_PARAMETERS) if isinstance(part, dict) else None
        if isinstance(given, dict):
            yield name, given
        else:
            yield from _sections(part, name)


def _flat(values: Values, path: str = '') -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f'{path}{name}.')
        else:
            yield f'{path}{name}'


def _usual() -> dict[str, Values]:
    return read(share_path('config', 'semantic_nav.yaml'))


def _known() -> dict[str, set[str]]:
    return {section.rpartition('/')[2]: set(values) for section, values in _usual().items()}


def _why_not(name: str, node: str, known: Mapping[str, set[str]]) -> str:
    """The reason why a parameter has no effect; empty if it has one."""
    whose = [one for one, names in known.items() if name in names]
    if name in _OF_ROS or name.startswith(_QOS) or node in whose or (node == _ALL and whose):
        return ''
    if whose:
        return f' is a parameter of {" and ".join(whose)}'
    names = set().union(*known.values()) if node == _ALL else known[node]
    return f' is no parameter{"" if node == _ALL else " of it"}{meant(name, sorted(names))}'


def _bad(words: str) -> Finding:
    return Finding(Level.WARN, _ABOUT, words, OF_ANY[_ABOUT])
