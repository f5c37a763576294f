"""A message type with all that it is made of, as the schema encoding `ros2msg` of MCAP has it."""

import re
from collections.abc import Callable

_PRIMITIVE = frozenset((
    'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32',
    'uint32', 'int64', 'uint64', 'string', 'wstring'))
#: The type of a field or constant, at the beginning of its line; of a bounded string none.
_TYPE = re.compile(r'^[ \t]*([A-Za-z][\w/]*)(?:\[[^\]]*\])?[ \t]+\w', re.MULTILINE)
_LINE = '=' * 80


def definition(kind: str, read: Callable[[str, str], str]) -> str:
    """Return the definition of a type, then each that it needs, once, behind a line that names it.

    Args:
        kind: such as nav_msgs/msg/Odometry.
        read: returns the text of a .msg file, by its package and name.
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
