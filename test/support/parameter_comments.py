"""The comments of `config/semantic_nav.yaml`: description and range of each parameter.

`python test/support/parameter_comments.py` writes them from the code; a test compares them.
"""

import ast
import textwrap
from pathlib import Path
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.parameters import Spec, specs
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.nodes.ros.recorder_config import RecorderConfig
from semantic_nav.nodes.ros.shell_config import ShellConfig
from semantic_nav.operator.config import OperatorConfig
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.vlm.config import HypothesisConfig

ROOT = Path(__file__).parents[2]
FILE = ROOT / 'config' / 'semantic_nav.yaml'
CONFIGS = {
    'hypothesis': (HypothesisConfig, ShellConfig), 'memory': (MemoryConfig, ShellConfig),
    'belief': (BeliefConfig, ShellConfig), 'verifier': (VerifierConfig, ShellConfig),
    'recorder': (RecorderConfig,), 'operator': (OperatorConfig,)}
_COLUMNS = 99


def written(text: str) -> str:
    """Return the text of the file with the comments that follow from the code."""
    lines: list[str] = []
    told: dict[str, Spec] = {}
    for line in text.splitlines():
        if line.startswith('/**/'):
            told = descriptions(line.removeprefix('/**/').rstrip(':'))
        elif line.startswith('    ') and not line.strip().startswith('#'):
            while lines[-1].startswith('    # ') and not lines[-1].startswith('    # ---'):
                lines.pop()
            lines += textwrap.wrap(
                _comment(told[line.strip().partition(':')[0]]), _COLUMNS,
                initial_indent='    # ', subsequent_indent='    # ', break_on_hyphens=False)
        lines.append(line)
    return '\n'.join(lines) + '\n'


def descriptions(node: str) -> dict[str, Spec]:
    """Return what is said of each parameter of a node, by its name."""
    told = {name: spec for config in CONFIGS[node] for name, (_, spec) in specs(config).items()}
    return told | {name: Spec(*more) for name, (_, *more) in wiring(node).items()}


def wiring(node: str) -> dict[str, list[Any]]:
    """Return the arguments of `parameter` for those of the node itself, read without ROS."""
    nodes = ROOT / 'semantic_nav' / 'nodes'
    return {statement.target.id: [ast.literal_eval(one) for one in statement.value.args]
            for path in (nodes / f'{node}.py', nodes / 'ros' / f'{node}_wiring.py')
            if path.exists()
            for statement in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Call)
            and ast.unparse(statement.value.func) == 'parameter'
            and isinstance(statement.target, ast.Name)}


def _comment(spec: Spec) -> str:
    words = [spec.description]
    if spec.choices:
        words.append(f'One of: {", ".join(spec.choices)}.')
    if spec.maximum is not None:
        words.append(f'Range: {spec.minimum:.12g} to {spec.maximum:.12g}.')
    elif spec.minimum is not None:
        words.append(f'Range: from {spec.minimum:.12g}.')
    return ' '.join(words)


if __name__ == '__main__':
    FILE.write_text(written(FILE.read_text(encoding='utf-8')), encoding='utf-8')
