"""Plausibility of the mount of a camera: its place and axis in TF."""

import math

from semantic_nav.contracts.geometry import Transform

#: Largest horizontal distance of a camera from the robot's own frame, in m, and from the outline
#: of a long robot. An arm or a mast carries it so far.
FAR_M, BEYOND_M = 1.6, 1.0
#: Largest height of a camera over the robot's own frame, in m: that of a lifted fork.
HIGH_M = 10.0
#: Largest height of base_link over the floor if TF does not tell it, in m: that of an axle.
AXLE_M = 0.4
#: Length below which a mount was probably never measured, in m.
_UNMEASURED_M = 0.01
_MEASURE = ('as if nobody had measured its mount, or another node published its frame; give its '
            'static transform or URDF its height over base_link, in m, z up')
#: Largest pitch of a camera that searches, up or down, in rad.
STEEP_RAD = math.radians(60.0)


def fault_of_place(base_T_camera: Transform, reach_m: float, base_up_m: float = AXLE_M) -> str:
    """Fault of the place of a camera in TF, for people; empty for none.

    Args:
        base_T_camera: of its optical frame.
        reach_m: largest distance of the footprint from base_link; 0 if unknown.
        base_up_m: height of the robot's frame in the odometry; the largest possible if unknown.
    """
    x, y, z = base_T_camera.translation
    away_m, most_m = math.hypot(x, y), max(FAR_M, reach_m + BEYOND_M)
    if not away_m <= most_m:
        return (f'TF has the camera {away_m:.3g} m aside of the base, at ({x:.2f}, {y:.2f}), and '
                f'{most_m:.3g} m is the most that is believed ({BEYOND_M:g} m beyond a long '
                'footprint): see its static transform or URDF, in m, and whether another node '
                'publishes its frame')
    if not abs(z) <= HIGH_M:
        return (f'TF has the camera {z:.3g} m above the base, and {HIGH_M:g} m is the most that '
                'is believed: see its static transform or URDF, in m')
    up_m = _up_m(z, base_up_m)
    on_floor = abs(up_m) < _UNMEASURED_M
    return f'{_words_of_height(z, "on" if on_floor else "under")}: {_MEASURE}' if (
        on_floor or up_m < -AXLE_M) else ''


def doubt_of_place(base_T_camera: Transform, base_up_m: float) -> str:
    """Doubt about the place of a camera in TF, for people; empty for none.

    Args:
        base_T_camera: of its optical frame, without fault.
        base_up_m: height of the robot's frame in the odometry.
    """
    up_m = _up_m(base_T_camera.translation[2], base_up_m)
    if up_m < 0.0:
        return (f'{_words_of_height(base_T_camera.translation[2], "under")}: {_MEASURE}, and TF '
                'that of base_link over base_footprint')
    if math.hypot(*base_T_camera.translation) < _UNMEASURED_M:
        return f'TF has the camera in the very middle of the base: {_MEASURE}'
    return ''


def _words_of_height(z: float, side: str) -> str:
    return f'TF has the camera {side} the floor, at z = {z:.2f} m of the base'


def _up_m(z: float, base_up_m: float) -> float:
    """Height of a camera over the floor in m; a base below the odometry's origin counts as 0."""
    return z + max(0.0, base_up_m)


def fault_of_axis(base_T_camera: Transform) -> str:
    """Fault of the axis of a camera in TF, for people; empty for none. Upside down is allowed."""
    up_rad = math.asin(min(1.0, max(-1.0, float(base_T_camera.matrix[2, 2]))))
    if abs(up_rad) <= STEEP_RAD:
        return ''
    return (f'by TF the camera looks {math.degrees(abs(up_rad)):.0f} degrees '
            f'{"up" if up_rad > 0.0 else "down"}; the frame that the driver names must be the '
            'optical one (z ahead, x to the right, as camera_color_optical_frame), not that of '
            'the body (x ahead, as camera_link)')
