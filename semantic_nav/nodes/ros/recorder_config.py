"""Configuration of the recorder."""

from dataclasses import dataclass

from semantic_nav.contracts.parameters import parameter


@dataclass(frozen=True)
class RecorderConfig:
    """Parameters of the recorder."""

    journal_dir: str = parameter(
        '', 'Folder of the journals, beside which the recording lies; empty: '
        '$ROS_HOME/semantic_nav/journal.')
    max_mb: int = parameter(2000, 'Size at which a recording ends, in MB.', 1, 1000000)
    keep_free_mb: int = parameter(
        1000, 'Free disk space below which a recording ends, in MB. On a full disk the robot '
        'does not drive.', 0, 1000000)
    picture_period_s: float = parameter(
        1.0, 'Period in which one message of each topic with pictures or point clouds is '
        'recorded, in s; 0: all messages.', 0.0, 3600.0)
    global_topics: str = parameter(
        '/tf,/tf_static,/clock,/map,/diagnostics,/rosout',
        'Topics outside the namespace of the robot that are recorded too, separated by commas.')
    left_out: str = parameter(
        '', 'Topics that are not recorded, separated by commas, such as camera/image_raw.')
