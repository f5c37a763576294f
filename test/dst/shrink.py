"""The shortest list of faults that still breaks a rule (Zeller's ddmin, by numbers)."""

from collections.abc import Callable, Sequence

Fails = Callable[[tuple[int, ...]], bool]


def shrink(numbers: Sequence[int], fails: Fails, most: int = 60) -> tuple[int, ...]:
    """Return a part of the numbers that still fails, of which none can be left out.

    Args:
        numbers: of the faults of a plan that fails.
        fails: runs the plan with some of its faults.
        most: runs that this may take.
    """
    kept, parts, runs = tuple(numbers), 2, 0
    if kept and fails(()):
        return ()
    while len(kept) >= 2 and runs < most:
        size = -(-len(kept) // parts)
        chunks = [kept[at:at + size] for at in range(0, len(kept), size)]
        for chunk in chunks:
            rest = tuple(number for number in kept if number not in chunk)
            runs += 1
            if fails(rest):
                kept, parts = rest, max(parts - 1, 2)
                break
        else:
            if parts >= len(kept):
                break
            parts = min(len(kept), parts * 2)
    return kept
