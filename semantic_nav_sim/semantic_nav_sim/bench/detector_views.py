"""Pictures of generated homes as the robot's camera sends them, with the truth about them."""

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.picture import Picture, prepare
from semantic_nav_sim.bench.optimal import open_floor
from semantic_nav_sim.detector.labels import KINDS
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.camera_noise import SensorNoise
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.renderer import Renderer
from semantic_nav_sim.robot.sightings import Sighting, sightings
from semantic_nav_sim.robot.studio import Studio
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.random_streams import stream
from semantic_nav_sim.world.scene import stage
from semantic_nav_sim.world.scene_cache import load_scene

#: Least visible share and pixels of a thing that anyone is expected to find.
IN_VIEW, FEWEST_PX = 0.5, 100


@dataclass(frozen=True)
class View:
    """One picture of a home.

    Attributes:
        home: its seed.
        picture: as it is sent to a model.
        things: visible things, boxes and areas in pixels of the camera, the largest first.
    """

    home: int
    picture: Picture
    things: tuple[Sighting, ...]


def counts(thing: Sighting) -> bool:
    """Tell whether a detector that knows the kind should find a thing."""
    return thing.truth.kind in KINDS and thing.share >= IN_VIEW and thing.pixels >= FEWEST_PX


def views(home: int, count: int) -> Iterator[View]:
    """Yield views from random places on a home's floor, each with something that counts in it.

    Args:
        home: seed of the home and of the places.
        count: number of views.

    Raises:
        ConfigError: nothing can be drawn on this machine.
    """
    scene = load_scene(f'generated:{home}:6')
    world, rng = stage(scene, home), stream(home, 'views for the detector')
    noise, config = SensorNoise(home, load_profile(RobotProfile).camera), HypothesisConfig()
    plan, truths = floor_plan(scene), world.truth()
    with closing(Studio(scene)) as studio:
        renderer = Renderer(studio, world)
        xs, ys = plan.centres_of(*np.nonzero(open_floor(plan)))
        while count:
            place = int(rng.integers(len(xs)))
            base = Pose2D(float(xs[place]), float(ys[place]),
                          float(rng.uniform(-math.pi, math.pi)))
            if scene.world.room_at(base.x, base.y) is None:
                continue
            objects = studio.submit(partial(renderer.objects, base)).result()
            things = sightings(objects, truths, studio.camera, base)
            if any(map(counts, things)):
                colour = studio.submit(partial(renderer.view, base)).result().colour
                yield View(home, prepare(noise.colour(colour), config), tuple(things))
                count -= 1
