"""Compiled worlds, kept under the user's cache folder by a hash of all that went into them."""

import hashlib
import logging
import os
import shutil
import tempfile
from pathlib import Path

import mujoco
import numpy as np

from semantic_nav.sim.world.bake import bake
from semantic_nav.sim.world.description import WorldDescription
from semantic_nav.sim.world.mujoco_model import compile_scene
from semantic_nav.sim.world.scene import WorldScene
from semantic_nav.sim.world.sources import code_digest

MODEL_FILE = 'world.mjb'
DIGEST_FILE = 'world.sha256'
# Twenty generated homes and some more; an entry is 40 to 80 MB, and all together keep this limit.
KEPT_ENTRIES = 40
KEPT_BYTES = 2_500_000_000
_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return the folder of compiled worlds: below $XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'semantic_nav' / 'worlds'


def cached_model(scene: WorldScene, folder: Path | None = None) -> mujoco.MjModel:
    """Return a scene's compiled model, from the cache if it is there and whole.

    The model is the same for every seed: objects are put in their places after loading. An
    entry is written under another name and then renamed, so processes may race; one that is
    damaged is built again.

    Args:
        scene: the scene.
        folder: of the cache; None takes the user's.
    """
    entry = (folder or cache_folder()) / cache_key(scene.world)
    model = _read(entry)
    if model is None:
        _log.info('building the world %s; this takes some seconds, once', scene.world.name)
        model = compile_scene(scene, bake(scene))
        _write(entry, model)
    return model


def cache_key(world: WorldDescription) -> str:
    """Return the name of a world's entry: a hash of its data, this code and the libraries."""
    parts = (world.digest, code_digest(), mujoco.__version__, np.__version__)
    return hashlib.sha256('\n'.join(parts).encode()).hexdigest()


def _read(entry: Path) -> mujoco.MjModel | None:
    """Return the model of an entry, or None if it is missing or damaged."""
    try:
        content = (entry / MODEL_FILE).read_bytes()
        expected = (entry / DIGEST_FILE).read_text(encoding='ascii').strip()
    except (OSError, UnicodeDecodeError):
        return None
    if hashlib.sha256(content).hexdigest() != expected:
        _log.warning('the cached world %s is damaged: building it again', entry)
        return None
    return mujoco.MjModel.from_binary_path(MODEL_FILE, {MODEL_FILE: content})


def _write(entry: Path, model: mujoco.MjModel) -> None:
    """Put an entry in its place as a whole; a cache that cannot be written is only slower."""
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix='.building-', dir=entry.parent) as building:
            made = Path(building) / 'entry'
            made.mkdir()
            mujoco.mj_saveModel(model, str(made / MODEL_FILE), None)
            digest = hashlib.sha256((made / MODEL_FILE).read_bytes()).hexdigest()
            (made / DIGEST_FILE).write_text(digest + '\n', encoding='ascii')
            _replace(made, entry)
        _prune(entry.parent)
    except OSError as error:
        _log.warning('the compiled world could not be kept in %s: %s', entry, error)


def _replace(made: Path, entry: Path) -> None:
    try:
        made.rename(entry)
    except OSError:
        # Another process was quicker, or a damaged entry stands there.
        if _read(entry) is None:
            shutil.rmtree(entry, ignore_errors=True)
            made.rename(entry)


def _prune(folder: Path) -> None:
    """Remove all but the newest entries; whoever is reading one builds it again at worst."""
    entries = sorted((path for path in folder.iterdir() if not path.name.startswith('.')),
                     key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for position, entry in enumerate(entries):
        total += sum(file.stat().st_size for file in entry.iterdir())
        if position >= KEPT_ENTRIES or (position > 0 and total > KEPT_BYTES):
            shutil.rmtree(entry, ignore_errors=True)
