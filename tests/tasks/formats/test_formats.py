"""Automata in every form: what is written accepts what the automaton accepts, and comes back."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from handed_over import (
    AWKWARD,
    check_words,
    dot_reader,
    hoa_reader,
    many,
    module_of,
    prism_reader,
    random_dfa,
    reward_machine_reader,
)

from demospec.errors import TaskError
from demospec.tasks import DFA, Composite
from demospec.tasks.formats import FORMATS, Format, format_named, register
from demospec.tasks.formats.regex import regex_word, to_regex

COUNT = 300
TASK = DFA.parse(">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3: r→2")


def test_hoa_agrees_and_comes_back() -> None:
    for dfa, words in many(COUNT):
        text = dfa.to_hoa()
        assert DFA.from_hoa(text) == dfa
        check_words(dfa, words, hoa_reader(text))


def test_dot_agrees_and_comes_back() -> None:
    for dfa, words in many(COUNT):
        text = dfa.to_dot()
        assert DFA.from_dot(text) == dfa
        if all(letter.isalpha() for letter in dfa.alphabet):
            check_words(dfa, words, dot_reader(text))


def test_reward_machine_agrees_and_comes_back() -> None:
    for dfa, words in many(COUNT):
        text = dfa.to_reward_machine()
        assert DFA.from_reward_machine(text) == dfa
        total, before = reward_machine_reader(text, dfa), int(dfa.accepts(()))
        check_words(dfa, words, lambda word, t=total, b=before: b + t(word) == 1)  # type: ignore[misc]


def test_prism_agrees() -> None:
    for dfa, words in many(COUNT):
        read = prism_reader(dfa.to_prism(), dfa.alphabet)
        check_words(dfa, words, lambda word, read=read: read(word)["accepting"])  # type: ignore[misc]
        for word in words:
            check_verdict(dfa, word, *(read(word)[name] for name in ("satisfied", "violated")))


def test_python_agrees() -> None:
    for dfa, words in many(COUNT):
        monitor = module_of(dfa.to_python()).Monitor()

        def accepts(word: tuple[str, ...], monitor=monitor) -> bool:  # type: ignore[no-untyped-def]
            monitor.reset()
            for letter in word:
                assert monitor.step(letter) == monitor.verdict
            assert monitor.explain().endswith(".")
            return bool(monitor.accepting)

        check_words(dfa, words, accepts)
        for word in words:
            accepts(word)
            check_verdict(dfa, word, monitor.verdict == "satisfied", monitor.verdict == "violated")


def check_verdict(dfa: DFA, word: tuple[str, ...], satisfied: bool, violated: bool) -> None:
    after = DFA(alphabet=dfa.alphabet, table=dfa.table, accepting=dfa.accepting, start=dfa.run(word))
    assert satisfied == (~after).is_empty()
    assert violated == after.is_empty()


def test_regex_agrees_where_it_is_short() -> None:
    short = 0
    for dfa, words in many(COUNT):
        try:
            pattern = re.compile(dfa.to_regex())
        except TaskError as error:
            found = re.search(r"would be ([\d,]+) characters", str(error))
            assert found is not None
            assert int(found[1].replace(",", "")) > 2000
            continue
        short += 1
        check_words(dfa, words, lambda w, p=pattern, d=dfa: bool(p.fullmatch(regex_word(d.alphabet, w))))  # type: ignore[misc]
    assert short > COUNT / 2


def test_the_length_of_a_regex_is_known_before_it_is_written() -> None:
    rng = random.Random(1)
    for _ in range(50):
        dfa = random_dfa(rng, "ab", max_states=4)
        written = to_regex(dfa, longest=10**6)
        if written != "(?!)" and len(written) > 0:
            with pytest.raises(TaskError, match=f"would be {len(written):,} characters"):
                to_regex(dfa, longest=len(written) - 1)


@pytest.mark.parametrize(
    ("task", "alphabet", "written"),
    [
        (">0: y→1 | *1:", "by", "b*y[by]*"),
        (">*0: r→1 | 1:", "br", "b*"),
        (">*0: | ", "ab", None),
        (">0:", "ab", "(?!)"),
        (">*0: a→1 | 1:", "a", ""),
        (">*0:", "ab", "[ab]*"),
        (">0: go→1 | *1:", ["go", "stop"], "(stop )*go ((go|stop) )*"),
    ],
)
def test_regexes_are_short(task: str, alphabet: str | list[str], written: str | None) -> None:
    if written is not None:
        assert DFA.parse(task, alphabet).to_regex() == written


def test_all_awkward_letters_at_once() -> None:
    rng = random.Random(3)
    for _ in range(5):
        dfa = random_dfa(rng, AWKWARD, max_states=5)
        assert DFA.from_hoa(dfa.to_hoa()) == dfa
        assert DFA.from_dot(dfa.to_dot()) == dfa
        assert DFA.from_reward_machine(dfa.to_reward_machine()) == dfa
        words = [tuple(rng.choices(dfa.alphabet, k=6)) for _ in range(20)]
        read = prism_reader(dfa.to_prism(), dfa.alphabet)
        check_words(dfa, words, lambda word, read=read: read(word)["accepting"])  # type: ignore[misc]


def test_a_task_with_parts_is_written_as_the_whole() -> None:
    whole = Composite.of("and", [DFA.parse(">*0: r→1 | 1:", "ry"), DFA.parse(">0: y→1 | *1:", "ry")])
    for read, text in ((DFA.from_hoa, whole.to_hoa()), (DFA.from_dot, whole.to_dot())):
        assert read(text) == whole
        assert str(whole) in text


def test_the_python_monitor_as_a_script(tmp_path: Path) -> None:
    script = tmp_path / "monitor.py"
    script.write_text(TASK.to_python(), encoding="utf-8")
    run = [sys.executable, "-I", str(script)]
    words = 'b g y\n\n["r"]\ny r\n'
    done = subprocess.run(run, input=words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "accepted open",
        "rejected open",
        "rejected violated",
        "rejected violated",
    ]
    refused = subprocess.run(run, input="b\nb z\n", capture_output=True, text=True)
    assert refused.returncode == 2
    assert "line 2: unknown letter 'z'; the task reads b, g, r, y" in refused.stderr


def test_the_python_monitor_explains() -> None:
    monitor = module_of(TASK.to_python()).Monitor()
    assert monitor.explain() == (
        "The task is not satisfied if the run ends now; b leads to state 1, not satisfied; g changes "
        "nothing; r leads to violated for good; y leads to state 3, satisfied."
    )
    monitor.step("r")
    assert monitor.explain() == "The task is violated, whatever comes."
    with pytest.raises(ValueError, match="unknown letter 'x'"):
        monitor.step("x")


def test_the_python_monitor_imports_only_the_standard_library() -> None:
    imported = re.findall(r"^\s*(?:import|from) (\w+)", TASK.to_python(), re.MULTILINE)
    assert imported
    assert set(imported) <= set(sys.stdlib_module_names)


def test_formats_are_a_table_that_grows() -> None:
    known = ("dot", "hoa", "prism", "json", "regex", "python", "reward-machine", "gymnasium")
    assert set(FORMATS) >= set(known)
    with pytest.raises(TaskError, match=r'no format "hao".*did you mean "hoa"'):
        format_named("hao")
    register(Format("shout", "in capitals", ".txt", lambda task: str(task).upper()))
    try:
        assert format_named("shout").write(TASK) == str(TASK).upper()
    finally:
        del FORMATS["shout"]
