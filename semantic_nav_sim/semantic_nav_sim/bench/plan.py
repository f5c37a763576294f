"""The plan of a benchmark of missions, from command-line options or a preset."""

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import yaml

from semantic_nav.contracts.codec import from_plain
from semantic_nav.contracts.errors import ConfigError, ContractError
from semantic_nav_sim.bench.ablations import WHOLE
from semantic_nav_sim.bench.block import Bars
from semantic_nav_sim.bench.bodies import FULL
from semantic_nav_sim.bench.cases import CORES, INFORMED, MEASURED, NODES, Case, Options
from semantic_nav_sim.bench.labels import Label
from semantic_nav_sim.profiles import USUAL
from semantic_nav_sim.schemas import check
from semantic_nav_sim.share import share_path


@dataclass(frozen=True)
class Goal:
    """The goal of a mission.

    Attributes:
        words: as a person would say it.
        fits: label of the goal; None if its words are enough, see `Judge`.
    """

    words: str
    fits: Label | None = None


@dataclass(frozen=True)
class Plan:
    """Every goal in every home with every robot; robots differ in profiles, policy and ablation.

    Attributes:
        worlds: names, in which `{seed}` stands for the seed.
        seeds, goals, runs: see `Case`.
        without: parts that are left out, one at a time, beside the whole robot.
        jobs: number of processes.
        measured: whether each robot also runs in the measured world: with the model `measured` and
            its own faults, and things in their usual places.
        ros: whether each robot but the bound also runs through the nodes.
        bars: limits of the figures.
        description: of a preset, for people.
        budget_s: time that a preset should take at most; 0 for none. It is only stated, since
            machines differ.
    """

    worlds: tuple[str, ...]
    seeds: tuple[int, ...]
    goals: tuple[Goal, ...]
    runs: int = 2
    model_profiles: tuple[str, ...] = (USUAL,)
    robot_profiles: tuple[str, ...] = (USUAL,)
    navigator_profiles: tuple[str, ...] = (USUAL,)
    policies: tuple[str, ...] = (Options.policy,)
    without: tuple[str, ...] = ()
    people: int = 0
    moving_doors: bool = False
    moved: float = 0.0
    usual_places: bool = False
    embedder: str = Options.embedder
    body: str = FULL
    body_shape: str = ''
    jobs: int = 1
    measured: bool = False
    ros: bool = False
    bars: Bars = Bars()
    description: str = ''
    budget_s: float = 0.0

    def robots(self) -> list[Options]:
        """One robot for each combination, with compared robots side by side."""
        robots = [
            Options(model_profile=model, robot_profile=robot, navigator_profile=navigator,
                    people=self.people, moving_doors=self.moving_doors, moved=self.moved,
                    usual_places=self.usual_places, embedder=self.embedder, body=self.body,
                    body_shape=self.body_shape,
                    policy=policy, without=without, through=through)
            for model, robot, navigator, policy, without, through in product(
                self.model_profiles, self.robot_profiles, self.navigator_profiles,
                self.policies, (WHOLE, *self.without), (CORES, NODES) if self.ros else (CORES,))
            if (policy, through) != (INFORMED, NODES)]
        again = [replace(one, model_profile=_measured(one.model_profile), usual_places=True)
                 for one in robots if self.measured]
        return list(dict.fromkeys([*robots, *again]))

    def cases(self) -> list[Case]:
        """A case for each goal, seed and robot, without duplicates; robots meet the same homes."""
        return list(dict.fromkeys(
            Case(world.replace('{seed}', str(seed)), seed, goal.words, self.runs, goal.fits,
                 **vars(robot))
            for robot in self.robots() for world in self.worlds for goal in self.goals
            for seed in self.seeds))


def _measured(model_profile: str) -> str:
    """The measured model, with the additional faults of a profile."""
    _, *faults = model_profile.split('+')
    return '+'.join([MEASURED, *faults])


def preset_names() -> list[str]:
    """The names of the presets that come with the package."""
    return sorted(path.stem for path in share_path('config', 'bench').glob('*.yaml'))


def load_preset(name: str) -> Plan:
    """Load a preset.

    Args:
        name: of one that comes with the package, or the path of a YAML file, with a slash in it.

    Raises:
        ConfigError: it does not exist, is not YAML, or breaks the schema.
    """
    path = Path(name) if '/' in name else share_path('config', 'bench', f'{name}.yaml')
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
        check('bench_preset', document)
        return from_plain(document, Plan)
    except FileNotFoundError as error:
        raise ConfigError(f'no preset {name!r}: known are {", ".join(preset_names())}, or give '
                          'the path of a YAML file') from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'preset {path} cannot be read: {error}') from error
    except ContractError as error:
        raise ConfigError(f'preset {path}: {error}') from error
