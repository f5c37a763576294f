"""The pinned requirements agree with each other and with what is documented."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WHEELS = ROOT / 'ros_wheels'
#: Where the wheels of a distribution are pinned.
JAZZY, KILTED = WHEELS, WHEELS / 'kilted'
FILES = sorted([*ROOT.glob('requirements*.txt'), *WHEELS.glob('**/requirements.txt')])


def pins(path: Path) -> dict[str, str]:
    """Return name -> version; fails on anything that is not an exact pin."""
    found = {}
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if not line or line.startswith('-r '):
            continue
        match = re.fullmatch(r'([A-Za-z0-9._-]+)==([0-9][0-9A-Za-z.]*)', line)
        assert match, f'{path.name}: {line!r} is not an exact pin'
        found[match[1].lower().replace('_', '-')] = match[2]
    return found


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_every_requirement_is_pinned_as_in_the_constraints(path: Path) -> None:
    for folder in [JAZZY, KILTED] if path.parent == ROOT else [path.parent]:
        constraints = pins(folder / 'constraints.txt')
        for name, version in pins(path).items():
            if not path.name.endswith('nodeps.txt'):
                assert constraints.get(name) == version


def test_both_distributions_have_the_same_packages_from_elsewhere() -> None:
    def others(folder: Path) -> dict[str, str]:
        return {name: version for name, version in pins(folder / 'constraints.txt').items()
                if not name.startswith('ros-')}
    assert others(JAZZY) == others(KILTED)


def test_kilted_has_two_packages_fewer_and_one_more() -> None:
    jazzy, kilted = ({name.removeprefix(f'ros-{distro}-')
                      for name in pins(folder / 'requirements.txt')}
                     for distro, folder in (('jazzy', JAZZY), ('kilted', KILTED)))
    assert jazzy - kilted == {'fastrtps-cmake-module', 'python-cmake-module'}
    assert kilted - jazzy == {'ament-cmake-ros-core'}


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_every_dependency_is_documented(path: Path) -> None:
    page = (ROOT / 'docs' / 'contributing.md').read_text()
    documented = page.partition('\n## Dependencies\n')[2]
    for name in pins(path):
        if not name.startswith(('ros-jazzy-', 'ros-kilted-')):
            assert f'`{name}`' in documented.lower(), f'{name} is missing in docs/contributing.md'


def test_a_robot_takes_nothing_from_pypi_that_its_ros_was_compiled_against() -> None:
    assert not {'numpy', 'scipy', 'pillow'} & set(pins(ROOT / 'requirements-robot.txt'))
