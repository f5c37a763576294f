"""The file for diagnostic_aggregator: what the nodes say is found by the group of its node."""

import yaml

from semantic_nav.bringup.processes import NavSettings, navigation_processes, recorder_processes
from semantic_nav.contracts.share import share_path
from semantic_nav.doctor.advice import ADVICE, OF_ANY

GROUPS = {name: group for name, group in yaml.safe_load(share_path(
    'config', 'diagnostics.yaml').read_text(encoding='utf-8'))['analyzers'][
        'ros__parameters'].items() if isinstance(group, dict)}
SETTINGS = NavSettings(record=True)
NODES = [process.name for process in (*navigation_processes(SETTINGS),
                                      *recorder_processes(SETTINGS))]


def groups_of(name: str) -> list[str]:
    """Return the groups that take an entry, as GenericAnalyzer finds them."""
    return [group for group, settings in GROUPS.items()
            if any(part in name for part in settings['contains'])]


def test_each_node_has_its_group() -> None:
    assert sorted(GROUPS) == sorted(NODES)
    for name, group in GROUPS.items():
        assert group['type'] == 'diagnostic_aggregator/GenericAnalyzer'
        assert group['path'] == name
        # Those that it knows, of the types that it wants: others end the aggregator.
        assert set(group) <= {'type', 'path', 'contains', 'timeout', 'discard_stale'}
        assert isinstance(group['timeout'], float)


def test_each_entry_is_found_by_the_group_of_its_node_alone() -> None:
    entries = [*ADVICE, *((node, entry) for node in NODES
                          for entry in (*OF_ANY, 'process', 'dropped'))]
    for node, entry in entries:
        # As nodes/ros/diagnostics.py names them, which test/ros holds.
        for prefix in (node, f'robot1/{node}', f'belief_lab/fleet/{node}'):
            assert groups_of(f'{prefix}: {entry}') == [node]


def test_what_others_say_is_left_to_them() -> None:
    for name in ('controller_server: Nav2 Health', 'lifecycle_manager: state', 'battery'):
        assert groups_of(name) == []
