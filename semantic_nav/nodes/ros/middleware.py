"""Middleware under a node, and whether this package was proved on it."""

from rclpy.utilities import get_rmw_implementation_identifier

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.diagnostics import Diagnostics

#: Middlewares on which a driving robot stood after its verifier was killed, or was stopped.
_PROVED = ('rmw_fastrtps_cpp',)


def report_middleware(diagnostics: Diagnostics) -> None:
    """Report the middleware on /diagnostics."""
    diagnostics.report('middleware', *judged(get_rmw_implementation_identifier()))


def judged(name: str) -> tuple[Level, str]:
    """Statement whether a middleware was proved."""
    if name in _PROVED:
        return Level.OK, name
    return Level.WARN, (
        f'{name} was not proved with this package (proved: {", ".join(_PROVED)}): kill the '
        'verifier once while the robot drives, and see that it stands within a second')
