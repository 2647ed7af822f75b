"""Identify automata with `dfa-identify`: one JSON line in for each instance, one out.

Runs inside the environment that `benchmarks/search.py` makes, never inside ours. In: `accept`, `reject`,
`alphabet`, `count`. Out: the seconds until that many automata were found, and what they are: for each one
its states, its accepting states, and its transitions that leave their state.

With the argument `no-clique` it starts at one state, not at the size of a clique of conflicting prefixes:
on many words, the search for that clique takes most of its time.
"""

import json
import sys
import threading
import time
from itertools import islice

from dfa import dfa2dict
from dfa_identify import encoding, find_dfas

if "no-clique" in sys.argv:
    encoding.max_clique = lambda graph: set()


def counts(automaton):
    table, _ = dfa2dict(automaton)
    changes = sum(state != target for state, (_, row) in table.items() for target in row.values())
    return [len(table), sum(bool(label) for label, _ in table.values()), changes]


def main():
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        accept, reject = question["accept"], question["reject"]
        alphabet = frozenset(question["alphabet"])
        began = time.perf_counter()
        automata = find_dfas(accept, reject, order_by_stutter=True, alphabet=alphabet)
        found = list(islice(automata, question["count"]))
        seconds = time.perf_counter() - began
        right = all(d.label(word) for d in found for word in accept) and not any(
            d.label(word) for d in found for word in reject
        )
        answer = {"seconds": seconds, "found": [counts(d) for d in found], "right": right}
        print(json.dumps(answer), flush=True)


# The search for a clique calls itself once for each node of a graph: too deep for the usual stack.
sys.setrecursionlimit(1_000_000)
threading.stack_size(512 * 1024 * 1024)
worker = threading.Thread(target=main)
worker.start()
worker.join()
