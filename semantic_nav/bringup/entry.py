"""Entry points of the processes: a process asked to end while it still loads ends at once."""

import importlib

from semantic_nav.bringup.shutdown import ENDING


def run(module: str) -> int:
    """Run the `main` of a module of this project and return its exit code."""
    ENDING.heed(loading=True)
    try:
        code: int = importlib.import_module(module).main()
        return code
    finally:
        ENDING.over()


def hypothesis() -> int:
    """Run the hypothesis node."""
    return run('semantic_nav.nodes.hypothesis')


def memory() -> int:
    """Run the memory node."""
    return run('semantic_nav.nodes.memory')


def belief() -> int:
    """Run the belief node."""
    return run('semantic_nav.nodes.belief')


def verifier() -> int:
    """Run the verifier node."""
    return run('semantic_nav.nodes.verifier')


def recorder() -> int:
    """Run the recorder."""
    return run('semantic_nav.nodes.recorder')


def operator() -> int:
    """Run the operator page."""
    return run('semantic_nav.operator.node')
