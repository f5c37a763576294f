"""The profile of a robot between the defaults and a person's own file, as ROS reads them."""

from pathlib import Path

import rclpy

from semantic_nav.contracts.share import share_path

DEFAULTS = str(share_path('config', 'semantic_nav.yaml'))
PROFILE = str(share_path('config', 'robots', 'turtlebot4.yaml'))


def read(ros_domain: int, namespace: str, *files: str) -> tuple[str, float]:
    """Return two parameters of a verifier with these parameter files."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=ros_domain)
    try:
        node = rclpy.create_node(
            'verifier', namespace=namespace, context=context,
            automatically_declare_parameters_from_overrides=True,
            cli_args=['--ros-args', *(word for file in files for word in ('--params-file', file))])
        try:
            return (node.get_parameter('camera_info_topic').value,
                    node.get_parameter('robot_radius').value)
        finally:
            node.destroy_node()
    finally:
        context.try_shutdown()


def test_what_a_later_file_says_counts(ros_domain: int, tmp_path: Path) -> None:
    topic = 'oakd/rgb/preview/camera_info'
    assert read(ros_domain, '', DEFAULTS, PROFILE) == (topic, 0.175)
    assert read(ros_domain, 'robot1', DEFAULTS, PROFILE) == (topic, 0.175)
    for section in ('/**/verifier', '/robot1/verifier', '/**'):
        own = tmp_path / 'own.yaml'
        own.write_text(f'{section}: {{ros__parameters: {{robot_radius: 0.3}}}}')
        assert read(ros_domain, 'robot1', PROFILE, str(own)) == (topic, 0.3), section
