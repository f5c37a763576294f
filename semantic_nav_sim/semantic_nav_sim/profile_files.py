"""Where profiles lie, by their names; standard library only, for launch files use this too."""

from pathlib import Path

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.share import share_path

#: The profile of what is usual: no robot, model or Nav2 is without faults.
USUAL = 'default'
#: Profiles of the robot: one errs as what localises it on a saved map, one as what makes the map.
AMCL, SLAM = LOCALISERS = ('amcl', 'slam')


def profile_names(part: str) -> list[str]:
    """Return the names of the profiles of a part that come with the package."""
    return sorted(path.stem for path in share_path('config', 'profiles', part).glob('*.yaml'))


def names_in(choice: str) -> list[str]:
    """Return the names, or paths, in a choice of profiles with `+` between them."""
    return [name.strip() for name in choice.split('+')]


def robot_choice(choice: str, localiser: str) -> str:
    """Return a choice of robot profiles in which the usual one errs as its localiser does.

    Args:
        choice: names of profiles with `+` between.
        localiser: one of LOCALISERS.
    """
    return '+'.join(f'{name}+{localiser}' if name == USUAL else name for name in names_in(choice))


def profile_file(part: str, name: str) -> Path:
    """Return the file of a profile of a part.

    Args:
        part: a folder of config/profiles.
        name: of a file there, or the path of another, which has a slash in it.

    Raises:
        ConfigError: there is none.
    """
    path = Path(name) if '/' in name else share_path('config', 'profiles', part, f'{name}.yaml')
    if not path.exists():
        raise ConfigError(f'no profile {name!r} of the {part}: known are '
                          f'{", ".join(profile_names(part))}, or give the path of a YAML file')
    return path
