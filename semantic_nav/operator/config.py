"""The parameters of the operator page."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class OperatorConfig:
    """Parameters of the operator page."""

    bind: str = parameter(
        '127.0.0.1', 'Address that the page listens on. Any but 127.0.0.1 and ::1 needs a '
        'token_file.')
    port: int = parameter(8642, 'Port of the page; 0: any free one.', 0, 65535)
    token_file: str = parameter(
        '', 'File with the token that the page asks for: at least 16 characters, readable by '
        'its owner alone (mode 0600). Empty: no token.')
    allowed_hosts: str = parameter(
        '', 'Host names of the page besides its address, separated by commas, such as '
        'robot.local.')
    image_topic: str = parameter('camera/image_raw', 'Topic of the camera.')
    map_topic: str = parameter('map', 'Map topic: nav_msgs/OccupancyGrid.')
