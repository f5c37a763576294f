"""Transforms from the buffer of tf2, or the reason in words why there is none."""

from rclpy.time import Time
from tf2_ros import Buffer, ExtrapolationException, TransformException

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.geometry import Transform
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import transform_of
from semantic_nav.nodes.ros.judging_buffer import refused_by


def transform(buffer: Buffer, target: str, source: str, when: Time) -> Transform:
    """`target_T_source`; a leading slash of a frame name, as in ROS 1, is ignored.

    Args:
        buffer: TF buffer that a listener fills.
        target, source: names of the frames.
        when: time of the transform; 0 for the newest.

    Raises:
        LookupError: TF has no such transform, or not yet.
    """
    target, source = target.removeprefix('/'), source.removeprefix('/')
    if not source:
        raise LookupError('a message of the camera names no frame (header.frame_id is empty): set '
                          'it in the driver, to the optical frame')
    try:
        return transform_of(buffer.lookup_transform(target, source, when))
    except ExtrapolationException as error:
        # tf2 keeps the last good transform, and lags from then on.
        gap = _words_of_gap(buffer, target, source, when) or str(error)
        raise LookupError('; '.join(filter(None, (refused_by(buffer), gap)))) from error
    except TransformException as error:
        raise LookupError(f'TF does not lead from {target!r} to {source!r}: {error}; let '
                          'robot_state_publisher or static_transform_publisher tell where it '
                          'sits') from error


def _words_of_gap(buffer: Buffer, target: str, source: str, when: Time) -> str:
    """Time between TF and a moment, in words; empty if TF has no such transform."""
    try:
        newest_ns = stamp_ns(buffer.lookup_transform(target, source, Time()).header.stamp)
    except TransformException:
        return ''
    behind_s = seconds(when.nanoseconds - newest_ns)
    where = f'TF from {target!r} to {source!r}'
    if behind_s > 0.0:
        return (f'{where} is {behind_s:.2f} s behind the picture: it comes late, or with another '
                'clock; synchronise the clocks of base and camera, or raise freeze_wait_s')
    return (f'{where} begins after the picture, and is {-behind_s:.2f} s ahead of it: synchronise '
            'the clocks of base and camera')
