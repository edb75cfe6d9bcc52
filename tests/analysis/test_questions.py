"""Which columns are compared, with which question, and which of them is the base."""

import pytest
from effect_projects import JAX, TF32, TORCH, columns
from hypothesis import given
from hypothesis import strategies as st
from results_factory import FRAMEWORKS

from analysis.comparisons.questions import differing_settings, questions


def asked(found):
    """Question, base and new column of every pair."""
    return [(q.text, pair.base.name, pair.new.name) for q in found for pair in q.pairs]


def test_the_default_table_asks_two_questions():
    assert asked(questions(columns(*FRAMEWORKS))) == [
        ("What does Keras 3 change on TensorFlow?", "keras2-tensorflow", "keras3-tensorflow"),
        ("What does compiling change?", "pytorch-eager", "pytorch-compiled"),
    ]


COMPILED = "pytorch-compiled"
FRAMEWORK, PYTHON = {"way": "framework"}, {"interpreter": "/a/python"}
OLD, NEW = (("+a", {"overlay": ["a 1", "c"]}), ("+b", {"overlay": ["b 2", "c"]}))
EARLIER, LATER = (
    (suffix, {"overlay": [f"diffusers {version}"]})
    for suffix, version in (("+a", "0.3.0"), ("+b", "0.25.0"))
)
AUTO, COMPILING = ("", {"jit_compile": "auto"}), ("+jit", {"jit_compile": True})
REDUCING, DEFAULT = ("", {"mode": "reduce-overhead"}), ("+default", {"mode": "default"})


@pytest.mark.parametrize(
    ("framework", "base", "new", "question"),
    [
        (TORCH, ("+cpu", {}), ("", {"accelerator": "cuda"}), "does the GPU change?"),
        (JAX, ("", {}), ("+tf32", {"precision": "tf32"}), "does TF32 change?"),
        (JAX, ("", {}), ("+float32", {"precision": "float32"}), "does float32 change?"),
        (JAX, ("+old", {"stack": "2024-03"}), ("", {}), "did the releases from 2024-03 to 2026-11"),
        (JAX, ("", {}), ("+keras", {"overlay": ["keras"]}), "does this patch change: keras?"),
        (JAX, ("", {}), ("+a", {"overlay": ["tabulate 0.9.0"]}), "does tabulate 0.9.0 change?"),
        (JAX, OLD, NEW, "does this patch change: b 2 instead of a 1?"),
        (JAX, EARLIER, LATER, "does diffusers 0.25.0 change after 0.3.0?"),
        (JAX, ("", {}), ("+1-thread", {"threads": 1}), "does 1 thread change?"),
        (JAX, ("", {}), ("+4-threads", {"threads": 4}), "do 4 threads change?"),
        (COMPILED, REDUCING, DEFAULT, "does compiling in mode default change?"),
        (TORCH, AUTO, COMPILING, "does compiling in Keras change?"),
        (TORCH, ("", {}), ("+python", PYTHON), "does another interpreter"),
        (JAX, ("", FRAMEWORK), ("+native", {"way": "native"}), "does native code change?"),
        (JAX, ("", FRAMEWORK), ("+c", {"way": "callback"}), "does C through a callback change?"),
    ],
)
def test_a_setting_has_its_question_and_its_base_whatever_the_order(framework, base, new, question):
    ends = [(f"{framework}{suffix}", settings) for suffix, settings in (base, new)]
    # where neither is the default, the first is the base
    for order in (ends, ends[::-1])[: 1 if base[0] == "+a" else 2]:
        ((text, *names),) = asked(questions(columns(*order)))
        assert text.startswith(f"What {question}") and names == [name for name, _ in ends]


def test_several_values_of_a_setting_stand_against_one_base():
    modes = ("max-autotune", "reduce-overhead", "default")
    names = {"reduce-overhead": "pytorch-compiled"}
    found = columns(
        *((names.get(mode, f"pytorch-compiled+{mode}"), {"mode": mode}) for mode in modes)
    )
    assert asked(questions(found)) == [
        (
            f"What does compiling in mode {mode} change?",
            "pytorch-compiled",
            f"pytorch-compiled+{mode}",
        )
        for mode in ("max-autotune", "default")
    ]


def test_what_only_one_framework_takes_does_not_part_a_pair():
    found = columns(
        "pytorch-eager",
        ("pytorch-compiled", {"mode": "reduce-overhead"}),
        ("pytorch-compiled+max-autotune", {"mode": "max-autotune"}),
        ("pytorch-eager+tf32", {"precision": "tf32"}),
    )
    compiling, tf32, mode = questions(found)
    assert [pair.new.name for pair in compiling.pairs] == [found[1].name, found[2].name]
    assert (tf32.text, mode.setting) == ("What does TF32 change?", "mode")


def test_one_setting_of_several_frameworks_is_one_question():
    found = columns(JAX, TORCH, *((f"{n}+tf32", {"precision": "tf32"}) for n in (JAX, TORCH)))
    (question,) = questions(found)
    assert (question.setting, question.base, question.new) == ("precision", "default", "tf32")
    assert [(p.base.name, p.new.name) for p in question.pairs] == [
        (JAX, TF32),
        (TORCH, f"{TORCH}+tf32"),
    ]


VALUES = {
    "accelerator": ("cpu", "cuda"),
    "precision": ("default", "float32", "tf32"),
    "threads": (1, 2),
    "overlay": ([], ["keras 3.1"]),
}
SETTINGS = st.fixed_dictionaries({name: st.sampled_from(of) for name, of in VALUES.items()})


def apart(one, other):
    """In how many things two columns differ."""
    return (one.framework != other.framework) + len(differing_settings(one, other))


@given(st.lists(st.tuples(st.sampled_from([JAX, "pytorch-eager", "pytorch-compiled"]), SETTINGS)))
def test_pairs_differ_in_one_thing_and_nobody_with_such_a_neighbour_is_left_out(asked_for):
    found = columns(*((f"{name}+{n}", settings) for n, (name, settings) in enumerate(asked_for)))
    named = [column for column in found if column.framework != "pytorch-compiled" or column.against]
    pairs = [pair for question in questions(found) for pair in question.pairs]
    assert all(apart(pair.base, pair.new) == 1 for pair in pairs)
    compared = {column.name for pair in pairs for column in (pair.base, pair.new)}
    for column in named:
        twins = [other for other in found if apart(column, other) == 0]
        near = [
            other
            for other in found
            if apart(column, other) == 1
            and (
                column.framework == other.framework
                or column.framework in other.against
                or other.framework in column.against
            )
        ]
        assert bool(near) == any(twin.name in compared for twin in twins)
