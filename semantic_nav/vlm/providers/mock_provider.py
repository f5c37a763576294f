"""Replies from a script, for trials without a model."""

import json
from pathlib import Path
from threading import Event as Flag
from typing import Any

from semantic_nav.contracts.errors import ConfigError, ModelTimeout
from semantic_nav.vlm.conversation import Question, Reply, Text
from semantic_nav.vlm.errors import CallCancelled, ServerRefused
from semantic_nav.vlm.events import ModelProbed

_EXPLORE = {
    'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 30,
    'scene': {'place': '', 'objects': []}, 'rationale': 'the mock backend always explores'}


class MockProvider:
    """Provider of replies from a file, one JSON value per line, over and over.

    A string is the text of the reply. An object with `error` is a refusal of the server, one with
    `delay_s` and `reply` a late reply; any other object is the reply itself.
    """

    def __init__(self, script: str = '') -> None:
        """Read the script.

        Args:
            script: path of the file; empty for a reply that explores.

        Raises:
            ConfigError: the file cannot be read or is empty, or a line is not a JSON object or
                string.
        """
        self._lines: list[Any] = _read(script) if script else [_EXPLORE]
        self._next = 0

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """The next reply; see `Provider.ask`."""
        del question
        line = self._lines[self._next % len(self._lines)]
        self._next += 1
        delay_s = 0.0
        if isinstance(line, dict) and 'error' in line:
            raise ServerRefused(str(line['error']), 500, 'mock')
        if isinstance(line, dict) and 'delay_s' in line:
            delay_s, line = line['delay_s'], line.get('reply', '')
        if cancelled.wait(min(delay_s, deadline_s)):
            raise CallCancelled('the call was cancelled')
        if delay_s > deadline_s:
            raise ModelTimeout(f'no complete reply within {deadline_s:.1f} s')
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        return Reply((Text(text),), 'stop')

    def probe(self, cancelled: Flag) -> ModelProbed:
        """The findings for a script, which claim vision and no tools."""
        del cancelled
        return ModelProbed(True, 'replies come from a script', 'script', '', True, False, 0, None)

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Do nothing, as there is nothing to load; returns false."""
        del found, cancelled
        return False


def _read(script: str) -> list[Any]:
    try:
        lines = Path(script).expanduser().read_text(encoding='utf-8').splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'parameter mock_script = {script!r}: {error}') from error
    values = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise ConfigError(
                f'parameter mock_script = {script!r}, line {number}: {error}') from error
        delay_s = value.get('delay_s', 0.0) if isinstance(value, dict) else 0.0
        delay_ok = type(delay_s) in (int, float) and delay_s >= 0
        if not isinstance(value, (dict, str)) or not delay_ok:
            raise ConfigError(f'parameter mock_script = {script!r}, line {number}: expected a '
                              f'string, or an object whose delay_s, if any, is at least 0')
        values.append(value)
    if not values:
        raise ConfigError(f'parameter mock_script = {script!r}: the file holds no reply')
    return values
