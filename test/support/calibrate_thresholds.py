"""Counts the figures of `memory/thresholds.py` again.

`python test/support/calibrate_thresholds.py DIR` reads the memories that
`bench missions --seed 1-20 --out DIR` leaves.
"""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semantic_nav.embed.embedder import EMBEDDERS, Embedder, Vectors
from semantic_nav.embed.registry import load_embedder
from semantic_nav.embed.words import content_words
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.place import Place, phrases, vector_of
from semantic_nav.memory.place_index import PlaceIndex
from semantic_nav.memory.retrieval import RANKINGS, Match, Ranked, Ranking
from semantic_nav.memory.sqlite_store import SqliteStore
from semantic_nav.memory.thresholds import likely_threshold

#: Of a home with fewer places little can be asked.
_PLACES = 7
_GOALS = 20
_FORMS = ('find the {}', 'go to the {}', 'where is the {}', '{}')

Home = Sequence[Place]
Embed = Callable[[str], Vectors]


def read_homes(folder: Path) -> Iterator[Home]:
    for path in sorted(folder.glob('*/memory.sqlite')):
        with closing(SqliteStore(path, copied=True)) as store:
            places = store.load(MemoryConfig().map_id, '', 0).places
        if len(places) >= _PLACES:
            yield places


def goals_of(homes: Sequence[Home]) -> Iterator[tuple[Home, list[str], list[str]]]:
    """Yield each home with things that are there, and things of which nothing is."""
    everything = sorted({name for home in homes for place in home for name in place.tags})
    rng = random.Random(1)
    for home in homes:
        there = sorted({name for place in home for name in place.tags})
        words = {word for place in home for text in (place.kind, *place.tags)
                 for word in content_words(text)}
        absent = [name for name in everything if not words & set(content_words(name))]
        yield (home, rng.sample(there, min(_GOALS, len(there))),
               rng.sample(absent, min(_GOALS, len(absent))))


def fill(home: Home, ranking: Ranking, embedder: Embedder, embed: Embed) -> PlaceIndex:
    index = PlaceIndex(embedder.dimension, ranking.words_of_place)
    for place in home:
        index.put(place)
        if of_place := phrases(place):
            vectors = np.stack([embed(text) for text in of_place])
            index.set_vector(place.id, vector_of(place, embedder.id, vectors).values)
    return index


def measure(name: str, embedder: Embedder, homes: Sequence[Home]) -> None:
    """Print the best thresholds, and what the one in use does."""
    ranking = RANKINGS[name]
    embed = cache(lambda text: embedder.embed([text])[0])
    rng = random.Random(2)
    there: list[float] = []
    absent: list[float] = []
    right = 0
    for home, named, strange in goals_of(homes):
        index = fill(home, ranking, embedder, embed)

        def look_up(thing: str, index: PlaceIndex = index) -> Match | None:
            goal = rng.choice(_FORMS).format(thing)
            return next(iter(Ranked(ranking, index, ranking.query(goal, embed(goal))).best(1)),
                        None)

        for thing in named:
            match = look_up(thing)
            there.append(match.score if match else 0)
            place = index.get(match.place_id) if match else None
            right += place is not None and thing in place.tags
        absent += [match.score if (match := look_up(thing)) else 0 for thing in strange]

    def share(scores: list[float], threshold: float) -> float:
        return float(np.mean(np.array(scores) >= threshold))

    tried: NDArray[np.float64] = np.arange(0.05, 0.95, 0.01).round(2)
    gains = [share(there, one) - share(absent, one) for one in tried]
    best = [float(one) for one, gain in zip(tried, gains, strict=True)
            if gain > max(gains) - 0.005]
    used = likely_threshold(name, embedder.name)
    print(f'| {name}, {embedder.name} | {used} | {share(there, used):.0%} | '
          f'{share(absent, used):.0%} | {right / len(there):.0%} |   best: {best}')


def main() -> None:
    homes = list(read_homes(Path(sys.argv[1])))
    print(f'{len(homes)} homes, {sum(map(len, homes))} places')
    for name in RANKINGS:
        for embedder in EMBEDDERS:
            measure(name, load_embedder(embedder), homes)


if __name__ == '__main__':
    main()
