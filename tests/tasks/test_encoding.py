"""The size in bits is the length of an encoding that can be read back."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import TaskError
from demospec.tasks import DFA
from strategies import dfas, witness

ALPHABETS = st.sampled_from([("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d", "e")])
ANY_DFA = ALPHABETS.flatmap(lambda letters: dfas(letters, max_states=6))


def header_bits(states: int, letters: int, chosen: int) -> int:
    s, k = math.ceil(math.log2(states)), math.ceil(math.log2(letters))
    return (2 * s + 1) + (2 * k + 1) + 1 + s + chosen * s


def transition_bits(states: int, letters: int) -> int:
    return 2 * math.ceil(math.log2(states)) + math.ceil(math.log2(letters))


@given(ANY_DFA)
def test_decoding_gives_back_the_task_in_canonical_form(dfa: DFA) -> None:
    back = DFA.decode(dfa.encode(), dfa.alphabet)
    assert back == dfa
    assert (back.table, back.accepting, back.start) == (dfa.minimal.table, dfa.minimal.accepting, 0)


@given(ANY_DFA)
def test_size_is_the_length_of_the_encoding_and_the_formula_on_the_minimal_automaton(dfa: DFA) -> None:
    small = witness(dfa).minify()
    n, letters = len(small.states), len(dfa.alphabet)
    chosen = min(len(small.final_states), n - len(small.final_states))
    changes = sum(target != q for q, row in small.transitions.items() for target in row.values())
    assert dfa.size == header_bits(n, letters, chosen) + changes * transition_bits(n, letters)
    assert len(dfa.encode()) == dfa.size
    assert set(dfa.encode()) <= {"0", "1"}


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        (">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2", 51),
        (">0: b→3, r→2, y→1 | *1: g→0, r→2 | 2: | 3: g→0, r→2", 57),
        (">0:", 7),
        (">*0:", 7),
        (">0: b→1 | *1:", 15),
    ],
)
def test_sizes_of_known_tasks_over_four_letters(line: str, bits: int) -> None:
    dfa = DFA.parse(line, "bgry")
    assert dfa.size == bits
    assert len(dfa.encode()) == bits


@given(ANY_DFA)
def test_a_task_and_its_complement_have_the_same_size(dfa: DFA) -> None:
    assert dfa.size == (~dfa).size


def test_the_encoding_written_out_by_hand() -> None:
    # n = 2 | K = 2 | a tie lists the rejecting set | one state: 0 | 0 -b→ 1
    assert DFA.parse(">0: b→1 | *1:", "ab").encode() == "101" + "101" + "0" + "1" + "0" + "011"
    # n = 3 | K = 2 | accepting is smaller | one state: 2 | 0 -a→ 1, 1 -a→ 2
    assert DFA.parse(">0: a→1 | 1: a→2 | *2:", "ab").encode() == (
        "11010" + "101" + "1" + "01" + "10" + "00001" + "01010"
    )


def test_different_small_languages_have_different_encodings(small_languages: list[DFA]) -> None:
    codes = {dfa.encode() for dfa in small_languages}
    assert len(codes) == len(small_languages)
    assert all(DFA.decode(dfa.encode(), "ab") == dfa for dfa in small_languages)


@given(ANY_DFA)
def test_a_cut_encoding_is_refused_in_the_middle_of_a_field_and_never_read_as_the_same_task(
    dfa: DFA,
) -> None:
    bits, small = dfa.encode(), dfa.minimal
    chosen = min(sum(small.accepting), small.states - sum(small.accepting))
    head = header_bits(small.states, len(small.alphabet), chosen)
    each = transition_bits(small.states, len(small.alphabet))
    for end in range(len(bits)):
        if end >= head and (end - head) % each == 0:  # whole transitions are missing
            assert DFA.decode(bits[:end], dfa.alphabet) != dfa
        else:
            with pytest.raises(TaskError, match=f"ends at bit {end}"):
                DFA.decode(bits[:end], dfa.alphabet)


@given(dfas(("a", "b", "c")), st.sampled_from(["a", "ab", "abcd"]))
def test_a_foreign_number_of_letters_is_refused_with_both_numbers(dfa: DFA, alphabet: str) -> None:
    with pytest.raises(TaskError, match=f"over 3 letters cannot be read with {len(alphabet)}"):
        DFA.decode(dfa.encode(), alphabet)


@given(dfas(), st.characters(exclude_characters="01"), st.data())
def test_characters_other_than_0_and_1_are_refused(dfa: DFA, foreign: str, data: st.DataObject) -> None:
    bits = dfa.encode()
    at = data.draw(st.integers(0, len(bits)))
    with pytest.raises(TaskError, match="0 and 1 only"):
        DFA.decode(bits[:at] + foreign + bits[at:], dfa.alphabet)


@pytest.mark.parametrize(
    "transition",
    ["11" + "0" + "00", "00" + "0" + "11"],
    ids=["source", "target"],
)
def test_a_transition_out_of_range_is_refused(transition: str) -> None:
    three_states_one_accepts = "11010" + "101" + "1" + "01" + "10"
    DFA.decode(three_states_one_accepts + "00001", "ab")
    with pytest.raises(TaskError, match="out of range"):
        DFA.decode(three_states_one_accepts + transition, "ab")


def test_an_acceptance_mark_out_of_range_is_refused() -> None:
    three_states_and_the_fourth_accepts = "11010" + "101" + "1" + "01" + "11"
    with pytest.raises(TaskError):
        DFA.decode(three_states_and_the_fourth_accepts, "ab")


def test_bits_after_a_one_state_task_over_one_letter_are_refused() -> None:
    # such a transition has no bits at all; a reader that waits for the end would wait for ever
    code = (
        "from demospec.tasks import DFA; from demospec.errors import TaskError\n"
        "try: DFA.decode(DFA.constant('a', True).encode() + '0', 'a')\n"
        "except TaskError: raise SystemExit(0)\n"
        "raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
