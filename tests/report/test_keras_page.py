"""The page "Keras 3 benchmarks": each sentence, and a run in which its opposite is true."""

import re

import pytest

from millistep.analysis.caveats import caveats
from millistep.analysis.report import keras_page
from tests.report.made import as_published, fail, made

BERT, GEMMA = ("bert", "fit", 4), ("gemma", "generate", 1)
TF, JAX, TORCH = "keras3-tensorflow", "keras3-jax", "keras3-torch"
KERAS2, EAGER, COMPILED = "keras2-tensorflow", "pytorch-eager", "pytorch-compiled"
HEADINGS = ["Keras 3 benchmarks", "Models", "Hardware", "Results", "Discussion"]
HEADINGS += ["Conclusions", "References"]


def page(data):
    return keras_page.page(data, ["speedup_over_keras2"], caveats(data)).replace("\u00a0", " ")


def run(bert, gemma=None):
    times = {BERT: bert} | ({GEMMA: gemma} if gemma else {})
    return page(made(times))


@pytest.fixture(scope="module")
def published():
    return page(as_published())


def test_the_published_numbers_give_the_published_page(published):
    headings = re.findall(r"^##? (.+)$", published, re.M)
    assert headings == HEADINGS
    for text in (
        'Key Finding 1: There is no "best" backend',
        "Key Finding 2: Keras 3 is faster than native PyTorch in 12 (eager) and 8 (compiled) of",
        "Key Finding 4: Keras 3 is faster than Keras 2 in 6 of 6 workloads",
        "Keras 3 is faster than native PyTorch (compiled) in 8 of 12 workloads and slower in 4",
        "Keras 3 is faster than Keras 2 in 6 of 6 workloads",
        "+394 % [+385 %, +403 %]",
        "The PyTorch backend is slower than the fastest one in every workload",
        "The models are reduced",
    ):
        assert (text in published) == (text != "The models are reduced"), text


def test_sentences_have_at_most_thirty_words(published):
    discussion = published.partition("## Discussion")[2].partition("## References")[0]
    plain = re.sub(r"\]\([^)]*\)", "", discussion).replace("[", "").replace("]", "")
    plain = re.sub(r"\d (%)", "", plain)
    for line in plain.splitlines():
        if line and not line.startswith(("#", "!", "This run differs", "The largest")):
            assert len(line.split()) <= 36, line


def test_one_backend_may_be_the_best():
    text = run({TF: 20.0, JAX: 8.0, TORCH: 30.0}, {TF: 20.0, JAX: 8.0, TORCH: 30.0})
    assert "Key Finding 1: JAX is the fastest backend in every workload" in text
    assert "The TensorFlow backend is slower than the fastest one in every workload" in text


def test_equal_backends_show_no_best():
    text = run({TF: 8.0, JAX: 8.0, TORCH: 8.0})
    assert "Key Finding 1: No backend is shown to be the best" in text
    assert "is slower than the fastest one in every workload" not in text


def test_keras_3_may_be_slower():
    text = run({KERAS2: 8.0, JAX: 16.0, EAGER: 8.0})
    assert "Keras 3 is faster than native PyTorch in none (eager) of 1 workload" in text
    assert "Keras 3 is slower than Keras 2 in 1 of 1 workload" in text
    assert "The largest loss: [-50 %" in text and "largest gains" not in text


def test_keras_3_may_be_faster_and_slower():
    text = run({KERAS2: 8.0, JAX: 16.0}, {KERAS2: 16.0, JAX: 8.0})
    assert "Keras 3 is faster than Keras 2 in 1 and slower in 1 of 2 workloads" in text


def test_an_upgrade_alone_may_lose():
    text = run({KERAS2: 8.0, TF: 16.0, JAX: 4.0})
    assert "with the TensorFlow backend, is faster in none of 1 workload and slower in 1" in text
    assert "The largest loss from upgrading alone: [-50 %" in text
    text = run({KERAS2: 8.0, TF: 4.0, JAX: 4.0})
    assert "with the TensorFlow backend, is faster in 1 of 1 workload." in text


def test_findings_that_a_run_cannot_support_are_left_out():
    text = run({JAX: 8.0, TORCH: 16.0})
    assert "native PyTorch" not in text and "Keras 2" not in text
    assert "Key Finding 1" in text and "Key Finding 2" not in text
    single = page(made({BERT: {KERAS2: 8.0, JAX: 4.0, TORCH: 9.0, EAGER: 9.0}}, runs=1))
    assert "Key Finding" not in single and "measured in one run only" in single


def test_a_run_without_any_time_has_a_page():
    def change(record):
        fail(record)
        record["threads"] = None

    text = page(made({BERT: {JAX: 8.0, TORCH: 9.0}}, change=change))
    assert "Too few cells can be compared for a conclusion." in text


def test_a_cell_that_is_tied_with_the_fastest_is_bold_too():
    times = {JAX: 8.0, TORCH: 8.04, KERAS2: 9.0}
    text = page(made({BERT: times}, runs=5))
    line = next(line for line in text.splitlines() if line.startswith("| **bert fit**"))
    assert "[**8.00" in line and "[**8.04" in line and "[9.0" in line
