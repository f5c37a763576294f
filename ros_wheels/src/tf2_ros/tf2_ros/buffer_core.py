"""The transform tree and its history, without ROS communication."""

from __future__ import annotations

import bisect
import math
import threading
from typing import NamedTuple, Protocol

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

DEFAULT_CACHE_TIME = Duration(seconds=10)

# How far the squared norm of a quaternion may be from 1.
_NORM_TOLERANCE = 0.01

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Transform(NamedTuple):
    """A rotation (x, y, z, w; unit norm) followed by a translation in metres."""

    translation: Vector
    rotation: Quaternion

    def __matmul__(self, other: Transform) -> Transform:
        x, y, z = self.rotate(other.translation)
        a, b, c = self.translation
        return Transform((x + a, y + b, z + c), _multiply(self.rotation, other.rotation))

    def inverse(self) -> Transform:
        """Return the transform that undoes this one."""
        x, y, z, w = self.rotation
        turned_back = Transform((0.0, 0.0, 0.0), (-x, -y, -z, w))
        a, b, c = turned_back.rotate(self.translation)
        return Transform((-a, -b, -c), turned_back.rotation)

    def rotate(self, vector: Vector) -> Vector:
        """Turn a vector: v + 2w(q x v) + 2 q x (q x v), q the vector part of the rotation."""
        x, y, z, w = self.rotation
        a, b, c = vector
        u, v, t = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
        return (
            a + w * u + y * t - z * v,
            b + w * v + z * u - x * t,
            c + w * t + x * v - y * u,
        )


_IDENTITY = Transform((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


class _Sample(NamedTuple):
    stamp_ns: int
    parent: str
    parent_T_child: Transform


class _Link(Protocol):
    """All that is known about one frame and its parent."""

    authority: str

    def at(self, time_ns: int) -> _Sample:
        """Return the transform at a time, 0 for the latest.

        Raises:
            ExtrapolationException: The time is outside what is stored.
        """
        ...

    def latest_ns(self) -> int | None:
        """Return the newest stamp; None for a transform without time."""
        ...

    def clear(self) -> None:
        """Forget what has a time."""
        ...


class _StaticLink:
    """A transform that holds at all times."""

    def __init__(self) -> None:
        self.authority = ''
        self.sample = _Sample(0, '', _IDENTITY)

    def at(self, time_ns: int) -> _Sample:
        return self.sample

    def latest_ns(self) -> int | None:
        return None

    def clear(self) -> None:
        """Static transforms are sent once, so they stay."""


class _MovingLink:
    """The history of a transform, oldest first."""

    def __init__(self, cache_ns: int) -> None:
        self.authority = ''
        self._cache_ns = cache_ns
        self._stamps: list[int] = []
        self._samples: list[_Sample] = []

    def insert(self, sample: _Sample) -> bool:
        """Store a sample in order of time; False when it is older than the history reaches."""
        stamps = self._stamps
        if stamps and sample.stamp_ns < stamps[-1] - self._cache_ns:
            return False
        place = bisect.bisect_right(stamps, sample.stamp_ns)
        first = bisect.bisect_left(stamps, sample.stamp_ns)
        if sample not in self._samples[first:place]:
            stamps.insert(place, sample.stamp_ns)
            self._samples.insert(place, sample)
        expired = bisect.bisect_left(stamps, stamps[-1] - self._cache_ns)
        if expired:
            del stamps[:expired], self._samples[:expired]
        return True

    def at(self, time_ns: int) -> _Sample:
        stamps = self._stamps
        if not stamps:
            raise ExtrapolationException('no transform is stored')
        if time_ns == 0:
            return self._samples[-1]
        if not stamps[0] <= time_ns <= stamps[-1]:
            if len(stamps) == 1:
                raise ExtrapolationException(
                    f'time {_seconds(time_ns)} was asked for, but only {_seconds(stamps[0])} is '
                    'in the buffer'
                )
            where, edge = ('future', stamps[-1]) if time_ns > stamps[-1] else ('past', stamps[0])
            raise ExtrapolationException(
                f'extrapolation into the {where}: time {_seconds(time_ns)} was asked for, but the '
                f'{"latest" if where == "future" else "earliest"} transform is at {_seconds(edge)}'
            )
        place = bisect.bisect_right(stamps, time_ns)
        older = self._samples[place - 1]
        if older.stamp_ns == time_ns:
            return older
        newer = self._samples[place]
        if older.parent != newer.parent:
            return older
        ratio = (time_ns - older.stamp_ns) / (newer.stamp_ns - older.stamp_ns)
        return _Sample(
            time_ns,
            older.parent,
            _interpolate(older.parent_T_child, newer.parent_T_child, ratio),
        )

    def latest_ns(self) -> int | None:
        return self._stamps[-1] if self._stamps else 0

    def clear(self) -> None:
        self._stamps.clear()
        self._samples.clear()


class BufferCore:
    """Stores transforms of the last cache_time and answers what lies between two frames.

    All methods may be called from any thread.
    """

    def __init__(self, cache_time: Duration = DEFAULT_CACHE_TIME) -> None:
        self._cache_ns = cache_time.nanoseconds
        self._links: dict[str, _Link] = {}
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
        sample = _Sample(_nanoseconds(message.header.stamp), parent, transform)
        with self._changed:
            link = self._links.get(child)
            if static:
                if not isinstance(link, _StaticLink):
                    link = self._links[child] = _StaticLink()
                link.sample = sample
            else:
                if not isinstance(link, _MovingLink):
                    link = self._links[child] = _MovingLink(self._cache_ns)
                if not link.insert(sample):
                    get_logger('tf2').warning(
                        f'ignoring a transform of {child!r} by {authority!r}: time '
                        f'{_seconds(sample.stamp_ns)} is further back than the buffer reaches'
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

    def _chain(self, frame: str, time_ns: int) -> tuple[list[_Sample], Exception | None]:
        """Walk from a frame towards its root, as far as transforms of that time go."""
        samples: list[_Sample] = []
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

    def _meet(self, target: str, source: str, time_ns: int) -> tuple[list[_Sample], list[_Sample]]:
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
            return _IDENTITY
        below_target, below_source = self._meet(target, source, time_ns)
        common_T_target, common_T_source = _IDENTITY, _IDENTITY
        for sample in below_target:
            common_T_target = sample.parent_T_child @ common_T_target
        for sample in below_source:
            common_T_source = sample.parent_T_child @ common_T_source
        return common_T_target.inverse() @ common_T_source


def _multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    a, b, c, d = p
    x, y, z, w = q
    return (
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    )


def _interpolate(older: Transform, newer: Transform, ratio: float) -> Transform:
    """Linear in the translation, spherical linear (the short way round) in the rotation."""
    a, b, c = older.translation
    x, y, z = newer.translation
    translation = (a + (x - a) * ratio, b + (y - b) * ratio, c + (z - c) * ratio)
    cosine = sum(p * q for p, q in zip(older.rotation, newer.rotation, strict=True))
    sign = -1.0 if cosine < 0 else 1.0
    angle = math.acos(min(1.0, abs(cosine)))
    if angle < 1e-6:
        older_weight, newer_weight = 1.0 - ratio, ratio
    else:
        older_weight = math.sin((1.0 - ratio) * angle) / math.sin(angle)
        newer_weight = math.sin(ratio * angle) / math.sin(angle)
    mixed = [
        p * older_weight + q * newer_weight * sign
        for p, q in zip(older.rotation, newer.rotation, strict=True)
    ]
    norm = math.hypot(*mixed)
    qx, qy, qz, qw = (value / norm for value in mixed)
    return Transform(translation, (qx, qy, qz, qw))


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


def _seconds(time_ns: int) -> str:
    return f'{time_ns // 10**9}.{time_ns % 10**9:09d}'
