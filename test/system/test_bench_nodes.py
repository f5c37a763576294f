"""The command `bench nodes` with the real nodes and the simulator."""

import json
import subprocess
import sys
from pathlib import Path

from semantic_nav.contracts.vocabulary import NODES


def test_nodes_are_measured_idle_and_on_a_mission(tmp_path: Path) -> None:
    """Whether the bars hold is another question: other tests run beside this one."""
    file = tmp_path / 'figures.json'
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'bench', 'nodes', '--idle-s', '2', '--mission-s',
         '5', '--json', str(file)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1), done.stderr
    figures = {one['name']: one for one in json.loads(file.read_text())['measures']}
    for node in NODES:
        assert figures[f'{node}, idle [MB]']['figure'] > 10.0
        assert figures[f'{node}, on a mission [% of a core]']['figure'] >= 0.0
        assert figures[f'{node}, start to active, all at once [s]']['figure'] > 0.0
        alone = figures[f'{node}, start to active, alone [s]']
        assert alone['figure'] > 0.0 and alone['bar'] == '<= 2'
    assert figures['together, idle [% of a core]']['bar'] == '<= 15'
    assert figures['together, idle [MB]']['bar'] == '<= 700'
