from setuptools import setup

setup(
    name='cv_bridge',
    version='4.1.0',
    packages=['cv_bridge'],
    package_data={'cv_bridge': ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/cv_bridge']),
        ('share/cv_bridge', ['package.xml']),
    ],
)
