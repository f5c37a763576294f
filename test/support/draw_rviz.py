"""Stands in for RViz in docs/operating.md, with no more of its displays than is needed there.

    . ros_wheels/env.sh && python test/support/draw_rviz.py --out docs/images/rviz

A mission is carried out in the simulator. The messages of the topics in config/semantic_nav.rviz
are drawn from above, a picture for each layer, as they were at a moment that tells something.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import PolygonStamped, PoseStamped
from nav_msgs.msg import OccupancyGrid
from nav_msgs.msg import Path as PathMessage
from PIL import Image, ImageDraw
from rclpy.node import Node
from sensor_msgs.msg import Image as ImageMessage
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.bringup.processes import NavSettings
from semantic_nav.client.narrator import Narrator
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.names import PREFIX
from semantic_nav.show.mission_pictures import font
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import simulated_robot

_GOAL, _WORLD, _SEED, _PATIENCE_S = 'find the red mug', 'apartment', 4, 600.0
_PX_PER_M, _MARGIN_M = 70, 0.4
_ZONES = """
frame_id: map
zones:
- {names: [nursery], kind: keep_out, polygon: [[8.2, 0.6], [9.8, 0.6], [9.8, 2.4], [8.2, 2.4]]}
- {names: [hall], kind: speed, polygon: [[4.0, 3.2], [6.0, 3.2], [6.0, 5.0], [4.0, 5.0]],
   max_speed_mps: 0.2}
"""
_MARKERS = ('places', 'things', 'search', 'verifier', 'zones', 'candidates', 'verdict')
#: What is nearer to the robot is hidden by it, in metres.
_FAR_M = 1.0
_ROBOT, _WAY = (25, 255, 240), (40, 170, 60)


@dataclass
class Heard:
    """The newest message of each topic, and what is kept of some moments for the pictures."""

    newest: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)

    def listen(self, node: Node) -> None:
        for name in _MARKERS:
            self._take(node, MarkerArray, f'{PREFIX}/markers/{name}', name, qos.STATE)
        for kind, topic, profile in (
                (OccupancyGrid, 'map', qos.STATE),
                (OccupancyGrid, 'global_costmap/costmap', qos.STATE),
                (PolygonStamped, 'global_costmap/published_footprint', qos.EVENTS),
                (PoseStamped, f'{PREFIX}/verified_goal', qos.DISPLAY),
                (PathMessage, 'plan', qos.EVENTS),
                (ImageMessage, f'{PREFIX}/look_picture', qos.DISPLAY)):
            self._take(node, kind, topic, topic.rpartition('/')[2], profile)

    def _take(self, node: Node, kind: type, topic: str, name: str, profile: Any) -> None:
        def take(message: Any) -> None:
            self.newest[name] = message
            if self._tells(name, message):
                self.kept[name] = dict(self.newest)

        node.create_subscription(kind, topic, take, profile)

    def _tells(self, name: str, message: Any) -> bool:
        """Tell whether a message shows something: arrows far from the robot, and then several."""
        if not isinstance(message, MarkerArray):
            return True
        drawn = [one for one in message.markers if one.action == Marker.ADD]
        if name not in ('search', 'verdict'):
            return any(one.type != Marker.TEXT_VIEW_FACING for one in drawn)
        robot = self.newest.get('published_footprint')
        if robot is None:
            return False
        x, y = np.mean([(point.x, point.y) for point in robot.polygon.points], axis=0)
        arrows = [one.pose.position for one in drawn if one.type == Marker.ARROW]
        return len(arrows) >= (3 if name == 'search' else 1) and any(
            np.hypot(at.x - x, at.y - y) > _FAR_M for at in arrows)


class Canvas:
    """A picture of the map from above."""

    def __init__(self, grid: OccupancyGrid) -> None:
        values = np.array(grid.data, np.int16).reshape(grid.info.height, grid.info.width)
        rows, columns = np.nonzero(values >= 0)
        step, origin = grid.info.resolution, grid.info.origin.position
        self._left = origin.x + columns.min() * step - _MARGIN_M
        self._top = origin.y + (rows.max() + 1) * step + _MARGIN_M
        size = (round((columns.max() * step + origin.x + _MARGIN_M - self._left) * _PX_PER_M),
                round((self._top - rows.min() * step - origin.y + _MARGIN_M) * _PX_PER_M))
        self.image = Image.new('RGBA', size, (48, 48, 48, 255))
        self.grid(grid, _as_map)

    def grid(self, grid: OccupancyGrid, colours: Callable[[np.ndarray], np.ndarray]) -> None:
        values = np.array(grid.data, np.int16).reshape(grid.info.height, grid.info.width)
        layer = Image.fromarray(colours(values)[::-1].astype(np.uint8), 'RGBA')
        side = grid.info.resolution * _PX_PER_M
        layer = layer.resize((round(layer.width * side), round(layer.height * side)),
                             Image.Resampling.NEAREST)
        u, v = self._pixel(grid.info.origin.position.x,
                           grid.info.origin.position.y + grid.info.height * grid.info.resolution)
        over = Image.new('RGBA', self.image.size)
        over.paste(layer, (round(u), round(v)))
        self.image = Image.alpha_composite(self.image, over)

    def line(self, points: Sequence[tuple[float, float]], colour: tuple[int, ...],
             width_m: float = 0.03) -> None:
        over = Image.new('RGBA', self.image.size)
        ImageDraw.Draw(over).line([self._pixel(*point) for point in points], colour,
                                  max(2, round(width_m * _PX_PER_M)), 'curve')
        self.image = Image.alpha_composite(self.image, over)

    def markers(self, message: MarkerArray) -> None:
        # Texts last: nothing lies over them.
        for marker in sorted(message.markers, key=lambda one: one.type):
            if marker.action == Marker.ADD:
                self._marker(marker)

    def _marker(self, marker: Marker) -> None:
        x, y = marker.pose.position.x, marker.pose.position.y
        colour, points = _colour(marker.color), [(point.x, point.y) for point in marker.points]
        match marker.type:
            case Marker.ARROW:
                q = marker.pose.orientation
                yaw = 2.0 * np.arctan2(q.z, q.w)
                tip = (x + marker.scale.x * np.cos(yaw), y + marker.scale.x * np.sin(yaw))
                self.line([(x, y), tip], colour, marker.scale.y)
                self._shape('ellipse', *tip, 0.14, 0.14, colour)
            case Marker.SPHERE:
                self._shape('ellipse', x, y, marker.scale.x, marker.scale.y, colour)
            case Marker.LINE_STRIP:
                self.line(points, colour, marker.scale.x)
            case Marker.LINE_LIST:
                for first, second in zip(points[::2], points[1::2], strict=True):
                    self.line([first, second], colour, marker.scale.x)
            case Marker.CUBE_LIST:
                for (px, py), own in zip(points, marker.colors, strict=True):
                    self._shape('rectangle', px, py, marker.scale.x, marker.scale.y, _colour(own))
            case Marker.POINTS:
                for px, py in points:
                    self._shape('ellipse', px, py, 0.07, 0.07, colour)
            case Marker.TEXT_VIEW_FACING:
                draw = ImageDraw.Draw(self.image)
                draw.multiline_text(self._pixel(x, y), marker.text, colour, anchor='mm',
                                    font=font(max(11, round(marker.scale.z * _PX_PER_M))),
                                    align='center', stroke_width=2, stroke_fill=(20, 20, 20))
            case _:
                raise ValueError(f'a marker of type {marker.type}')

    def _shape(self, shape: str, x: float, y: float, width_m: float, height_m: float,
               colour: tuple[int, ...]) -> None:
        u, v = self._pixel(x, y)
        half_u, half_v = (max(3.0, side * _PX_PER_M / 2) for side in (width_m, height_m))
        over = Image.new('RGBA', self.image.size)
        getattr(ImageDraw.Draw(over), shape)((u - half_u, v - half_v, u + half_u, v + half_v),
                                             colour)
        self.image = Image.alpha_composite(self.image, over)

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        return (x - self._left) * _PX_PER_M, (self._top - y) * _PX_PER_M


def _colour(colour: Any) -> tuple[int, ...]:
    return tuple(round(255 * part) for part in (colour.r, colour.g, colour.b, colour.a))


def _as_map(values: np.ndarray) -> np.ndarray:
    grey = np.where(values < 0, 90, 225 - np.clip(values, 0, 100) * 2)
    return np.stack([grey, grey, grey, np.full_like(grey, 255)], axis=-1)


def _as_costmap(values: np.ndarray) -> np.ndarray:
    cost = np.clip(values, 0, 100)
    return np.stack([cost * 2.55, 40 + cost, 255 - cost * 2.55,
                     np.where(values > 0, 150, 0)], axis=-1)


def draw(moment: dict[str, Any], *layers: str) -> Image.Image:
    """Draw map, robot and some layers as they were at a moment."""
    canvas = Canvas(moment['map'])
    for name in layers:
        message = moment.get(name)
        if message is None:
            continue
        if name == 'costmap':
            canvas.grid(message, _as_costmap)
        elif name == 'plan':
            canvas.line([(one.pose.position.x, one.pose.position.y) for one in message.poses],
                        (*_WAY, 255), 0.05)
        else:
            canvas.markers(message)
    footprint = moment.get('published_footprint')
    if footprint is not None:
        corners = [(point.x, point.y) for point in footprint.polygon.points]
        canvas.line([*corners, corners[0]], (*_ROBOT, 255), 0.04)
    return canvas.image.convert('RGB')


def mission(heard: Heard) -> None:
    """Carry a mission out and listen."""
    with tempfile.TemporaryDirectory() as folder:
        zones = Path(folder, 'zones.yaml')
        zones.write_text(_ZONES)
        shown = {'show_search': True, 'show_candidates': True, 'zones_file': str(zones)}
        narrator = Narrator(print)
        with simulated_robot(RunFolder(Path(folder, 'run')), SimSettings(world=_WORLD, seed=_SEED),
                             narrator, NavSettings(of_node={'verifier': shown})) as robot:
            heard.listen(robot.operator)
            robot.say(_GOAL)
            robot.until(lambda: narrator.outcome is not None, _PATIENCE_S)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=Path, default=Path('docs/images/rviz'))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    heard = Heard()
    mission(heard)
    for name, layers in {
            'map': (), 'costmap': ('costmap',), 'places': ('places',), 'things': ('things',),
            'search': ('search',), 'verifier': ('verifier',), 'zones': ('zones',),
            'candidates': ('candidates',), 'verdict': ('verdict', 'plan')}.items():
        # The map of the end has all rooms.
        moment = heard.newest if name in ('map', 'costmap', 'zones') else heard.kept[name]
        draw(moment, *layers).quantize(64).save(out / f'{name}.png', optimize=True)
    picture = heard.newest['look_picture']
    Image.fromarray(np.frombuffer(bytes(picture.data), np.uint8).reshape(
        picture.height, picture.width, 3)).quantize(128).save(
            out / 'look_picture.png', optimize=True)


if __name__ == '__main__':
    main()
