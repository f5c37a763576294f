"""The unit of systemd, the settings of Cyclone DDS, the containers and the workflow."""

import ast
import configparser
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from semantic_nav.bringup.robot_profiles import robots_known
from semantic_nav.contracts.share import share_path

ROOT = Path(__file__).parents[2]
UNIT = share_path('config', 'systemd', 'semantic_nav.service')
#: Of systemd 254; Ubuntu 24.04 has 255.
NEW_KEYS = ('RestartSteps', 'RestartMaxDelaySec')


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read_string(UNIT.read_text(encoding='utf-8'))
    return parser


def test_the_unit_launches_what_there_is() -> None:
    service = unit()['Service']
    package, file = re.search(r'ros2 launch (\S+) (\S+)', service['ExecStart']).groups()
    assert package == 'semantic_nav'
    tree = ast.parse(share_path('launch', file).read_text(encoding='utf-8'))
    assert any(isinstance(one, ast.FunctionDef) and one.name == 'generate_launch_description'
               for one in tree.body)
    robot, = re.findall(r'robot:=(\w+)', UNIT.read_text(encoding='utf-8'))
    assert robot in robots_known()


def test_the_unit_ends_as_an_operator_does_and_starts_again_after_a_failure() -> None:
    service = unit()['Service']
    assert (service['KillSignal'], service['Restart']) == ('SIGINT', 'on-failure')
    # Our nodes spin a second for the answer to a cancel, and launch waits five.
    assert int(service['TimeoutStopSec']) > 10
    assert unit()['Unit']['StartLimitIntervalSec'] == '0'


def test_systemd_knows_every_key_of_the_unit() -> None:
    program = shutil.which('systemd-analyze')
    if program is None:
        pytest.skip('systemd is not installed')
    said = subprocess.run([program, 'verify', str(UNIT)], capture_output=True, text=True,
                          check=False)
    wrong = [line for line in said.stderr.splitlines()
             if str(UNIT) in line and not any(f"'{key}'" in line for key in NEW_KEYS)]
    assert not wrong


def test_the_settings_of_cyclone_dds_are_of_its_schema() -> None:
    root = ElementTree.parse(share_path('config', 'cyclonedds_pictures.xml')).getroot()
    assert root.tag == '{https://cdds.io/config}CycloneDDS'
    size, = (one for one in root.iter() if one.tag.endswith('SocketReceiveBufferSize'))
    # Ten pictures of 640 x 480 pixels fit.
    assert int(size.get('min', '').removesuffix('MB')) * 10**6 > 10 * 640 * 480 * 3


def test_the_image_builds_as_the_page_on_the_robot_says() -> None:
    text = re.sub(r' *\\\n +', ' ', (ROOT / 'Dockerfile').read_text(encoding='utf-8'))
    page = (ROOT / 'docs' / 'install.md').read_text(encoding='utf-8')
    assert text.startswith('#') and '\nFROM ros:jazzy\n' in text
    for command in ('rosdep install --from-paths . interfaces --ignore-src -y',
                    'ros_wheels/bootstrap', 'python -m colcon build --base-paths . interfaces '
                    '--packages-select semantic_nav_msgs semantic_nav',
                    'ros2 launch semantic_nav nav.launch.py'):
        assert command in text and command in page
    assert '.venv' in (ROOT / '.dockerignore').read_text(encoding='utf-8').split()


def test_the_workflow_runs_what_there_is() -> None:
    jobs = yaml.safe_load((ROOT / '.github/workflows/test.yaml').read_text())['jobs']
    commands = '\n'.join(step.get('run', '') for job in jobs.values() for step in job['steps'])
    for target in re.findall(r'^make ([a-z-]+)', commands, re.MULTILINE):
        assert re.search(rf'^{target}:', (ROOT / 'Makefile').read_text(), re.MULTILINE)
    for path in ('.ci/run', 'ros_wheels/bootstrap', 'ros_wheels/env.sh', 'test/launch',
                 'test/ros'):
        assert path in commands and (ROOT / path).exists()


def test_the_workflow_runs_the_suite_on_all_wheels_that_are_pinned() -> None:
    job = yaml.safe_load((ROOT / '.github/workflows/test.yaml').read_text())['jobs']['wheels']
    assert job['env']['ROS_DISTRO_WHEELS'] == '${{ matrix.distribution }}'
    others = [path.parent.name for path in ROOT.glob('ros_wheels/*/requirements.txt')]
    assert job['strategy']['matrix']['distribution'] == ['jazzy', *others]


def test_the_container_for_developers_is_set_up_as_the_page_on_the_robot_says() -> None:
    folder = ROOT / '.devcontainer'
    described = json.loads((folder / 'devcontainer.json').read_text(encoding='utf-8'))
    assert described['image'] == 'ros:jazzy'
    script = ROOT / described['postCreateCommand'].removeprefix('bash ')
    assert subprocess.run(['bash', '-n', script], check=False).returncode == 0
    page = (ROOT / 'docs' / 'install.md').read_text(encoding='utf-8')
    for command in ('rosdep install --from-paths . interfaces --ignore-src -y',
                    'ros_wheels/bootstrap', 'python -m colcon build --base-paths . interfaces '
                    '--packages-select semantic_nav_msgs semantic_nav'):
        assert command in script.read_text(encoding='utf-8') and command in page
