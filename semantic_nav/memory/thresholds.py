"""The score from which on a place is likely, for each ranking with each embedder.

They were measured on the places that 20 generated homes left in memory after two missions each
(18 homes with 7 places or more, 330 places). For each home 20 goals ask for something that one of
its places names, and 20 for something of other homes of which no word is named in this one. A
threshold is one of those at which the share of the first whose best place reaches it, less that of
the second, is largest, save for a little; `test/support/calibrate_thresholds.py` counts it again.
The two shares, and how often the best place names what was asked for:

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
    """Return the score, 0..1, from which on a place likely holds what is looked for.

    Args:
        ranking: one of RANKINGS.
        embedder: one of EMBEDDERS.
    """
    return _LIKELY[ranking, embedder]
