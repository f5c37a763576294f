"""Reports of the memory's health."""

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.memory.events import Started
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.saver import Saver, StoreState


def store_report(url: str, saver: Saver) -> Report:
    """State of the store of this URL, its unusable rows, and its number of unwritten places."""
    match saver.state:
        case StoreState.LOADING:
            return Report('store', Level.WARN, f'opening {url}')
        case StoreState.READY if saver.left_out and not saver.reason:
            return Report('store', Level.WARN,
                          f'open: {url}; rows left out: {saver.left_out_reason}',
                          (('left_out', saver.left_out),))
        case StoreState.READY if not saver.reason:
            return Report('store', Level.OK, f'open: {url}')
        case _:
            return Report('store', Level.ERROR, saver.reason, (('unsaved', saver.unsaved),))


def embedder_report(started: Started) -> Report:
    """The embedder in use, and the reason if it is not the requested one."""
    if started.embedder_doubt:
        return Report('embedder', Level.WARN,
                      f'{started.embedder} instead: {started.embedder_doubt}')
    return Report('embedder', Level.OK, started.embedder)


def places_report(graph: PlaceGraph, checked: int, untrusted_looks: int) -> Report:
    """The number of remembered places.

    Args:
        graph: the places.
        checked: places that this goal's looks have disproved.
        untrusted_looks: looks that were dropped because the robot's pose was not trusted.
    """
    places = len(graph.index)
    return Report('places', Level.OK, 'remembered' if places else 'none yet', (
        ('places', places), ('edges', len(graph.edges)),
        ('unembedded', places - graph.index.vectors_total), ('checked', checked),
        ('untrusted_looks', untrusted_looks)))
