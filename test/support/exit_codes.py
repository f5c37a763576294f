"""How the processes of a simulated robot ended."""

from collections.abc import Mapping


def assert_in_order(exit_codes: Mapping[str, int]) -> None:
    """Fail and name those that did not end with 0, or where none ran."""
    assert set(exit_codes.values()) == {0}, {
        name: code for name, code in exit_codes.items() if code}
