"""The transform tree and its history, without ROS communication."""

from __future__ import annotations

import math
import threading

from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.time import Time

from tf2_ros.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)
from tf2_ros.history import Link, MovingLink, Sample, StaticLink, text_of
from tf2_ros.transform import IDENTITY, Transform

DEFAULT_CACHE_TIME = Duration(seconds=10)

# How far the squared norm of a quaternion may be from 1.
_NORM_TOLERANCE = 0.01

class BufferCore:
    """Stores transforms of the last cache_time and answers what lies between two frames.

    All methods may be called from any thread.
    """

    def __init__(self, cache_time: Duration = DEFAULT_CACHE_TIME) -> None:
        self._cache_ns = cache_time.nanoseconds
        self._links: dict[str, Link] = {}
        self._frames: set[str] = set()
        self._changed = threading.Condition(threading.RLock())

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Store a transform of its stamp.

        A transform with a bad frame name, a NaN or a rotation that is none is ignored, with an
        error in the log.
        """
        self._store(transform, authority, static=False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Store a transform that holds at all times."""
        self._store(transform, authority, static=True)

    def clear(self) -> None:
        """Forget everything but static transforms."""
        with self._changed:
            for link in self._links.values():
                link.clear()

    def lookup_transform_core(
        self, target_frame: str, source_frame: str, time: Time | TimeMsg
    ) -> TransformStamped:
        """Return target_T_source: coordinates in source become coordinates in target.

        Args:
            target_frame: The frame to express in; it becomes the header's frame.
            source_frame: The frame that is expressed; it becomes the child frame.
            time: When; 0 for the latest time at which every link of the chain is known.

        Raises:
            InvalidArgumentException: A name is empty or begins with a slash.
            LookupException: A frame is not known.
            ConnectivityException: The two are in different trees.
            ExtrapolationException: The time is outside what is stored.
        """
        with self._changed:
            time_ns = _nanoseconds(time)
            self._check_frame(target_frame, 'target_frame')
            self._check_frame(source_frame, 'source_frame')
            if time_ns == 0:
                time_ns = self._latest_common_ns(target_frame, source_frame)
            transform = self._between(target_frame, source_frame, time_ns)
        return _message(transform, time_ns, target_frame, source_frame)

    def lookup_transform_full_core(
        self,
        target_frame: str,
        target_time: Time | TimeMsg,
        source_frame: str,
        source_time: Time | TimeMsg,
        fixed_frame: str,
    ) -> TransformStamped:
        """Return target at one time from source at another, fixed_frame standing still."""
        with self._changed:
            self._check_frame(fixed_frame, 'fixed_frame')
            fixed_T_source = self.lookup_transform_core(fixed_frame, source_frame, source_time)
            target_T_fixed = self.lookup_transform_core(target_frame, fixed_frame, target_time)
        return _message(
            _transform(target_T_fixed) @ _transform(fixed_T_source),
            _nanoseconds(target_T_fixed.header.stamp),
            target_frame,
            source_frame,
        )

    def can_transform_core(
        self, target_frame: str, source_frame: str, time: Time | TimeMsg
    ) -> tuple[bool, str]:
        """Tell whether lookup_transform_core would answer, and if not, why."""
        try:
            self.lookup_transform_core(target_frame, source_frame, time)
        except TransformException as error:
            return False, str(error)
        return True, ''

    def can_transform_full_core(
        self,
        target_frame: str,
        target_time: Time | TimeMsg,
        source_frame: str,
        source_time: Time | TimeMsg,
        fixed_frame: str,
    ) -> tuple[bool, str]:
        """Tell whether lookup_transform_full_core would answer, and if not, why."""
        try:
            self.lookup_transform_full_core(
                target_frame, target_time, source_frame, source_time, fixed_frame
            )
        except TransformException as error:
            return False, str(error)
        return True, ''

    def get_latest_common_time(self, source_frame: str, dest_frame: str) -> Time:
        """Return the newest time at which the two frames can be compared; 0 if always."""
        with self._changed:
            self._check_frame(source_frame, 'source_frame')
            self._check_frame(dest_frame, 'dest_frame')
            return Time(nanoseconds=self._latest_common_ns(dest_frame, source_frame))

    def all_frames_as_yaml(self) -> str:
        """Return the tree as YAML: for each frame its parent, its sender and its times."""
        with self._changed:
            lines = []
            for child, link in sorted(self._links.items()):
                try:
                    sample = link.at(0)
                except ExtrapolationException:
                    continue
                lines.append(f'{child}:\n  parent: {sample.parent}\n')
                lines.append(f'  broadcaster: {link.authority}\n')
                lines.append(f'  most_recent_transform: {sample.stamp_ns / 1e9:.6f}\n')
        return ''.join(lines) or '{}\n'

    def _store(self, message: TransformStamped, authority: str, static: bool) -> None:
        parent = message.header.frame_id.removeprefix('/')
        child = message.child_frame_id.removeprefix('/')
        transform = _transform(message)
        fault = _fault(parent, child, transform)
        if fault:
            get_logger('tf2').error(
                f'ignoring a transform from {parent!r} to {child!r} by {authority!r}: {fault}'
            )
            return
        sample = Sample(_nanoseconds(message.header.stamp), parent, transform)
        with self._changed:
            link = self._links.get(child)
            if static:
                if not isinstance(link, StaticLink):
                    link = self._links[child] = StaticLink()
                link.sample = sample
            else:
                if not isinstance(link, MovingLink):
                    link = self._links[child] = MovingLink(self._cache_ns)
                if not link.insert(sample):
                    get_logger('tf2').warning(
                        f'ignoring a transform of {child!r} by {authority!r}: time '
                        f'{text_of(sample.stamp_ns)} is further back than the buffer reaches'
                    )
                    return
            link.authority = authority
            self._frames.update((parent, child))
            self._changed.notify_all()

    def _check_frame(self, frame: str, argument: str) -> None:
        if not frame:
            raise InvalidArgumentException(f'{argument} is empty')
        if frame.startswith('/'):
            raise InvalidArgumentException(f'{argument} {frame!r} begins with a slash')
        if frame not in self._frames:
            raise LookupException(f'{argument} {frame!r} is not known')

    def _chain(self, frame: str, time_ns: int) -> tuple[list[Sample], Exception | None]:
        """Walk from a frame towards its root, as far as transforms of that time go."""
        samples: list[Sample] = []
        seen = {frame}
        while (link := self._links.get(frame)) is not None:
            try:
                sample = link.at(time_ns)
            except ExtrapolationException as error:
                return samples, error
            samples.append(sample)
            frame = sample.parent
            if frame in seen:
                raise LookupException(f'the tree has a loop at {frame!r}')
            seen.add(frame)
        return samples, None

    def _meet(self, target: str, source: str, time_ns: int) -> tuple[list[Sample], list[Sample]]:
        """Return the links from target and from source up to their first common frame."""
        source_chain, source_error = self._chain(source, time_ns)
        target_chain, target_error = self._chain(target, time_ns)
        reached = {source: 0}
        reached.update({sample.parent: i + 1 for i, sample in enumerate(source_chain)})
        for count, frame in enumerate([target, *(sample.parent for sample in target_chain)]):
            if frame in reached:
                return target_chain[:count], source_chain[: reached[frame]]
        error = source_error or target_error
        if error is not None:
            raise ExtrapolationException(
                f'no transform from {source!r} to {target!r}: {error}'
            ) from error
        raise ConnectivityException(
            f'{target!r} and {source!r} are not in the same tree: nothing connects them'
        )

    def _latest_common_ns(self, target: str, source: str) -> int:
        if target == source:
            link = self._links.get(target)
            return (link.latest_ns() or 0) if link else 0
        below_target, below_source = self._meet(target, source, 0)
        # A moving link has a stamp; a static one holds at any time.
        stamps = []
        for start, samples in ((target, below_target), (source, below_source)):
            child = start
            for sample in samples:
                latest_ns = self._links[child].latest_ns()
                if latest_ns is not None:
                    stamps.append(latest_ns)
                child = sample.parent
        return min(stamps, default=0)

    def _between(self, target: str, source: str, time_ns: int) -> Transform:
        if target == source:
            return IDENTITY
        below_target, below_source = self._meet(target, source, time_ns)
        common_T_target, common_T_source = IDENTITY, IDENTITY
        for sample in below_target:
            common_T_target = sample.parent_T_child @ common_T_target
        for sample in below_source:
            common_T_source = sample.parent_T_child @ common_T_source
        return common_T_target.inverse() @ common_T_source


def _fault(parent: str, child: str, transform: Transform) -> str:
    if not parent or not child:
        return 'a frame name is empty'
    if parent == child:
        return 'a frame cannot be its own parent'
    if any(math.isnan(value) for value in (*transform.translation, *transform.rotation)):
        return 'it holds a NaN'
    if abs(sum(value * value for value in transform.rotation) - 1.0) >= _NORM_TOLERANCE:
        return f'{transform.rotation} is no rotation (its norm is not 1)'
    return ''


def _transform(message: TransformStamped) -> Transform:
    t, r = message.transform.translation, message.transform.rotation
    return Transform((t.x, t.y, t.z), (r.x, r.y, r.z, r.w))


def _message(transform: Transform, time_ns: int, parent: str, child: str) -> TransformStamped:
    message = TransformStamped()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time_ns, 10**9)
    message.header.frame_id = parent
    message.child_frame_id = child
    t, r = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = transform.translation
    r.x, r.y, r.z, r.w = transform.rotation
    return message


def _nanoseconds(time: Time | TimeMsg) -> int:
    if isinstance(time, TimeMsg):
        return int(time.sec) * 10**9 + int(time.nanosec)
    return int(time.nanoseconds)
