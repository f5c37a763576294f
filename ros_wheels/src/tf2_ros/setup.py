from setuptools import setup

setup(
    name='tf2_ros',
    version='0.36.4',
    packages=['tf2_ros'],
    package_data={'tf2_ros': ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/tf2_ros']),
        ('share/tf2_ros', ['package.xml']),
    ],
)
