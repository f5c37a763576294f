"""Common parts of the launch files for other simulators; needs launch and launch_ros."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch import Action
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from semantic_nav.contracts.share import share_path

#: Arguments that are passed on to nav.launch.py, each with its default here.
HANDED_ON = {'vlm_backend': '', 'model': '', 'base_url': '', 'memory_db': '', 'map_id': '',
             'log_level': 'info', 'rviz': 'false', 'record': 'false', 'operator': 'false',
             'start_ollama': 'false'}


def handed_on() -> list[DeclareLaunchArgument]:
    """The arguments that are passed on."""
    return [DeclareLaunchArgument(
        name, default_value=default, description=f'As {name} of nav.launch.py.',
        choices=['true', 'false'] if default == 'false' else None)
            for name, default in HANDED_ON.items()]


def need(packages: Iterable[str]) -> None:
    """Check that external packages are installed.

    Raises:
        RuntimeError: one is missing; the message tells how to install it.
    """
    missing = []
    for package in packages:
        try:
            get_package_prefix(package)
        except PackageNotFoundError:
            missing.append(package)
    if missing:
        debian = ' '.join(f'ros-jazzy-{package.replace("_", "-")}' for package in missing)
        raise RuntimeError(f'not installed: {", ".join(missing)}; sudo apt install {debian}')


def with_nav2_values(path: Path, values: Mapping[str, Mapping[str, Any]], out: Path) -> Path:
    """Write a copy of a parameter file of Nav2 with some changed values.

    Args:
        path: the file.
        values: by node name, then by parameter name.
        out: path of the copy.

    Returns:
        out.
    """
    document = yaml.safe_load(path.read_text(encoding='utf-8'))
    for node, changed in values.items():
        document.setdefault(node, {}).setdefault('ros__parameters', {}).update(changed)
    out.write_text(yaml.safe_dump(document, sort_keys=False), encoding='utf-8')
    return out


def nav2_included(map_file: str, params_file: Path) -> Action:
    """Nav2 with AMCL, on the clock of the simulator."""
    return included(Path(get_package_share_directory('nav2_bringup'), 'launch',
                         'bringup_launch.py'),
                    map=map_file, params_file=str(params_file), use_sim_time='True',
                    use_composition='False', autostart='True')


def navigation_included(chosen: Mapping[str, str], **own: str) -> Action:
    """The four nodes, on the clock of the simulator.

    Args:
        chosen: values of the arguments that are passed on.
        own: values of further arguments of nav.launch.py.
    """
    return included(share_path('launch', 'nav.launch.py'), use_sim_time='true',
                    **{name: chosen[name] for name in HANDED_ON}, **own)


def included(path: Path, **values: str) -> Action:
    """The contents of a launch file, with given arguments."""
    return IncludeLaunchDescription(PythonLaunchDescriptionSource(str(path)),
                                    launch_arguments=list(values.items()))
