"""What commands understand of their command lines."""

import argparse
import importlib
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from semantic_nav.__main__ import module_of
from semantic_nav.cli.arguments import (
    Parser,
    check_file,
    duration,
    location,
    number,
    numbers,
    share,
)
from semantic_nav.contracts.errors import ConfigError


def test_numbers_are_numbers_and_ranges() -> None:
    assert numbers('1-3,7') == [1, 2, 3, 7]
    assert number('12') == 12
    assert duration('0.5') == 0.5
    assert [share(words) for words in ('0', '0.3', '1')] == [0.0, 0.3, 1.0]


@pytest.mark.parametrize(('kind', 'words'), [
    *((numbers, words) for words in ('', 'a', '1-', '3-1', '-2', '1-99999999999')),
    *((number, words) for words in ('', 'a', '-1', '1.5', '1e3', '²', '1_000')),
    *((duration, words) for words in ('', 'a', '0', '-1', 'nan', 'inf')),
    *((share, words) for words in ('', 'a', '-0.1', '1.1', 'nan')),
    *((location, words) for words in ('', ' '))])
def test_nonsense_is_refused_with_its_words(kind: Callable[[str], object], words: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f'{words!r}'):
        kind(words)


def test_a_mistake_is_one_line_and_names_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog='try')
    below = parser.add_subparsers(dest='what').add_parser('it')
    below.add_argument('--seed', type=number, default=math.nan)
    for arguments, said in ((['it', '--seed', '-1'], '--seed'), (['dance'], "'dance'"),
                            (['it', '--bogus'], '--bogus')):
        with pytest.raises(SystemExit) as ended:
            parser.parse_args(arguments)
        assert ended.value.code == 2
        error = capsys.readouterr().err
        assert error.startswith('try') and said in error and error.count('\n') == 1


def test_a_file_needs_a_folder_and_is_none(tmp_path: Path) -> None:
    check_file(tmp_path / 'figures.json')
    for wrong in (tmp_path, tmp_path / 'nowhere' / 'figures.json'):
        with pytest.raises(ConfigError, match='folder'):
            check_file(wrong)


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    mine, link = tmp_path / 'README.md', tmp_path / 'link'
    mine.write_text('mine')
    link.symlink_to(tmp_path / 'nowhere')
    for there in (mine, link):
        with pytest.raises(ConfigError, match=f'{there} is there already'):
            check_file(there)
    check_file(Path('/dev/null'))


@pytest.mark.parametrize(('command', 'option'), [
    (('demo',), '--out'), (('bench', 'missions'), '--out'), (('bench', 'missions'), '--json'),
    (('bench', 'model'), '--json'), (('world', 'generate', '--seed', '1'), '--out'),
    (('world', 'to-png', 'apartment'), '--out'), (('world', 'contact-sheet'), '--out'),
    (('replay', '.'), '--blobs'), (('verdicts', '.'), '--out')])
def test_no_command_takes_no_words_for_a_file_or_folder(
        command: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]) -> None:
    main = importlib.import_module(module_of(command[0])).main
    with pytest.raises(SystemExit) as ended:
        main([*command[1:], option, ''])
    assert ended.value.code == 2
    assert option in capsys.readouterr().err


@pytest.mark.parametrize('command', [
    ('bench', 'missions', '--json'), ('bench', 'model', '--json'),
    ('world', 'to-png', 'apartment', '--out'), ('world', 'contact-sheet', '--out'),
    ('verdicts', '.', '--out')])
def test_no_command_writes_over_a_file(command: tuple[str, ...], tmp_path: Path,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / 'README.md'
    mine.write_text('mine')
    main = importlib.import_module(module_of(command[0])).main
    assert main([*command[1:], str(mine)]) == 1
    said = capsys.readouterr().err
    assert f'{mine} is there already' in said and said.count('\n') == 1
    assert mine.read_text() == 'mine'
