"""Build and install semantic_nav_sim as an ament_python package."""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = 'semantic_nav_sim'


def share(folder: str) -> list[tuple[str, list[str]]]:
    """Install every file below a folder under share/semantic_nav_sim, in the same tree."""
    by_folder: dict[Path, list[str]] = {}
    for path in sorted(Path(folder).rglob('*')):
        if path.is_file() and '__pycache__' not in path.parts:
            by_folder.setdefault(path.parent, []).append(str(path))
    return [(f'share/{PACKAGE}/{parent}', files) for parent, files in by_folder.items()]


setup(
    name=PACKAGE,
    version='0.1.0',
    description='The simulator, the stand-ins and the benchmark of semantic_nav',
    author='semantic_nav maintainers',
    maintainer='semantic_nav maintainers',
    maintainer_email='semantic-nav@users.noreply.github.com',
    license='Apache-2.0',
    python_requires='>=3.11',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    # Data that is read beside the module that uses it.
    package_data={PACKAGE: ['py.typed', '**/*.yaml']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        *share('launch'),
        *share('config'),
        *share('schema'),
    ],
    zip_safe=False,
    entry_points={
        'console_scripts': [
            f'sim_robot = {PACKAGE}.entry:sim_robot',
            f'sim_mapper = {PACKAGE}.entry:sim_mapper',
            f'sim_navigator = {PACKAGE}.entry:sim_navigator',
            f'sim_model_server = {PACKAGE}.entry:sim_model_server',
            f'bench = {PACKAGE}.cli.bench:main',
            f'demo = {PACKAGE}.cli.demo:main',
            f'world = {PACKAGE}.cli.world:main',
        ],
    },
)
