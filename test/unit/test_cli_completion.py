"""What bash completes, asked of a real bash that has read the script of the command."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from semantic_nav.cli.arguments import Parser
from semantic_nav.cli.completion import words_of

ROOT = Path(__file__).parents[2]
PYTHON = ('python3', '-m', 'semantic_nav')
#: Completes the last of its arguments, as readline would ask for it.
ASK = """
set -u
complete -o nospace -F before ros2
before() { COMPREPLY=("before $2"); }
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
[[ $(complete -p "$1") == *_semantic_nav_complete* ]] || exit 3
compopt() { :; }
COMPREPLY=()
_semantic_nav_complete "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
for one in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do echo "$one"; done
"""

pytestmark = pytest.mark.skipif(shutil.which('bash') is None, reason='there is no bash')


@pytest.fixture(scope='module')
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    done = subprocess.run([sys.executable, '-m', 'semantic_nav', 'completion'], cwd=ROOT,
                          capture_output=True, text=True, timeout=120, check=True)
    file = tmp_path_factory.mktemp('completion') / 'completion.bash'
    file.write_text(done.stdout)
    return file


def completed(script: Path, *words: str) -> list[str]:
    done = subprocess.run(['bash', '-c', ASK, 'bash', str(script), *words], capture_output=True,
                          text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, '')
    return done.stdout.splitlines()


@pytest.mark.parametrize(('words', 'found'), [
    (('v',), ['verdicts', 'vlm']), (('bench', 'm'), ['missions', 'model']),
    (('vlm', 'models', 'pr'), ['prune']), (('--namespace', 'robot1', 'ca'), ['cancel']),
    (('bench', 'missions', '--body', 'l'), ['light']),
    # The value of an option is no action.
    (('vlm', '--model', 'models', 'pi'), ['ping']),
    (('demo', '--missions', ''), ['0', '1', '2']), (('doctor', '--s'), ['--self-check']),
    (('vlm', 'models', 'prune', '--k'), ['--keep']),
    # Files, which readline itself completes.
    (('bench', 'missions', '--out', ''), []), (('replay', ''), [])])
def test_commands_actions_options_and_choices(script: Path, words: tuple[str, ...],
                                              found: list[str]) -> None:
    assert completed(script, *PYTHON, *words) == found


def test_what_was_completed_before_is_completed_as_before(script: Path) -> None:
    assert completed(script, 'ros2', 'run', 'semantic_nav', 'vlm', 'pi') == ['ping']
    assert completed(script, 'ros2', 'run', 'semantic_nav_sim', 'bench', 'v') == ['verify']
    for words in (('topic', 'ec'), ('run', 'semantic_nav', 'bel'), ('run', 'other', 'bench', 'v')):
        assert completed(script, 'ros2', *words) == [f'before {words[-1]}']
    assert completed(script, 'python3', '-m', 'other', 'v') == []


def test_script_can_be_read_twice(script: Path, tmp_path: Path) -> None:
    twice = tmp_path / 'twice'
    twice.write_text(f'source {script}\nsource {script}\n')
    assert completed(twice, 'ros2', 'topic', 'ec') == ['before ec']


def test_words_of_a_parser() -> None:
    parser = Parser(prog='try')
    parser.add_argument('--loud', action='store_true')
    below = parser.add_subparsers().add_parser('it')
    below.add_argument('what', choices=('one', 'two'))
    below.add_argument('-n', '--number', choices=(1, 2))
    first, second = words_of(parser, 'try')
    assert (first.path, first.actions, first.options) == ('try', ['it'], {})
    assert '--loud' in first.flags
    assert (second.path, second.actions) == ('try it', ['one', 'two'])
    assert second.options == {'-n': ['1', '2'], '--number': ['1', '2']}
