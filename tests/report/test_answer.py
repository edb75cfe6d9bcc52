"""The answer on a pull request, and the comparison of two results."""

import json
import re

import numpy as np
import pytest
from scipy.stats import t

from millistep.analysis import answer, commands, load, same_work
from millistep.analysis.comment import comment
from millistep.analysis.load import InputError
from millistep.contracts.results import Answer
from millistep.measure import extras
from tests.analysis_fixtures import files, write
from tests.report.made import configuration, fail, made

pytestmark = pytest.mark.quick
BASE, PATCH, AGAIN = "keras3-jax", "keras3-jax+patch", "keras3-jax+again"
SETTINGS = {"threshold": 0.02, "looks": 3, "last": True, "left_out": {}, "report": ""}
COLUMNS = [configuration(BASE), configuration(AGAIN, again=True)]
COLUMNS += [configuration(PATCH, overlay=["patch"])]


def asked(*factors: float | None, runs: int = 8, change=lambda r: None, null: float = 1.0):
    """Return the results of a patch that takes so many times the base in each workload."""
    times = {
        (model, "fit", 8): {BASE: 10.0, AGAIN: 10.0 * null, PATCH: factor and 10.0 * factor}
        for model, factor in zip(("bert", "sam"), factors, strict=False)
    }
    return made(times, runs, COLUMNS, change)


def failing(*names: str, model: str = "sam"):
    """Return a change that makes every run of the named configurations of a model fail."""

    def change(record):
        if record["cell"]["column"] in names and record["cell"]["model"] == model:
            fail(record)

    return change


def found_in(data, **settings):
    settings = SETTINGS | settings
    found = answer.answer(data, settings["threshold"], settings["looks"], settings["last"])
    return found, comment(data, found, settings, "0" * 64)


def test_a_slower_workload_is_status_1():
    more = {"left_out": {"gemma/fit/4": ""}, "report": "https://r.example"}
    found, text = found_in(asked(1.1, 1.0), **more)
    assert found["verdict"].tolist() == ["slower", "tied"]
    assert answer.status(found, {}) == answer.SLOWER and found["decided"].all()
    first = found.iloc[0]
    assert first.low < 1.1 < first.high and 1.02 < first.smallest_shown < 1.05
    assert text.startswith(
        "### Millistep: the patch is slower by more than 2\u00a0% in 1 of 2 workloads; tied within"
    )
    assert "**slower** by more than" in text and "in one round only" in text
    assert "gemma/fit/4" in text and "[Report](https://r.example)" in text


@pytest.mark.parametrize(
    ("factors", "runs", "verdicts", "status"),
    [
        ((1.0, 1.0), 8, ["tied", "tied"], answer.FINE),
        ((0.9, 1.0), 8, ["faster", "tied"], answer.FINE),
        ((1.0, 1.0), 2, ["inconclusive", "inconclusive"], answer.UNDECIDED),
        ((1.0, 1.0), 1, ["inconclusive", "inconclusive"], answer.UNDECIDED),
    ],
)
def test_statuses(factors, runs, verdicts, status):
    found, text = found_in(asked(*factors, runs=runs))
    assert found["verdict"].tolist() == verdicts
    assert answer.status(found, {}) == status
    assert ("more time would narrow" in text) == (status == answer.UNDECIDED)


FAILING = [((PATCH,), answer.BROKEN), ((BASE, AGAIN, PATCH), answer.NEITHER)]


@pytest.mark.parametrize(("names", "said"), FAILING)
def test_a_workload_that_does_not_run_is_a_failure(names, said):
    found, text = found_in(asked(1.0, 1.0, change=failing(*names)))
    assert answer.status(found, {}) == answer.SLOWER and found["decided"].all()
    assert f"the patch {said} in sam fit; is tied" in text
    assert "patch: oom: memory ran out" in text


def test_a_failure_of_a_workload_that_was_left_out_later_stays_one():
    left_out = {"gemma/fit/4": "", "sam/fit/8": answer.BROKEN}
    found, text = found_in(asked(1.0), left_out=left_out)
    assert answer.status(found, left_out) == answer.SLOWER
    assert text.startswith(f"### Millistep: the patch {answer.BROKEN} in sam/fit/8; is tied")
    assert "too short: gemma/fit/4 and sam/fit/8." in text


def some_fail(*names):
    """Return a change that makes runs 3 and 5 of the named configurations fail."""

    def change(record):
        if record["cell"]["column"] in names and record["cell"]["run"] in (3, 5):
            fail(record)

    return change


def test_a_patch_that_fails_in_some_rounds_has_no_time():
    found, text = found_in(asked(1.0, change=some_fail(PATCH)))
    assert answer.status(found, {}) == answer.SLOWER and found["decided"].all()
    assert found["ratio"].isna().all()
    assert f"{answer.BROKEN}: patch: 2 of 8 runs: oom: memory ran out" in text
    found, _ = found_in(asked(1.0, change=some_fail(PATCH, AGAIN)))  # of the machine, maybe
    assert found["ratio"].notna().all() and answer.status(found, {}) != answer.SLOWER


def test_a_base_that_does_not_run_is_no_failure_of_the_patch():
    found, _ = found_in(asked(1.0, 1.0, change=failing(BASE)))
    assert answer.status(found, {}) == answer.FINE


def test_a_workload_that_is_known_not_to_run_is_left_out():
    data = asked(1.0)
    nowhere = dict.fromkeys((BASE, AGAIN, PATCH))
    unsupported = made({("sam", "fit", 8): nowhere}, 8, COLUMNS)
    for name in ("rows", "cells"):
        data.plan[name] += unsupported.plan[name]
    data.plan["models"] |= unsupported.plan["models"]
    found, text = found_in(data)
    assert answer.status(found, {}) == answer.FINE
    assert "not compared: base: unsupported" in text


def test_intervals_of_all_workloads_and_looks_hold_together():
    alone, _ = found_in(asked(1.1), looks=1)
    together, _ = found_in(asked(1.1, 1.0), looks=3)
    assert together["low"][0] < alone["low"][0] and alone["high"][0] < together["high"][0]


def test_half_of_the_errors_is_left_to_the_last_look():
    def share(**settings):
        found, _ = found_in(asked(1.1), **settings)
        rounds = data.round_ratios.query("configuration == @PATCH and base != @PATCH")
        error = rounds.groupby("run")["log"].mean().sem()
        return 2 * t.sf(np.log(found["high"][0] / found["ratio"][0]) / error, 7)

    data = asked(1.1)
    assert share(looks=1) == pytest.approx(0.05)
    earlier, last = share(looks=5, last=False), share(looks=5, last=True)
    assert last == pytest.approx(0.025) and 4 * earlier + last == pytest.approx(0.05)


def test_a_patch_is_compared_with_both_measurements_of_the_base():
    found, _ = found_in(asked(1.1, null=1.04))
    ratio, null = found["ratio"][0], found["null_ratio"][0]
    data = asked(1.1, null=1.04)
    rounds = data.round_ratios.query("configuration == @PATCH").groupby("base")["log"].mean()
    assert ratio == pytest.approx(np.exp(rounds.mean()))
    assert null == pytest.approx(1.04, rel=0.01)


def test_other_columns_have_no_answer():
    pair = [configuration(BASE), configuration("pytorch-eager")]
    data = made({("bert", "fit", 8): {BASE: 1.0, "pytorch-eager": 1.0}}, 3, pair)
    with pytest.raises(InputError, match="a base, the same again and a patch of keras3-jax"):
        answer.answer(data, 0.02, 1, last=True)


def test_nothing_is_slower_while_the_base_differs_from_itself():
    found, text = found_in(asked(1.1, null=1.1))
    assert found["verdict"].tolist() == ["inconclusive"] and not found["decided"].any()
    assert answer.status(found, {}) == answer.UNDECIDED
    assert "not compared: the base differs from itself" in text
    assert "| +10\u00a0% [" in text  # both ratios are shown


def test_several_patches_are_compared_with_one_base():
    other = "keras3-jax+patch2"
    columns = [*COLUMNS, configuration(other, overlay=["patch2"])]
    times = {BASE: 10.0, AGAIN: 10.0, PATCH: 11.0, other: 10.0}
    found, text = found_in(made({("bert", "fit", 8): times}, 8, columns))
    assert found["verdict"].tolist() == ["slower", "tied"]
    assert text.startswith(
        "### Millistep: a patch is slower by more than 2\u00a0% in 1 of 2 comparisons"
    )
    assert "| bert fit, Keras 3 (JAX), \\['patch2'\\] |" in text


def test_titles_of_models_and_frameworks_are_text():
    data = asked(1.0, 1.0, change=failing(PATCH))
    for row in data.plan["rows"]:
        row["title"] = f"<b>{row['model']}</b> | fit"
    for column in data.plan["columns"]:
        column["title"] = "<i>mine</i>"
    text = found_in(data)[1]
    assert "in \\<b\\>sam\\</b\\> \\| fit; is tied" in text
    assert "| \\<b\\>bert\\</b\\> \\| fit |" in text and not re.search(r"[^\\]<[bi/]", text)
    assert (
        "\n\\<i\\>mine\\</i\\> against \\<i\\>mine\\</i\\>, laptop scale, AMD EPYC, 8 cores" in text
    )


def test_operations_are_exact_if_the_base_repeats_them():
    def profiled(record):
        count = {BASE: 412, AGAIN: again, PATCH: 318}[record["cell"]["column"]]
        operation = {"name": "dot", "ms": 1.0, "count": count, "launched": count}
        record["host_overhead"] = {"share": 0.1, "step_ms": 1.0, "operations": [operation]} | {
            "method": "m", "steps": 1, "rest_ms": 0.0, "rest_launched": 1,
        }  # fmt: skip

    again = 412
    assert "| 413 \u2192 319 |" in found_in(asked(1.0, change=profiled))[1]
    again = 411
    assert "| varies (413, 412) |" in found_in(asked(1.0, change=profiled))[1]
    assert "| NA | NA | NA | not compared |" in found_in(asked(1.0))[1]


def test_python_calls_are_counted_and_the_changed_functions_named():
    def counted(record):
        if record["cell"]["run"] > 1:
            return
        name = record["cell"]["column"]
        functions = {"keras.fit": 2.0, "keras.|step|": 10.0 if name == PATCH else 12.0}
        functions["gc.sometimes"] = {BASE: 1.0, AGAIN: 2.0, PATCH: 9.0}[name] if varies else 1.0
        record["calls"] = {
            **{"steps": 10, "per_step": sum(functions.values())},
            "functions": [{"name": n, "per_step": x} for n, x in functions.items()],
        }

    varies = False
    found, text = found_in(asked(1.0, change=counted))
    assert found["calls_base"].tolist() == [15.0] and "| 15 \u2192 13 |" in text
    assert "- bert fit: `keras.|step|`: 12 \u2192 10\n" in text
    varies = True
    text = found_in(asked(1.0, change=counted))[1]
    assert "| varies (15, 16) |" in text and "sometimes" not in text


def test_functions_that_a_full_list_may_lack_have_no_change():
    def counted(record):
        added = ["keras.new"] if record["cell"]["column"] == PATCH else []
        names = [*added, *(f"keras.f{n:03}" for n in range(number))][: extras.MOST_FUNCTIONS]
        functions = [{"name": n, "per_step": 1.0} for n in names]
        record["calls"] = {"steps": 10, "per_step": number + len(added), "functions": functions}

    number = 20
    assert "`keras.new`: 0 \u2192 1" in found_in(asked(1.0, change=counted))[1]
    number = extras.MOST_FUNCTIONS + 1
    assert "change most" not in found_in(asked(1.0, change=counted))[1]


def test_allocated_bytes_are_exact_if_the_base_repeats_them():
    def counted(record):
        size = {BASE: 4_093_809, AGAIN: again, PATCH: 4_093_809 + 4 * 64 * 1024}
        record["memory"] = {"allocated_bytes_per_step": size[record["cell"]["column"]]}

    again = 4_093_809
    found, text = found_in(asked(1.0, change=counted))
    assert found["allocated_base"].tolist() == [again]
    assert "| 4,093,809 \u2192 4,355,953 (+262,144) |" in text
    again = 4_093_810
    assert "| varies (4,093,809, 4,093,810) |" in found_in(asked(1.0, change=counted))[1]


def with_outcomes(values, calls=None, kind="outputs"):
    """Change of a record: its outcome, by configuration."""

    def change(record):
        name = record["cell"]["column"]
        if record["cell"]["run"] == 1:
            call_ms = (calls or {}).get(name, 11.0)
            record["outcome"] = {"kind": kind, "values": values[name], "steps": 5}
            record["outcome"] |= {"call_ms": call_ms, "step_ms": 10.0}

    return change


def outcome_of(new, again=(1.0, -2.0), **options):
    values = {BASE: [1.0, -2.0], AGAIN: list(again), PATCH: list(new)}
    return found_in(asked(1.0, change=with_outcomes(values, **options)))


def test_a_patch_with_the_same_outputs_is_compared():
    found, text = outcome_of([1.0, -2.0001])
    assert found["work"].tolist() == ["same"] and found["verdict"].tolist() == ["tied"]
    assert "| same |" in text and answer.status(found, {}) == answer.FINE


@pytest.mark.parametrize(
    ("new", "kind", "words"),
    [
        ([1.0, -2.001], "outputs", "by up to 0.05\u00a0%; rounding: 0.01"),
        ([1.0, -2.0001], "losses", "by up to 0.005\u00a0%; rounding: 0.002"),
        ([1.0], "outputs", "in their number"),
        ([None, -2.0], "outputs", "in their number"),
    ],
)
def test_a_patch_that_does_other_work_has_no_time(new, kind, words):
    found, text = outcome_of(new, kind=kind)
    words = f"other {kind}: they differ {words}"
    assert found["work"][0].startswith(words)
    assert found["ratio"].isna().all() and found["decided"].all()
    assert answer.status(found, {}) == answer.SLOWER
    shown = words.replace("\u00a0", " ")
    assert f"does not do the same work: {shown}" in text
    assert "the patch does not do the same work in bert fit" in text


def test_outputs_may_differ_three_times_as_much_as_those_of_the_base_from_themselves():
    assert outcome_of([1.0, -2.029], again=[1.0, -2.01])[0]["work"].tolist() == ["same"]
    assert outcome_of([1.0, -2.031], again=[1.0, -2.01])[0]["work"][0].startswith("other outputs")


def test_work_is_not_compared_with_a_base_that_differs_from_itself_in_number():
    found, _ = outcome_of([1.0], again=[1.0, None])
    assert found["work"].tolist() == ["not compared"]


@pytest.mark.parametrize("failed", [[PATCH], [PATCH, AGAIN], [BASE]])
def test_work_is_not_compared_if_the_run_that_compares_failed(failed):
    def change(record):
        with_outcomes({name: [1.0, -2.0] for name in (BASE, AGAIN, PATCH)})(record)
        if record["cell"]["column"] in failed and record["cell"]["run"] == 1:
            fail(record)

    found, _ = found_in(asked(1.0, change=change))
    assert found["work"].tolist() == ["not compared"]
    assert found["failure"].tolist() == [""]  # one failure may be an accident


def test_tokens_of_a_custom_loop_must_be_equal_where_rounding_does_not_choose_them():
    loop = {"kind": "tokens", "call_ms": None, "step_ms": None}
    sides = [loop | {"dtype": "float32", "values": values} for values in ([3, 5], [3, 5], [3, 4])]
    assert same_work.problem(sides[0], sides[1], sides[1]) == "same"
    assert same_work.problem(*sides).startswith("other tokens: they differ by up to 20")
    half = [side | {"dtype": "bfloat16"} for side in sides]
    assert same_work.problem(*half) == "not compared"


def test_a_complete_call_must_not_take_longer_than_its_steps():
    """Otherwise work is done after the clock stopped, or was done before it started."""
    calls = {BASE: 11.0, AGAIN: 12.0, PATCH: 14.9}
    assert outcome_of([1.0, -2.0], calls=calls)[0]["work"].tolist() == ["same"]
    calls = {BASE: 11.0, AGAIN: 12.0, PATCH: 15.1}
    found, text = outcome_of([1.0, -2.0], calls=calls)
    quick = {BASE: 6.0, AGAIN: 6.5, PATCH: 9.9}  # complete calls that cost less than their steps
    assert outcome_of([1.0, -2.0], calls=quick)[0]["work"].tolist() == ["same"]
    words = "hidden work: a complete call takes 5.10 ms per step more; base: 2.00 ms"
    assert found["work"].tolist() == [words] and words in text


def test_a_loop_of_its_own_is_not_compared():
    found, text = found_in(asked(1.0))
    assert found["work"].tolist() == ["not compared"] and "| not compared |" in text


@pytest.fixture
def plan(tmp_path):
    """A plan of two configurations with real records, the second under another name."""
    content = files("six_columns")
    found = content["results/plan.json"]
    base = next(entry for entry in found["columns"] if entry["name"] == BASE)
    base["settings"]["again"] = False
    found["columns"] = [base]
    cells = [cell for cell in found["cells"] if cell["column"] == BASE]
    found["cells"] = [*cells]
    for name, setting in ((AGAIN, {"again": True}), (PATCH, {"overlay": ["patch"]})):
        other = json.loads(json.dumps(base)) | {"name": name, "title": name}
        other["settings"] |= setting
        found["columns"].append(other)
        for cell in json.loads(json.dumps(cells)):
            cell["column"] = name
            for run in cell["runs"]:
                record = json.loads(json.dumps(content[run["record"]]))
                run["record"] = run["record"].replace(BASE, name)
                record["cell"]["column"] = name
                record["identity"] = run["identity"]
                content[run["record"]] = record
            found["cells"].append(cell)
    return write(tmp_path, content)


def test_the_command_writes_what_planning_reads(plan):
    settings = json.dumps(SETTINGS)
    folder = plan.parent
    command = ["--plan", str(plan), "--settings", settings, "--output-dir", str(folder)]
    assert commands.comment(command) == 0
    content = json.loads((folder / "answer.json").read_text())
    assert content["decided"] is True and content["status"] == 0
    # A round lasts 12 and 10 s; what is measured once is not in it.
    seconds = {"bert/fit/4": 8.47, "gemma/generate/2": 2.21}
    assert content["seconds_of_a_round"] == pytest.approx(seconds, abs=0.01)
    assert [row["verdict"] for row in content["rows"]] == ["tied", "tied"]
    assert load.violation(content, Answer) == ""
    text = (folder / "answer.md").read_text()
    assert "| BERT fit | 2.144 | 2.144 | 3 | " in text and "sha256 of plan and records: `" in text
