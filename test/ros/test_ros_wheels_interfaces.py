"""The interfaces that have no wheel are those of ROS 2 Jazzy, field by field.

With the distribution's own packages the same test tells when an interface has changed.
"""

import pytest
from map_msgs.msg import OccupancyGridUpdate
from nav2_msgs.action import BackUp, ComputePathToPose, NavigateToPose, Spin
from nav2_msgs.srv import ClearCostmapAroundRobot, ClearEntireCostmap
from tf2_msgs.msg import TFMessage

DURATION = 'builtin_interfaces/Duration'
POSE = 'geometry_msgs/PoseStamped'
OUTCOME = {'error_code': 'uint16', 'error_msg': 'string'}
TIMED_OUTCOME = {'total_elapsed_time': DURATION, **OUTCOME}

FIELDS = [
    (NavigateToPose.Goal, {'pose': POSE, 'behavior_tree': 'string'}),
    (NavigateToPose.Result, OUTCOME),
    (
        NavigateToPose.Feedback,
        {
            'current_pose': POSE,
            'navigation_time': DURATION,
            'estimated_time_remaining': DURATION,
            'number_of_recoveries': 'int16',
            'distance_remaining': 'float',
        },
    ),
    (
        ComputePathToPose.Goal,
        {'goal': POSE, 'start': POSE, 'planner_id': 'string', 'use_start': 'boolean'},
    ),
    (
        ComputePathToPose.Result,
        {'path': 'nav_msgs/Path', 'planning_time': DURATION, **OUTCOME},
    ),
    (ComputePathToPose.Feedback, {}),
    (Spin.Goal, {'target_yaw': 'float', 'time_allowance': DURATION}),
    (Spin.Result, TIMED_OUTCOME),
    (Spin.Feedback, {'angular_distance_traveled': 'float'}),
    (
        BackUp.Goal,
        {'target': 'geometry_msgs/Point', 'speed': 'float', 'time_allowance': DURATION},
    ),
    (BackUp.Result, TIMED_OUTCOME),
    (BackUp.Feedback, {'distance_traveled': 'float'}),
    (ClearEntireCostmap.Request, {'request': 'std_msgs/Empty'}),
    (ClearEntireCostmap.Response, {'response': 'std_msgs/Empty'}),
    (ClearCostmapAroundRobot.Request, {'reset_distance': 'float'}),
    (
        OccupancyGridUpdate,
        {
            'header': 'std_msgs/Header',
            'x': 'int32',
            'y': 'int32',
            'width': 'uint32',
            'height': 'uint32',
            'data': 'sequence<int8>',
        },
    ),
    (TFMessage, {'transforms': 'sequence<geometry_msgs/TransformStamped>'}),
]

CONSTANTS = [
    (NavigateToPose.Result, {'NONE': 0}),
    (
        ComputePathToPose.Result,
        {
            'NONE': 0,
            'UNKNOWN': 200,
            'INVALID_PLANNER': 201,
            'TF_ERROR': 202,
            'START_OUTSIDE_MAP': 203,
            'GOAL_OUTSIDE_MAP': 204,
            'START_OCCUPIED': 205,
            'GOAL_OCCUPIED': 206,
            'TIMEOUT': 207,
            'NO_VALID_PATH': 208,
        },
    ),
    (
        Spin.Result,
        {'NONE': 0, 'UNKNOWN': 700, 'TIMEOUT': 701, 'TF_ERROR': 702, 'COLLISION_AHEAD': 703},
    ),
    (
        BackUp.Result,
        {
            'NONE': 0,
            'UNKNOWN': 710,
            'TIMEOUT': 711,
            'TF_ERROR': 712,
            'INVALID_INPUT': 713,
            'COLLISION_AHEAD': 714,
        },
    ),
]


def name_of(value: object) -> str | None:
    return value.__name__ if isinstance(value, type) else None


@pytest.mark.parametrize(('interface', 'fields'), FIELDS, ids=name_of)
def test_fields(interface: type, fields: dict[str, str]) -> None:
    assert interface.get_fields_and_field_types() == fields


@pytest.mark.parametrize(('interface', 'constants'), CONSTANTS, ids=name_of)
def test_constants(interface: type, constants: dict[str, int]) -> None:
    assert {name: getattr(interface, name) for name in constants} == constants
