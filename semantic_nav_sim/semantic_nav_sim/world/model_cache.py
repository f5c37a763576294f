"""Cache of compiled worlds in the user's cache folder, keyed by a hash of all inputs."""

import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mujoco
import numpy as np

from semantic_nav_sim.world.bake import bake
from semantic_nav_sim.world.description import WorldDescription
from semantic_nav_sim.world.mujoco_model import compile_scene
from semantic_nav_sim.world.scene import WorldScene
from semantic_nav_sim.world.sources import code_digest

MODEL_FILE = 'world.mjb'
DIGEST_FILE = 'world.sha256'
# Twenty generated homes and some more. An entry has 40 to 80 MB, and this bounds their sum.
KEPT_ENTRIES = 40
KEPT_BYTES = 2_500_000_000
_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """The folder of compiled worlds: below $XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'semantic_nav' / 'worlds'


def cached_model(scene: WorldScene, folder: Path | None = None) -> mujoco.MjModel:
    """A scene's compiled model, from the cache if it has an intact entry.

    The model is the same for every seed: objects are placed after loading. An entry is written
    under another name and then renamed, so processes may race. A damaged one is built again.

    Args:
        scene: the scene.
        folder: of the cache; None for the user's.
    """
    entry = (folder or cache_folder()) / cache_key(scene.world)
    model = _read(entry)
    if model is None:
        _log.info('building the world %s; this takes some seconds, once', scene.world.name)
        model = compile_scene(scene, bake(scene))
        try:
            keep(entry, partial(_write, model=model), lambda there: _read(there) is not None)
            _prune(entry.parent)
        except OSError as error:
            # Without the cache it is only slower.
            _log.warning('the compiled world could not be kept in %s: %s', entry, error)
    return model


def cache_key(world: WorldDescription) -> str:
    """The name of a world's entry: a hash of its data, this code and the libraries."""
    parts = (world.digest, code_digest(), mujoco.__version__, np.__version__)
    return hashlib.sha256('\n'.join(parts).encode()).hexdigest()


def _read(entry: Path) -> mujoco.MjModel | None:
    """The model of an entry; None if it is missing or damaged."""
    try:
        content = (entry / MODEL_FILE).read_bytes()
        expected = (entry / DIGEST_FILE).read_text(encoding='ascii').strip()
    except (OSError, UnicodeDecodeError):
        return None
    if hashlib.sha256(content).hexdigest() != expected:
        _log.warning('the cached world %s is damaged: building it again', entry)
        return None
    return mujoco.MjModel.from_binary_path(MODEL_FILE, {MODEL_FILE: content})


def keep(folder: Path, write: Callable[[Path], None], whole: Callable[[Path], bool]) -> None:
    """Put a folder in its place atomically, since other processes may do so at the same time.

    Args:
        folder: its final path.
        write: fills a folder, which is moved there.
        whole: tells whether an existing folder there is intact.

    Raises:
        OSError: it cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='.making-', dir=folder.parent) as making:
        made = Path(making) / folder.name
        made.mkdir()
        write(made)
        try:
            made.rename(folder)
        except OSError:
            # Another process was quicker, or a damaged entry exists there.
            if not whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                made.rename(folder)


def _write(folder: Path, model: mujoco.MjModel) -> None:
    mujoco.mj_saveModel(model, str(folder / MODEL_FILE), None)
    digest = hashlib.sha256((folder / MODEL_FILE).read_bytes()).hexdigest()
    (folder / DIGEST_FILE).write_text(digest + '\n', encoding='ascii')


def _prune(folder: Path) -> None:
    """Remove all but the newest entries; at worst their readers build them again."""
    entries = sorted((path for path in folder.iterdir() if not path.name.startswith('.')),
                     key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for position, entry in enumerate(entries):
        total += sum(file.stat().st_size for file in entry.iterdir())
        if position >= KEPT_ENTRIES or (position > 0 and total > KEPT_BYTES):
            shutil.rmtree(entry, ignore_errors=True)
