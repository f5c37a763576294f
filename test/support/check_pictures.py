"""Writes docs/verification.md and its pictures: what each check refuses, and what it lets pass.

Run it from a checkout: python test/support/check_pictures.py
"""

import math
from html import escape
from pathlib import Path
from textwrap import wrap

from check_cases import TOO_NEAR_M, Case, Scene, cases
from verification_page import PICTURES, markdown

from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.verify.checks.checks import CHECKS

DOCS = Path(__file__).parents[2] / 'docs'
BLACK, GREEN, RED, BLUE, GREY = '#181818', '#1e9646', '#d73228', '#1d6cde', '#5a5a60'
#: Pixels a metre, the margin round a room in metres, and where its words are.
_PX, _MARGIN_M, _WORDS_PX, _CHARS = 36, 0.6, 62, 56


def answers() -> dict[str, tuple[str, str]]:
    """Return code and reason of the refused case of each check, and those of the accepted one.

    Empty where it is not refused, as the accepted one must not be.
    """
    checks = {check.test.__name__: check for check in CHECKS}
    found = {}
    for name, case in cases().items():
        rejections = [checks[name].test(scene.subject, scene.situation)
                      for scene in (case.refused, case.accepted)]
        found[name] = tuple('' if one is None else f'{one.code}: {one.reason}'
                            for one in rejections)
    return found  # type: ignore[return-value]


def pictures() -> dict[str, str]:
    """Return the SVG of each case, by the name of the function of its check."""
    told = answers()
    return {name: _picture(case, *told[name]) for name, case in cases().items()}


def _picture(case: Case, refused: str, accepted: str) -> str:
    wide = round((case.refused.room.width_m + 2 * _MARGIN_M) * _PX)
    high = round((case.refused.room.depth_m + 2 * _MARGIN_M) * _PX) + _WORDS_PX
    panels = (_panel(case.refused, RED, refused or 'not refused'),
              _panel(case.accepted, GREEN, accepted or 'no refusal'))
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * wide}" height="{high}" '
        'font-family="sans-serif" font-size="11">',
        '<defs><pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<path d="M0 6L6 0" stroke="{GREY}" stroke-width="0.6"/></pattern></defs>',
        f'<rect width="{2 * wide}" height="{high}" fill="#fff"/>',
        *(f'<g transform="translate({number * wide} 0)">{panel}</g>'
          for number, panel in enumerate(panels)), '</svg>']) + '\n'


def _panel(scene: Scene, colour: str, words: str) -> str:
    room, parts = scene.room, []
    solid = [*room.walls, *room.blocks]
    for grown_m, fill in ((TOO_NEAR_M, '#fbe3df'), (0.0, '#46464c')):
        for block in solid:
            x0, x1 = max(0.0, block.x[0] - grown_m), min(room.width_m, block.x[1] + grown_m)
            y0, y1 = max(0.0, block.y[0] - grown_m), min(room.depth_m, block.y[1] + grown_m)
            parts.append(_rect(x0, y0, x1, y1, fill))
    if scene.unknown is not None:
        parts.append(_rect(*scene.unknown, 'url(#unknown)'))
    for zone in scene.zones:
        points = ' '.join(f'{_x(x)},{_y(y)}' for x, y in zone.corners)
        parts.append(f'<polygon points="{points}" fill="{RED}" fill-opacity="0.08" '
                     f'stroke="{RED}"/>')
        parts.append(_text(_x(zone.corners[0][0]) + 4, _y(zone.corners[0][1]) - 4,
                           zone.names[0], RED))
    if scene.path:
        points = ' '.join(f'{_x(x)},{_y(y)}' for x, y in scene.path)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{BLUE}" '
                     'stroke-width="2"/>')
    parts += [f'<circle cx="{_x(x)}" cy="{_y(y)}" r="5" fill="none" stroke="{GREY}" '
              'stroke-width="2"/>' for x, y in scene.points]
    parts.append(_robot(scene))
    if scene.goal is not None:
        parts.append(_arrow(scene.goal, colour, 0.2))
    under = round((room.depth_m + 2 * _MARGIN_M) * _PX)
    parts += [_text(round(_MARGIN_M * _PX), under + 12 * (number + 1), line, colour)
              for number, line in enumerate(wrap(words, _CHARS, max_lines=4))]
    return ''.join(parts)


def _robot(scene: Scene) -> str:
    robot, footprint = scene.situation.robot, footprint_of(scene.situation.config.footprint)
    arrow = _arrow(robot, BLACK, 0.18)
    if footprint is None:
        return arrow
    outlines = [_outline(footprint.corners, pose, colour) for pose, colour in (
        (robot, BLACK), (scene.goal, GREY)) if pose is not None]
    return ''.join(outlines) + arrow


def _outline(corners: tuple[tuple[float, float], ...], pose: Pose2D, colour: str) -> str:
    points = ' '.join(f'{_x(x)},{_y(y)}' for x, y in (_from(pose, *corner) for corner in corners))
    return f'<polygon points="{points}" fill="none" stroke="{colour}"/>'


def _arrow(pose: Pose2D, colour: str, size_m: float) -> str:
    corners = ((1.4 * size_m, 0.0), (-size_m, 0.8 * size_m), (-size_m, -0.8 * size_m))
    points = ' '.join(f'{_x(x)},{_y(y)}' for x, y in (_from(pose, *corner) for corner in corners))
    return f'<polygon points="{points}" fill="{colour}" stroke="#fff"/>'


def _from(pose: Pose2D, forward_m: float, left_m: float) -> tuple[float, float]:
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    return (pose.x + forward_m * cos - left_m * sin, pose.y + forward_m * sin + left_m * cos)


def _rect(x0: float, y0: float, x1: float, y1: float, fill: str) -> str:
    return (f'<rect x="{_x(x0)}" y="{_y(y1)}" width="{round((x1 - x0) * _PX, 1)}" '
            f'height="{round((y1 - y0) * _PX, 1)}" fill="{fill}"/>')


def _text(x: float, y: float, words: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}">{escape(words)}</text>'


def _x(x_m: float) -> float:
    return round((x_m + _MARGIN_M) * _PX, 1)


def _y(y_m: float) -> float:
    return round((6.0 - y_m + _MARGIN_M) * _PX, 1)


def main() -> None:
    """Write page and pictures."""
    folder = DOCS / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    drawn = pictures()
    for old in folder.glob('*.svg'):
        if old.stem not in drawn:
            old.unlink()
    for name, picture in drawn.items():
        write_whole(folder / f'{name}.svg', picture.encode())
    write_whole(DOCS / 'verification.md', markdown(drawn).encode())


if __name__ == '__main__':
    main()
