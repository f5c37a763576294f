"""Build and install semantic_nav as an ament_python package."""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = 'semantic_nav'


def share(folder: str) -> list[tuple[str, list[str]]]:
    """Install every file below a folder under share/semantic_nav, in the same tree."""
    by_folder: dict[Path, list[str]] = {}
    for path in sorted(Path(folder).rglob('*')):
        if path.is_file() and '__pycache__' not in path.parts:
            by_folder.setdefault(path.parent, []).append(str(path))
    return [(f'share/{PACKAGE}/{parent}', files) for parent, files in by_folder.items()]


setup(
    name=PACKAGE,
    version='0.1.0',
    description='Goals in words for a Nav2 robot',
    author='semantic_nav maintainers',
    maintainer='semantic_nav maintainers',
    maintainer_email='semantic-nav@users.noreply.github.com',
    license='Apache-2.0',
    python_requires='>=3.11',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    # Data that is read beside the module that uses it.
    package_data={PACKAGE: ['py.typed', '**/*.yaml', '**/*.json', '**/*.txt',
                            '**/*.html', '**/*.js', '**/*.css']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        *share('launch'),
        *share('config'),
        *share('schema'),
    ],
    zip_safe=False,
    # colcon runs pytest for a package that names it here.
    extras_require={'test': ['pytest']},
    entry_points={
        'console_scripts': [
            f'hypothesis_node = {PACKAGE}.bringup.entry:hypothesis',
            f'memory_node = {PACKAGE}.bringup.entry:memory',
            f'belief_node = {PACKAGE}.bringup.entry:belief',
            f'verifier_node = {PACKAGE}.bringup.entry:verifier',
            f'recorder_node = {PACKAGE}.bringup.entry:recorder',
            f'operator_node = {PACKAGE}.bringup.entry:operator',
            f'ask = {PACKAGE}.cli.mission:ask',
            f'go = {PACKAGE}.cli.mission:go',
            f'home = {PACKAGE}.cli.mission:home',
            f'tour = {PACKAGE}.cli.mission:tour',
            f'places = {PACKAGE}.cli.places:main',
            f'status = {PACKAGE}.cli.mission:status',
            f'cancel = {PACKAGE}.cli.mission:cancel',
            f'pause = {PACKAGE}.cli.mission:pause',
            f'resume = {PACKAGE}.cli.mission:resume',
            f'replay = {PACKAGE}.cli.replay:main',
            f'schema = {PACKAGE}.cli.schema:main',
            f'completion = {PACKAGE}.cli.completion:main',
            f'doctor = {PACKAGE}.cli.doctor:main',
            f'operator = {PACKAGE}.cli.operator:main',
            f'verdicts = {PACKAGE}.cli.verdicts:main',
            f'vlm = {PACKAGE}.cli.vlm:main',
        ],
    },
)
