"""The graph of the words: what is joined, what is apart; letters that no word reads cost nothing."""

from __future__ import annotations

import itertools
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from demospec.identify.word_graph import UNKNOWN, WordGraph
from demospec.tasks.examples import Examples
from strategies import AB, all_words, words

example_sets = st.dictionaries(words(max_size=5), st.booleans(), max_size=8).map(Examples.from_mapping)


def node_of(graph: WordGraph, word: tuple[str, ...], start: int = 0) -> int | None:
    node: int | None = start
    for letter in word:
        node = None if node is None else graph.children[node].get(AB.index(letter))
    return node


@given(example_sets)
def test_every_word_leads_to_its_label_and_prefixes_share_a_node_when_no_word_tells_them_apart(
    examples: Examples,
) -> None:
    graph = WordGraph.of(examples, AB)
    for word, label in examples:
        node = node_of(graph, word)
        assert node is not None
        assert graph.label[node] == label
    prefixes = {word[:length] for word, _ in examples for length in range(len(word) + 1)} | {()}
    futures = {
        prefix: {
            rest: examples.mapping[prefix + rest]
            for rest in all_words(AB, 5 - len(prefix))
            if prefix + rest in examples.mapping
        }
        for prefix in prefixes
    }
    for one, other in itertools.combinations(prefixes, 2):
        assert (node_of(graph, one) == node_of(graph, other)) == (futures[one] == futures[other])
    assert graph.nodes == len({node_of(graph, prefix) for prefix in prefixes})
    assert all(list(below) == sorted(below) for below in graph.children)
    assert all(child > node for node, below in enumerate(graph.children) for child in below.values())


@given(example_sets)
def test_nodes_are_apart_when_an_ending_tells_it(examples: Examples) -> None:
    graph = WordGraph.of(examples, AB)
    apart = graph.apart()
    reads = [
        {word: node for word in all_words(AB, 5) if (node := node_of(graph, word, start)) is not None}
        for start in range(graph.nodes)
    ]
    for u, v in itertools.product(range(graph.nodes), repeat=2):
        told = any(
            {graph.label[node], graph.label[reads[v][word]]} == {0, 1}
            for word, node in reads[u].items()
            if word in reads[v] and UNKNOWN not in (graph.label[node], graph.label[reads[v][word]])
        )
        assert bool(apart[u] >> v & 1) == told


def test_letters_that_no_word_reads_take_no_memory() -> None:
    examples = Examples.from_mapping({word: word.count("a") % 3 == 0 for word in all_words(AB, 9)})
    peaks = []
    for more in (0, 5000):
        alphabet = (*AB, *(f"x{number:04}" for number in range(more)))
        tracemalloc.start()
        WordGraph.of(examples, alphabet)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 2_000_000
