"""Check of this shell's middleware, and of that of the nodes it hears."""

from collections.abc import Iterable

from rclpy.utilities import get_rmw_implementation_identifier

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.advice import OF_ANY
from semantic_nav.doctor.finding import Finding, good
from semantic_nav.nodes.ros.middleware import judged


def middleware(said: Iterable[str], own: str = '') -> Finding:
    """The finding about the middleware.

    Args:
        said: each heard node's report of its own, which begins with the name.
        own: name of this shell's; empty for the one in use.
    """
    own = own or get_rmw_implementation_identifier()
    others = sorted({words.split()[0] for words in said if words} - {own})
    if others:
        return Finding(Level.WARN, 'middleware', f'nodes run on {", ".join(others)}, and this '
                       f'shell on {own}: they may not hear each other',
                       f'export RMW_IMPLEMENTATION={others[0]}, everywhere the same')
    level, words = judged(own)
    return good('middleware', words) if level is Level.OK else (
        Finding(level, 'middleware', words, OF_ANY['middleware']))
