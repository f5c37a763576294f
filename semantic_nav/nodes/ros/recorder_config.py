"""The parameters of the recorder."""

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
        1000, 'A recording ends where less of the disk is free, in MB: on a full disk nothing is '
        'driven.', 0, 1000000)
    picture_period_s: float = parameter(
        1.0, 'Of each topic with pictures or point clouds one message is recorded in that time, '
        'in s; 0: all.', 0.0, 3600.0)
    global_topics: str = parameter(
        '/tf,/tf_static,/clock,/map,/diagnostics,/rosout',
        'Topics that are recorded too where the robot has a namespace, with commas.')
    left_out: str = parameter(
        '', 'Topics that are not recorded, with commas, as camera/image_raw.')
