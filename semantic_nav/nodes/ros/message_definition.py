"""Definition of a message type with its parts, in MCAP's schema encoding `ros2msg`."""

import re
from collections.abc import Callable

_PRIMITIVE = frozenset((
    'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32',
    'uint32', 'int64', 'uint64', 'string', 'wstring'))
#: Type of a field or constant, at the start of its line; a bounded string does not match.
_TYPE = re.compile(r'^[ \t]*([A-Za-z][\w/]*)(?:\[[^\]]*\])?[ \t]+\w', re.MULTILINE)
_LINE = '=' * 80


def definition(kind: str, read: Callable[[str, str], str]) -> str:
    """Definition of a type, then each type that it needs, once, after a line that names it.

    Args:
        kind: type such as nav_msgs/msg/Odometry.
        read: returns the text of a .msg file, by package and name.
    """
    package, _, name = kind.split('/')
    found: dict[str, str] = {}
    wanted = [f'{package}/{name}']
    for one in wanted:
        if one in found:
            continue
        package, name = one.split('/')
        found[one] = read(package, name)
        wanted += [field if '/' in field else f'{package}/{field}'
                   for field in _TYPE.findall(found[one]) if field not in _PRIMITIVE]
    own, *others = found.items()
    return '\n'.join([own[1], *(f'{_LINE}\nMSG: {one}\n{text}' for one, text in others)])
