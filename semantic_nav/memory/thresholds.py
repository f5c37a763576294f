"""The score from which a place is likely, for each ranking with each embedder.

The thresholds were measured on the places that 20 generated homes left in memory after two
missions each (18 homes with 7 places or more, 330 places). For each home 20 goals ask for a thing
that one of its places names, and 20 for a thing of other homes of which no word is named in this
one. Each threshold nearly maximises a difference: the share of the first goals whose best place
reaches it, less that of the second. `test/support/calibrate_thresholds.py` measures it again. The
two shares, and the share of goals whose best place names the thing:

| ranking, embedder | threshold | there | not there | best is right |
|---|---|---|---|---|
| content_words, minilm | 0.45 | 98% | 6% | 94% |
| content_words, hash | 0.35 | 99% | 0% | 92% |
| classic, minilm | 0.62 | 95% | 7% | 95% |
| classic, hash | 0.53 | 99% | 1% | 94% |

`test_memory_home.py` tries all of them on other places.
"""

_LIKELY = {
    ('content_words', 'minilm'): 0.45,
    ('content_words', 'hash'): 0.35,
    ('classic', 'minilm'): 0.62,
    ('classic', 'hash'): 0.53,
}


def likely_threshold(ranking: str, embedder: str) -> float:
    """The score, 0..1, from which a place likely holds the target.

    Args:
        ranking: one of RANKINGS.
        embedder: one of EMBEDDERS.
    """
    return _LIKELY[ranking, embedder]
