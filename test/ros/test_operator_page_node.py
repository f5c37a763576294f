"""The node of the operator page beside a belief that does not answer."""

from collections.abc import Iterator

import pytest
import rclpy
from executors import shut_down, spun, until
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from semantic_nav_msgs.action import Find
from sensor_msgs.msg import Image
from std_msgs.msg import String

from semantic_nav.contracts.codec import encode_document
from semantic_nav.contracts.documents import Document, Look
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.patient_action_server import PatientActionServer
from semantic_nav.operator import node as operator_node
from semantic_nav.operator.standing import Command
from semantic_nav.operator.wish import Wish


@pytest.fixture
def page(ros_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[operator_node.OperatorPage]:
    """A page whose belief takes goals and does nothing, and serves nothing else."""
    del ros_domain
    monkeypatch.setattr(operator_node, 'CANCELLED_S', 0.5)
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor(context)
    page = operator_node.OperatorPage(context, 'robot1')
    belief = Node('belief', context=context, namespace='robot1')
    server = PatientActionServer(belief, Find, 'semantic_nav/find', lambda: True,
                                 lambda handle: None, lambda handle: False)
    executor.add_node(page.node)
    executor.add_node(belief)
    with spun(executor):
        until(lambda: page.node.heard)
        yield page
    shut_down(executor)
    page.node.destroy_node()
    server.destroy()
    belief.destroy_node()
    rclpy.shutdown(context=context)


def test_a_cancel_that_nobody_answers_is_told(page: operator_node.OperatorPage) -> None:
    told: list[tuple[bool, str]] = []
    page.desk.wishes.put(Wish(
        Command.CANCEL, '', lambda done, words, reply: told.append((done, words))))
    until(lambda: bool(told))
    assert told == [(False, 'the belief node did not answer; make sure that the robot stands')]


@pytest.mark.parametrize('deed', [Command.NAME, Command.FORGET])
def test_without_a_memory_nothing_is_named_or_forgotten(
        page: operator_node.OperatorPage, deed: Command) -> None:
    told: list[tuple[bool, str]] = []
    page.desk.wishes.put(Wish(
        deed, 'home', lambda done, words, reply: told.append((done, words)), 'here'))
    until(lambda: bool(told))
    assert told == [(False, 'the memory does not answer; is its node started and active?')]


def test_a_look_gets_no_picture_of_another_camera(page: operator_node.OperatorPage) -> None:
    """Drivers that shoot at the same time give the pictures of all cameras one stamp."""
    node = page.node
    shoot = node.create_publisher(Image, 'camera/image_raw', qos.IMAGES)
    speak = node.create_publisher(String, 'semantic_nav/look', qos.OF_DOCUMENT['look'])
    picture = Image(height=3, width=4, step=12, encoding='rgb8', data=bytes(36))
    picture.header.stamp.nanosec, picture.header.frame_id = 7, 'camera_frame'

    def say(camera: str) -> None:
        look = Document(f'look-{camera}', '', 'goal-1', 7, f'{camera}_frame',
                        Look(True, '', 4, 3, camera=camera))
        speak.publish(String(data=encode_document(look)))

    def shown(camera: str) -> bool:
        say(camera)
        return page.desk.picture(f'look-{camera}') is not None

    def shot() -> bool:
        shoot.publish(picture)
        return shown('camera')

    page.desk.open_page()
    until(shot)
    # The page has the picture now, and what is said is heard in order.
    say('left')
    picture.header.frame_id = 'rear_frame'
    until(lambda: shoot.publish(picture) or shown('rear'))
    assert page.desk.picture('look-left') is None
