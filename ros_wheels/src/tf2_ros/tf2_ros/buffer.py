"""The transform buffer with waiting."""

from __future__ import annotations

import time as _time
from collections.abc import Callable

from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import TransformStamped
from rclpy.clock import Clock, JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from tf2_msgs.srv import FrameGraph

from tf2_ros.buffer_core import DEFAULT_CACHE_TIME, BufferCore


class Buffer(BufferCore):
    """A BufferCore that can wait, and that starts afresh when the clock jumps back.

    Services (with a node): tf2_frames (tf2_msgs/FrameGraph), the tree as YAML.
    """

    def __init__(self, cache_time: Duration | None = None, node: Node | None = None) -> None:
        """Make an empty buffer.

        Args:
            cache_time: How far the history reaches back; 10 s by default.
            node: Its clock is watched for jumps, and it offers the service.
        """
        super().__init__(DEFAULT_CACHE_TIME if cache_time is None else cache_time)
        self._waiting: list[Callable[[], None]] = []
        if node is not None:
            self.srv = node.create_service(FrameGraph, 'tf2_frames', self._get_frames)
            self.clock = node.get_clock()
        else:
            self.clock = Clock()
        self.jump_handle = self.clock.create_jump_callback(
            JumpThreshold(
                min_forward=None, min_backward=Duration(seconds=-1), on_clock_change=True
            ),
            post_callback=self.time_jump_callback,
        )

    def time_jump_callback(self, time_jump: TimeJump) -> None:
        """Forget the history: its stamps mean nothing on the new time line."""
        get_logger('tf2_buffer').warning('time jumped back; clearing the buffer')
        self.clear()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        super().set_transform(transform, authority)
        self._wake()

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        super().set_transform_static(transform, authority)
        self._wake()

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time | TimeMsg,
        timeout: Duration = Duration(),
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Tell whether a lookup would answer now or within the timeout.

        Waiting blocks: transforms must come in through another thread.
        """
        answer = self._wait(
            lambda: self.can_transform_core(target_frame, source_frame, time), timeout
        )
        return answer if return_debug_tuple else answer[0]

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time | TimeMsg,
        source_frame: str,
        source_time: Time | TimeMsg,
        fixed_frame: str,
        timeout: Duration = Duration(),
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Do the same for a lookup across two times."""
        answer = self._wait(
            lambda: self.can_transform_full_core(
                target_frame, target_time, source_frame, source_time, fixed_frame
            ),
            timeout,
        )
        return answer if return_debug_tuple else answer[0]

    def lookup_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time | TimeMsg,
        timeout: Duration = Duration(),
    ) -> TransformStamped:
        """Return target_T_source, waiting for it up to the timeout.

        See lookup_transform_core for arguments and errors.
        """
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Time | TimeMsg,
        source_frame: str,
        source_time: Time | TimeMsg,
        fixed_frame: str,
        timeout: Duration = Duration(),
    ) -> TransformStamped:
        """Return target at one time from source at another, waiting up to the timeout."""
        self.can_transform_full(
            target_frame, target_time, source_frame, source_time, fixed_frame, timeout
        )
        return self.lookup_transform_full_core(
            target_frame, target_time, source_frame, source_time, fixed_frame
        )

    def wait_for_transform_async(
        self, target_frame: str, source_frame: str, time: Time | TimeMsg
    ) -> Future:
        """Return a future that holds the transform as soon as it is known."""
        future = Future()

        def attempt() -> None:
            if future.done() or self.can_transform_core(target_frame, source_frame, time)[0]:
                with self._changed:
                    if attempt in self._waiting:
                        self._waiting.remove(attempt)
                if not future.done():
                    future.set_result(self.lookup_transform_core(target_frame, source_frame, time))

        with self._changed:
            self._waiting.append(attempt)
        attempt()
        return future

    async def lookup_transform_async(
        self, target_frame: str, source_frame: str, time: Time | TimeMsg
    ) -> TransformStamped:
        """Return target_T_source as soon as it is known."""
        await self.wait_for_transform_async(target_frame, source_frame, time)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def _wait(self, ask: Callable[[], tuple[bool, str]], timeout: Duration) -> tuple[bool, str]:
        deadline = _time.monotonic() + timeout.nanoseconds / 1e9
        with self._changed:
            while not (answer := ask())[0]:
                remaining_s = deadline - _time.monotonic()
                if remaining_s <= 0:
                    break
                self._changed.wait(remaining_s)
        return answer

    def _wake(self) -> None:
        with self._changed:
            waiting = list(self._waiting)
        for attempt in waiting:
            attempt()

    def _get_frames(
        self, request: FrameGraph.Request, response: FrameGraph.Response
    ) -> FrameGraph.Response:
        response.frame_yaml = self.all_frames_as_yaml()
        return response
