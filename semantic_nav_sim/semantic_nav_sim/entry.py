"""Entry points of the simulator's processes, see `semantic_nav.bringup.entry`."""

from semantic_nav.bringup.entry import run


def sim_robot() -> int:
    """Run the simulated robot."""
    return run('semantic_nav_sim.robot_node')


def sim_mapper() -> int:
    """Run the mapper of the simulated robot."""
    return run('semantic_nav_sim.mapper_node')


def sim_navigator() -> int:
    """Run the stand-in for Nav2."""
    return run('semantic_nav_sim.navigator_node')


def sim_model_server() -> int:
    """Run the stand-in for the model server."""
    return run('semantic_nav_sim.model_server')
