"""Which of many is best, when each can only be estimated from draws: successive halving.

The first of a ranking by estimates is the luckiest: its estimate is too high on average. So half of the draws
choose, and the others tell. In each round the candidates that are left share the draws of the round, and the
better half of them goes on (Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed
bandits"). What a candidate is worth is then estimated anew, from as many draws that played no part in
choosing it. So the numbers of a ranking need not fall.
"""

from __future__ import annotations

from collections.abc import Callable

from demospec.ask.information import Information

EACH_ROUND = 240  # draws that the candidates of a round share
FEWEST = 6  # draws of a candidate in a round

Estimating = Callable[[int, int, tuple[int, ...]], Information]
"""From a candidate's number, how many draws it gets, and the seed of their luck; or in full, without them."""


def ranked(
    candidates: int, estimating: Estimating, *, seed: int = 0, each_round: int = EACH_ROUND
) -> list[tuple[int, Information]]:
    """Return the numbers of all candidates, best first, with estimates that played no part in choosing.

    All candidates of a round have the same luck: what differs between them is then mostly their worth.
    Candidates that are left by a round come in its order, after those that went on.
    """
    exact: dict[int, Information] = {}
    total, draws = [0.0] * candidates, [0] * candidates

    def worth(number: int) -> float:
        return exact[number].nats if number in exact else total[number] / draws[number]

    left, behind, turn = list(range(candidates)), list[int](), 0
    while left:
        for number in left:
            if number in exact:
                continue
            share = max(FEWEST, each_round // len(left))
            found = estimating(number, share, (seed, 0, turn))
            if found.exact:
                exact[number] = found
            else:
                total[number] += share * found.nats
                draws[number] += share
        left.sort(key=lambda number: -worth(number))
        if len(left) == 1 or all(number in exact for number in left):
            break
        half = (len(left) + 1) // 2
        left, behind, turn = left[:half], left[half:] + behind, turn + 1
    return [
        (number, exact[number] if number in exact else estimating(number, draws[number], (seed, 1)))
        for number in left + behind
    ]
