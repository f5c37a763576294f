"""What `command` makes of errors and signals."""

import signal
import subprocess
import sys
import textwrap

import pytest

from semantic_nav.cli.command import command
from semantic_nav.contracts.errors import ConfigError


@command
def told(args: list[str] | None = None) -> int:
    if args == ['bad']:
        raise ConfigError('this is wrong')
    if args == ['interrupted']:
        raise KeyboardInterrupt
    if args == ['told']:
        raise KeyboardInterrupt('what there is lies in out')
    if args == ['full']:
        raise OSError(28, 'No space left on device', 'film.gif')
    if args == ['bug']:
        raise ValueError('a bug')
    return len(args or ())


def test_the_exit_code_is_the_commands_own() -> None:
    assert told(['a', 'b']) == 2
    assert told() == 0


def test_a_known_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(['bad']) == 1
    assert capsys.readouterr().err == 'told: this is wrong\n'


def test_an_interrupt_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(['interrupted']) == 130
    assert capsys.readouterr().err == 'told: interrupted\n'


def test_an_interrupt_tells_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(['told']) == 130
    assert capsys.readouterr().err == (
        'told: interrupted; what there is lies in out\n')


def test_a_full_disk_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(['full']) == 1
    error = capsys.readouterr().err
    assert 'No space left' in error and 'film.gif' in error and error.count('\n') == 1


def test_a_bug_is_not_hidden() -> None:
    with pytest.raises(ValueError, match='a bug'):
        told(['bug'])


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    told()
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_blocks_and_says_so(number: signal.Signals) -> None:
    code = textwrap.dedent("""
        import signal, sys
        from semantic_nav.cli.command import command

        @command
        def main(args=None):
            try:
                print('ready', flush=True)
                signal.pause()
            finally:
                print('cleaned up', flush=True)

        sys.exit(main())
    """)
    process = subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == 'ready\n'
    process.send_signal(number)
    output, error = process.communicate(timeout=30)
    assert (process.returncode, output) == (128 + number, 'cleaned up\n')
    assert error == '__main__: interrupted\n', 'as after Ctrl-C'
