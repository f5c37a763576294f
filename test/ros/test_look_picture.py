"""The picture of the last look, with what the model made of it."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import approach, document, meta
from fake_nav2 import Rig, running
from PIL import Image as Picture
from rclpy.context import Context
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import Image

from semantic_nav.contracts.documents import Document, Hypothesis
from semantic_nav.contracts.hypothesis import Scene, SceneObject
from semantic_nav.contracts.vocabulary import Source
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.look_picture import LookPicture
from semantic_nav.vlm.events import PictureTaken

STAMP_NS = 7_000_000_000
WIDTH, HEIGHT = 320, 240
BOX = (500.0, 500.0, 750.0, 750.0)
SCENE = Scene('kitchen', (
    SceneObject('red mug', BOX), SceneObject('Tür', (0.0, 0.0, 250.0, 500.0)),
    SceneObject('unplaced')))


def taken(stamp_ns: int = STAMP_NS) -> PictureTaken:
    jpeg = BytesIO()
    Picture.new('RGB', (WIDTH, HEIGHT), (128, 128, 128)).save(jpeg, 'JPEG')
    return PictureTaken('look-1', stamp_ns, 'camera_optical', jpeg.getvalue(), 640, 480, WIDTH,
                        HEIGHT)


def answer(stamp_ns: int = STAMP_NS) -> Document:
    return document(Hypothesis('step-1', Source.MODEL, approach(BOX, scene=SCENE), meta()),
                    stamp_ns=stamp_ns)


class Bench(Rig):
    """A node that publishes the pictures."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.node: Any = self.add(LifecycleNode('shower', context=context, namespace='robot1'))
        self.shown = LookPicture(self.node)


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


def test_boxes_are_drawn_into_the_picture_of_their_look(bench: Bench) -> None:
    heard: list[Image] = []
    bench.peer.create_subscription(Image, '/robot1/semantic_nav/look_picture', heard.append,
                                   qos.DISPLAY)
    publisher = bench.shown._publisher
    bench.until(lambda: publisher.get_subscription_count())
    bench.shown.taken(taken())
    bench.shown.taken(taken(STAMP_NS + 1))
    bench.shown.follow(answer(STAMP_NS + 2))
    bench.shown.follow(answer())
    bench.until(lambda: heard)
    (message,) = heard
    assert (message.encoding, message.header.frame_id) == ('rgb8', 'camera_optical')
    assert message.header.stamp.sec == STAMP_NS // 1_000_000_000
    pixels = np.frombuffer(bytes(message.data), np.uint8).reshape(
        message.height, message.width, 3).astype(int)
    red, _, blue = pixels[150, WIDTH // 2]
    assert red > 180 > blue, 'the left side of the target'
    red, _, blue = pixels[60, WIDTH // 4]
    assert blue > 200 > red, 'the right side of the door'
    assert np.abs(pixels[100, 120] - 128).max() < 5, 'where no box is'


def test_nothing_is_drawn_where_nobody_listens(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('semantic_nav.nodes.ros.look_picture.drawn', None)
    bench.shown.taken(taken())
    bench.shown.follow(answer())
