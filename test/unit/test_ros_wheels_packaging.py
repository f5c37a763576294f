"""package.xml, setup.py and the requirements say what the code really needs."""

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

import pytest
import shapely

ROOT = Path(__file__).parents[2]
#: Where each package of Python lies.
PACKAGES = {'semantic_nav': ROOT, 'semantic_nav_sim': ROOT / 'semantic_nav_sim'}
MESSAGES = ROOT / 'interfaces' / 'semantic_nav_msgs'

# Modules that come by another name: as a rosdep key, or from PyPI.
ROSDEP = {
    'PIL': 'python3-pil',
    'cv2': 'python3-opencv',
    'numpy': 'python3-numpy',
    'scipy': 'python3-scipy',
    'shapely': 'python3-shapely',
    'yaml': 'python3-yaml',
    'jsonschema': 'python3-jsonschema',
}
PYPI = {
    'PIL': 'pillow',
    'yaml': 'pyyaml',
    'OpenGL': 'mujoco',
    'cv2': 'opencv_python_headless',
    'pxr': 'usd_core',
}


def code_of(package: str) -> list[Path]:
    """Return the Python files of a package and its launch files."""
    return [path for folder in (package, 'launch')
            for path in (PACKAGES[package] / folder).rglob('*.py')]


def imported(paths: Iterable[Path]) -> dict[str, str]:
    """Return the top-level modules that are imported, each with one file that does."""
    found = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or '']
            else:
                continue
            for name in names:
                found[name.split('.')[0]] = str(path.relative_to(ROOT))
    for name in list(found):
        if name in sys.stdlib_module_names:
            del found[name]
    return found


def manifest(package: str) -> ElementTree.Element:
    return ElementTree.parse(PACKAGES[package] / 'package.xml').getroot()


def manifest_dependencies(package: str, *tags: str) -> set[str]:
    return {element.text or '' for tag in tags for element in manifest(package).iter(tag)}


def pypi_names() -> set[str]:
    lines = (
        line for path in ROOT.glob('requirements*.txt') for line in path.read_text().splitlines()
    )
    return {
        match[1].lower().replace('-', '_')
        for line in lines
        if (match := re.match(r'([A-Za-z0-9._-]+)==', line))
    }


@pytest.mark.slow
@pytest.mark.parametrize('package', PACKAGES)
def test_every_import_is_declared(package: str) -> None:
    declared, pypi = manifest_dependencies(package, 'depend', 'exec_depend'), pypi_names()
    missing = {}
    for module, where in imported(code_of(package)).items():
        on_pypi = PYPI.get(module, module).lower() in pypi
        if not (module == package or ROSDEP.get(module, module) in declared or on_pypi):
            missing[module] = where
    assert not missing


@pytest.mark.slow
@pytest.mark.parametrize('package', PACKAGES)
def test_every_ros_package_is_used(package: str) -> None:
    for modules, tags in ((imported(code_of(package)), ('depend', 'exec_depend')),
                          (imported((ROOT / 'test').rglob('*.py')), ('test_depend',))):
        unused = {name for name in manifest_dependencies(package, *tags)
                  if not name.startswith('python3-') and name not in modules}
        assert not unused


@pytest.mark.slow
def test_everything_from_pypi_is_used() -> None:
    code = [path for package in PACKAGES for path in code_of(package)]
    modules = {PYPI.get(name, name).lower() for name in imported(code)}
    text = '\n'.join(path.read_text() for path in code)
    run_time = ''.join(
        (ROOT / f'requirements{part}.txt').read_text()
        for part in ('', '-robot', '-sim', '-nodeps'))
    for name in re.findall(r'^([A-Za-z0-9._-]+)==', run_time, re.MULTILINE):
        used = name.lower().replace('-', '_') in modules or name in text
        assert used, f'{name} is required, but nothing imports it'


@pytest.mark.slow
def test_robot_needs_nothing_of_the_simulators_requirements() -> None:
    of_simulator = set(re.findall(r'^([A-Za-z0-9._-]+)==',
                                  (ROOT / 'requirements-sim.txt').read_text(), re.MULTILINE))
    assert of_simulator and not of_simulator & {
        PYPI.get(name, name) for name in imported(code_of('semantic_nav'))}


def test_no_more_of_shapely_is_used_than_ubuntu_has() -> None:
    used = {name for package in PACKAGES for path in code_of(package)
            for name in re.findall(r'\bshapely\.([a-z_]+)\(', path.read_text())}
    what = {name: (getattr(shapely, name).__doc__ or '').partition('Parameters')[0]
            for name in used}
    assert used and [name for name, words in what.items() if re.search(
        r'versionadded:: 2\.[1-9]', words)] == [], 'Ubuntu 24.04 has 2.0.3'


def test_the_version_is_the_same_everywhere() -> None:
    version = ElementTree.parse(MESSAGES / 'package.xml').findtext('version')
    for package, folder in PACKAGES.items():
        assert manifest(package).findtext('version') == version
        assert f"version='{version}'" in (folder / 'setup.py').read_text()


def test_the_messages_are_built_with_what_their_manifest_names() -> None:
    root = ElementTree.parse(MESSAGES / 'package.xml').getroot()
    cmake = (MESSAGES / 'CMakeLists.txt').read_text()
    named = {element.text for tag in ('depend', 'buildtool_depend')
             for element in root.iter(tag)}
    assert set(re.findall(r'find_package\((\w+)', cmake)) == named
    files = {str(path.relative_to(MESSAGES)) for path in MESSAGES.glob('*/*.action')}
    assert set(re.findall(r'"(\w+/\w+\.\w+)"', cmake)) == files
    text = ''.join((MESSAGES / file).read_text() for file in files)
    assert set(re.findall(r'^(\w+)/\w+ ', text, re.MULTILINE)) <= named


@pytest.mark.parametrize('package', PACKAGES)
def test_every_command_exists(package: str) -> None:
    scripts = re.findall(r"f'(\w+) = \{PACKAGE\}([.\w]+):(\w+)'",
                         (PACKAGES[package] / 'setup.py').read_text())
    assert scripts
    for script, module, function in scripts:
        path = PACKAGES[package] / package / Path(
            *module.strip('.').split('.')).with_suffix('.py')
        assert path.is_file(), f'{script}: {path.relative_to(ROOT)} does not exist'
        defined = {
            node.name
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.FunctionDef)
        }
        assert function in defined, f'{script}: {path.relative_to(ROOT)} has no {function}()'
