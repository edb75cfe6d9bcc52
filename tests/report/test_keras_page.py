"""The page "Keras 3 benchmarks": each sentence, and a run in which its opposite is true."""

import re

import pytest

from millistep.analysis.caveats import caveats
from millistep.analysis.report import keras_page
from millistep.analysis.topics import padding
from tests.report.made import TITLES, as_published, configuration, fail, made

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
    assert "Keras 3 is slower than native PyTorch (eager) in the only workload compared\n" in text
    assert "Keras 3 is slower than Keras 2 in the only workload compared\n" in text
    assert "The largest loss: [-50 %" in text and "largest gains" not in text


def test_keras_3_may_be_faster_and_slower():
    text = run({KERAS2: 8.0, JAX: 16.0}, {KERAS2: 16.0, JAX: 8.0})
    assert "Keras 3 is faster than Keras 2 in 1 and slower in 1 of 2 workloads" in text


def test_an_upgrade_alone_may_lose():
    text = run({KERAS2: 8.0, TF: 16.0, JAX: 4.0})
    alone = "After an upgrade alone, Keras 3 with the TensorFlow backend is"
    assert f"{alone} slower than Keras 2 in the only workload compared." in text
    assert "The largest loss from upgrading alone: [-50 %" in text
    text = run({KERAS2: 8.0, TF: 4.0, JAX: 4.0})
    assert f"{alone} faster than Keras 2 in the only workload compared." in text
    text = run({KERAS2: 8.0, TF: 8.0, JAX: 4.0})
    assert f"{alone} tied with Keras 2 in the only workload compared." in text


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


def sized(framework, trained):
    """Return a change of records: the number of trained parameters of one family."""

    def change(record):
        if record["cell"]["framework"].startswith(framework):
            record["work"]["trainable_parameters"] = trained

    return change


def test_workloads_with_different_work_are_left_out_of_the_counts():
    times = {JAX: 4.0, TF: 8.0, KERAS2: 16.0, EAGER: 16.0, COMPILED: 15.0}
    both = {BERT: times, ("gemma", "fit", 8): times}
    text = page(made(both, change=sized("pytorch", 1000)))
    assert "Keras 3 is faster than native PyTorch in 2 (eager) and 2 (compiled) of 2" in text
    assert "left out" not in text.lower()
    assert "Fastest by the mean, of 2 workloads: Keras 3 (JAX) in 2." in text

    def other(record):
        if record["cell"]["model"] == "gemma":
            sized("pytorch", 3000)(record)

    text = page(made(both, change=other))
    assert "Keras 3 is faster than native PyTorch in 1 (eager) and 1 (compiled) of 1 work" in text
    assert "Left out: gemma fit, in which the numbers of parameters differ." in text
    assert text.count("Left out: gemma fit, in which") == 1  # others do equal work
    assert "Keras 3 is faster than Keras 2 in 2 of 2 workloads" in text
    assert "JAX is the fastest backend in every workload" in text
    assert (
        "Fastest by the mean, in bert fit: Keras 3 (JAX). "
        "Left out: gemma fit (different numbers of parameters)."
    ) in text


def test_native_forms_that_ran_in_other_numbers_of_workloads_have_their_totals():
    title = "Key Finding 2: Keras 3 is faster than native PyTorch in"
    text = run({JAX: 8.0, TORCH: 9.0, EAGER: 16.0, COMPILED: 12.0}, {JAX: 8.0, EAGER: 16.0})
    assert f"{title} 2 (eager) and 1 (compiled) of 2 and 1 workloads\n" in text
    text = run(
        {JAX: 8.0, TORCH: 9.0, EAGER: 16.0, COMPILED: 4.0},
        {JAX: 8.0, TORCH: 9.0, EAGER: 16.0, COMPILED: 12.0},
    )
    assert f"{title} 2 (eager) and 1 (compiled) of 2 workloads, slower in none" in text
    assert "slower in none (eager) and 1 (compiled)\n" in text
    text = run({JAX: 8.0, TORCH: 9.0, EAGER: 8.0, COMPILED: 8.0})
    assert "Key Finding 2: No difference between Keras 3 and native PyTorch is shown" in text


def test_verdicts_of_the_others_are_named():
    times = {KERAS2: 16.0, JAX: 8.0}
    text = page(made({BERT: times, GEMMA: {KERAS2: 8.0, JAX: 8.0}}, runs=5))
    assert "Keras 3 is faster than Keras 2 in 1 of 2 workloads and tied in 1." in text


def test_backends_are_the_best_of_the_workloads_in_which_they_are_compared():
    backends = {TF: 20.0, JAX: 8.0, TORCH: 30.0}
    assert "JAX is the fastest backend in the only workload\n" in run(backends)
    text = run(backends, {JAX: 8.0, EAGER: 9.0})
    assert "JAX is the fastest backend in the one workload in which backends are compared\n" in text
    assert re.search(r"in the one workload in which it is compared: it takes \[2\.[45]", text)


def test_a_share_of_padding_from_one_run_says_so(six, monkeypatch):
    assert "static padding may be the reason in 1.\n" in page(six)
    table = padding.table(six).assign(runs=1)
    monkeypatch.setattr(padding, "table", lambda data: table)
    assert "may be the reason in 1 (its share is from one run per cell).\n" in page(six)


def test_titles_of_models_are_text():
    times = {KERAS2: 16.0, TF: 12.0, JAX: 8.0, COMPILED: 20.0, EAGER: 40.0}
    data = made({BERT: times, GEMMA: times})
    for row in data.plan["rows"]:
        row["title"] = f"<b>{row['model']}</b> | fit"
    text = page(data)
    assert "<b>" not in re.sub(r"\\<", "", text)
    assert "in \\<b\\>bert\\</b\\> \\| fit" in text


def test_one_process_is_no_mean_and_one_backend_no_list():
    text = page(made({BERT: {JAX: 8.0, EAGER: 9.0}}, runs=1))
    assert "Each number is the time of one process of 10 timed steps, without" in text
    assert "We benchmark Keras 3 with the JAX backend alongside native PyTorch impl" in text
    text = page(made({BERT: {JAX: 8.0, TORCH: 9.0}}))
    assert "Each number is the geometric mean over 3 processes of 10 timed steps" in text
    assert "We benchmark the two backends of Keras 3 (JAX and PyTorch)." in text


def test_only_runs_of_the_page_are_counted():
    columns = [configuration(JAX), configuration(EAGER), configuration(f"{EAGER}+tf32", stack="x")]
    times = {JAX: 8.0, EAGER: 9.0, f"{EAGER}+tf32": 7.0}
    text = page(made({BERT: times}, columns=columns))
    assert "sentence of this page from 6 runs" in text


def test_the_differences_from_the_published_run_are_sentences():
    text = page(made({BERT: {JAX: 8.0, TORCH: 9.0}}))
    assert "scale is laptop instead of paper, weights are random instead of preset" in text


def test_a_run_without_a_framework_of_the_page_has_no_page(tmp_path, monkeypatch):
    data = made({BERT: {JAX: 8.0, TORCH: 9.0}})
    keras_page.write(data, tmp_path, [], caveats(data))
    assert (tmp_path / "page.md").exists()
    monkeypatch.setitem(TITLES, "mine", "Mine")
    data = made({BERT: {"mine": 8.0}})
    keras_page.write(data, tmp_path / "none", [], caveats(data))
    assert not (tmp_path / "none").exists()
