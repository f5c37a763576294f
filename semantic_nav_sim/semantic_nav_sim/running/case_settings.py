"""A case of the benchmark as settings of the simulator's processes and of the nodes."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from semantic_nav.bringup.processes import NavSettings
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.robot_configs import configs_of
from semantic_nav_sim.processes import SimSettings


def sim_settings(case: Case, known: Path | None, save_map_to: Path) -> SimSettings:
    """The settings of the simulator for a case.

    Args:
        case: the case.
        known: folder of a saved map; None for no map.
        save_map_to: folder for the final map.
    """
    return SimSettings(
        world=case.world, seed=case.seed, model_profile=case.model_profile, people=case.people,
        moving_doors=case.moving_doors, usual_places=case.usual_places,
        body_shape=case.body_shape,
        navigator_profile=case.navigator_profile, robot_profile=case.robot_profile, mapping=True,
        saved_map=str(known.resolve() / 'map.yaml') if known is not None else '',
        save_map_to=str(save_map_to.resolve()))


def nav_settings(case: Case) -> NavSettings:
    """The settings of the nodes. Their pictures are not kept, since no one replays them."""
    of_node = {name: told(config) for name, config in configs_of(case).items()}
    return NavSettings(common={'journal_blobs': False}, of_node={
        **of_node, 'verifier': {'map_is_live': True, **of_node['verifier']}})


def told(config: Any) -> dict[str, Any]:
    """The parameters of a configuration that differ from the defaults."""
    usual = type(config)()
    return {one.name: value for one in fields(config)
            if (value := getattr(config, one.name)) != getattr(usual, one.name)}
