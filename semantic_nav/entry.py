"""Entry points of the processes: one that is asked to end while it still loads ends at once."""

import importlib

from semantic_nav.ending import ENDING


def _run(module: str) -> int:
    ENDING.heed(loading=True)
    try:
        code: int = importlib.import_module(f'semantic_nav.{module}').main()
        return code
    finally:
        ENDING.over()


def hypothesis() -> int:
    """Run the hypothesis node."""
    return _run('nodes.hypothesis')


def memory() -> int:
    """Run the memory node."""
    return _run('nodes.memory')


def belief() -> int:
    """Run the belief node."""
    return _run('nodes.belief')


def verifier() -> int:
    """Run the verifier node."""
    return _run('nodes.verifier')


def recorder() -> int:
    """Run the recorder."""
    return _run('nodes.recorder')


def operator() -> int:
    """Run the operator page."""
    return _run('operator.node')


def sim_robot() -> int:
    """Run the simulated robot."""
    return _run('sim.robot_node')


def sim_mapper() -> int:
    """Run the mapper of the simulated robot."""
    return _run('sim.mapper_node')


def sim_navigator() -> int:
    """Run the stand-in for Nav2."""
    return _run('sim.navigator_node')


def sim_model_server() -> int:
    """Run the stand-in for the model server."""
    return _run('sim.model_server')
