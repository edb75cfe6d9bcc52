"""How the time for an answer is spent, and the errors for a wrong question."""

import json
import re
import shlex
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from millistep.planning import answer
from millistep.planning.answer import LEAST_ROUNDS, MOST_ROUNDS, schedule

from ..shared import ROOT, commit, put

STUDY = """
study: {name: pull_request, title: T, question: "Q?"}
models:
  bert: {predict: [8], fit: [4]}
columns: [keras3-jax]
"""


@pytest.mark.parametrize("left_s", [40, 100, 400, 4000, 40000])
def test_what_is_planned_fits_into_the_time(left_s):
    seconds = {"bert/predict/8": 16.0, "bert/fit/4": 20.0, "sam/predict/4": 60.0}
    rows, looks = schedule(seconds, left_s)
    assert rows == list(seconds)[: len(rows)]
    cost = sum(seconds[row] for row in rows)
    assert (looks[-1] - 1) * cost <= left_s
    assert looks == sorted(set(looks)) and looks[-1] <= MOST_ROUNDS
    if len(rows) < 3:  # one more would have had too few rounds
        more = sum(list(seconds.values())[: len(rows) + 1])
        assert (LEAST_ROUNDS - 1) * more > left_s
    assert len(looks) <= 6


class Machine:
    """Stands in for Snakemake, its clock and its files: decided after so many rounds."""

    def __init__(self, decided_at, first, kept):
        self.decided_at, self.first = decided_at, first  # status of the first look
        self.now, self.done, self.asked, self.last = 0.0, kept, [], []

    def run(self, command, **_):
        target, config = command[3], yaml.safe_load(Path(command[-1]).read_text())
        assert config["answer"]["threshold"] == 0.02  # the plan of each call is of the same runs
        if target == "environments":
            self.now += 1000  # is not counted
        if target == "answer":
            rounds, rows = config["runs"], config["models"]["bert"]
            self.now += 5 + 10 * len(rows) * max(rounds - self.done, 0)
            self.done = max(rounds, self.done)
            self.asked.append((rounds, config["answer"]["looks"], sorted(rows)))
            self.last.append(config["answer"]["last"])
            decided = rounds >= self.decided_at
            status = self.first if rounds == 1 else 0 if decided else 3
            seconds = dict.fromkeys(("bert/predict/8", "bert/fit/4"), 10.0)
            content = {"decided": decided, "status": status, "seconds_of_a_round": seconds}
            failure = "does not run" if rounds == 1 and self.first == 1 else ""
            row = {"model": "bert", "task": "fit", "batch_size": 4}
            content |= {"rows": [row | {"verdict": "inconclusive", "failure": failure}]}
            folder = Path("results/studies", config["study"]["name"])
            put(folder / "answer.json", json.dumps(content))
            put(folder / "answer.md", f"{rounds} rounds\n")
        return 0


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "keras/pyproject.toml", "")
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "bare.yaml").write_text(STUDY.partition("models")[1] + STUDY.partition("models")[2])

    def ask(decided_at, *options, first=3, kept=0):
        machine = Machine(decided_at, first, kept)
        monkeypatch.setattr(answer, "run", machine.run)
        monkeypatch.setattr(answer.time, "monotonic", lambda: machine.now)
        command = ["answer", "--study", "study.yaml", "--patch", "keras", *options]
        monkeypatch.setattr(sys, "argv", command)
        return machine, answer.main(), capsys.readouterr()

    return ask


def test_it_stops_as_soon_as_all_is_decided(ask):
    machine, status, said = ask(8, "--minutes", "15")
    assert status == 0 and said.out.strip() == "8 rounds"
    assert [rounds for rounds, _, _ in machine.asked] == [1, 4, 8]
    assert len({looks for _, looks, _ in machine.asked[1:]}) == 1  # planned, not counted afterwards
    assert not any(machine.last)


def test_it_stops_when_the_time_is_over(ask):
    machine, status, _ = ask(1000, "--minutes", "5")
    assert status == 3 and machine.now - 1000 <= 300 < machine.now - 1000 + 2 * 20 + 5
    assert machine.last == [False] * (len(machine.last) - 1) + [True]


def test_a_failure_of_the_first_round_is_an_answer_whatever_follows(ask):
    _, status, said = ask(9, "--minutes", "0.3", first=1)  # no time is left
    assert status == 1 and said.out.strip() == "1 rounds" and said.err == ""


def test_a_workload_that_failed_and_is_left_out_is_named(ask):
    ask(1000, "--minutes", "1.2", first=1)
    config = yaml.safe_load(Path(".snakemake/millistep/answer/config.yaml").read_text())
    assert config["answer"]["left_out"] == {"bert/fit/4": "does not run"}


def test_rounds_that_are_there_already_do_not_make_later_ones_free(ask):
    machine, _, _ = ask(1000, "--minutes", "15", kept=20)
    assert machine.now - 1000 <= 900 + 2 * 20 + 5


def test_rows_that_do_not_fit_are_left_out(ask):
    machine, status, _ = ask(1000, "--minutes", "1.2")
    assert machine.asked[0][2] == ["fit", "predict"] and machine.asked[-1][2] == ["predict"]
    config = yaml.safe_load(Path(".snakemake/millistep/answer/config.yaml").read_text())
    assert config["answer"]["left_out"] == {"bert/fit/4": ""} and status == 3
    assert config["columns"][0] == {"framework": "keras3-jax"}
    assert config["columns"][2]["overlay"][0].endswith("/answer/patch")


NO_PATCH = "--patch: 'study.yaml' is neither a wheel (.whl) nor a folder with"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--patch", "nowhere"], "--patch: nowhere: no such file or folder"),
        (["--threshold", "2"], "--threshold: 2.0: allowed is"),
        (["--threshold", "0"], "--threshold: 0.0: allowed is above 0 and below 1"),
        (["--framework", "foo"], "--framework: foo: allowed are keras2-tensorflow, keras3-"),
        (["--minutes", "0"], "--minutes: 0.0: allowed are"),
        (["--minutes", "inf"], "--minutes: inf: allowed are"),
        (["--patch", "~nouser1/x"], "--patch: ~nouser1/x: no such file or folder"),
        (["--minutes", "0.3"], "two rounds are needed: raise --minutes"),
        (["--minutes", "long"], "--minutes: invalid float value: 'long'"),
        (["--patch", "study.yaml"], NO_PATCH),
        (["--study", "bare.yaml"], "--study: bare.yaml: the key study is missing"),
    ],
)
def test_a_wrong_question_is_told_so_in_one_line(ask, options, words):
    _, status, said = ask(9, *options)
    assert status == 2 and words in said.err and said.err.count("\n") == 1


def test_a_patch_that_is_missing_is_told_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["millistep answer", "--minutes", "15"])
    assert answer.main() == 2
    said = "millistep: the following arguments are required: --patch\n"
    assert capsys.readouterr().err == said


def test_what_fails_is_never_the_answer_that_a_row_is_slower(ask, monkeypatch):
    with answer.only_one():
        _, status, said = ask(4)
    assert status == 2 and "another answer is being measured in this folder" in said.err
    link = answer.FOLDER / "patch"
    (link / "a").mkdir(parents=True)
    _, status, said = ask(9)
    assert status == 2 and f"{link}: Is a directory" in said.err and said.err.count("\n") == 1
    monkeypatch.setattr(answer, "Asked", lambda _: {}["unheard-of"])
    _, status, said = ask(9)
    assert status == 2 and said.err.endswith("KeyError: 'unheard-of'\n")


def revisions(folder):
    """Make a clone with two commits of a package; return it."""
    for text in ("first", "second"):
        put(folder / "pyproject.toml", f"# {text}\n")
        commit(folder, text)
    return folder


@pytest.mark.parametrize("old", [False, True])
def test_base_and_patch_may_be_revisions_of_a_clone(ask, tmp_path, monkeypatch, old):
    if old:  # Python 3.11.2, which is Debian 12's
        extractall = tarfile.TarFile.extractall
        monkeypatch.delattr(tarfile, "data_filter")
        monkeypatch.setattr(tarfile.TarFile, "extractall", lambda *given: extractall(*given))
    clone = revisions(tmp_path / "clone")
    put(clone / "pyproject.toml", "# not committed\n")
    ask(4, "--base", f"{clone}@HEAD~1", "--patch", f"{clone}@HEAD")
    config = yaml.safe_load(Path(".snakemake/millistep/answer/config.yaml").read_text())
    base, again, _, patch = config["columns"]
    assert again == base | {"again": True}
    read = [Path(column["overlay"][0], "pyproject.toml").read_text() for column in (base, patch)]
    assert read == ["# first\n", "# second\n"]
    assert (clone / "pyproject.toml").read_text() == "# not committed\n"
    _, status, said = ask(4, "--base", f"{clone}@nowhere")
    assert status == 2 and "clone: not a git clone with the revision nowhere" in said.err
    _, status, said = ask(4, "--base", f"{tmp_path}/none@main")
    assert status == 2 and "none: not a git clone with the revision main" in said.err


def test_another_patch_is_measured_in_another_folder(ask, tmp_path):
    for _ in range(2):
        ask(4)
    put(tmp_path / "keras/pyproject.toml", "# changed\n")
    ask(4)
    found = sorted(path.name for path in Path("results/studies").iterdir())
    assert len(found) == 2 and all(re.fullmatch("pull_request_[0-9a-f]{8}", n) for n in found)


def test_each_framework_has_a_base_the_base_again_and_all_patches(ask, tmp_path):
    put(tmp_path / "other/pyproject.toml", "")
    ask(4, "--patch", "other", "--framework", "keras3-jax", "--framework", "keras3-torch")
    config = yaml.safe_load(Path(".snakemake/millistep/answer/config.yaml").read_text())
    names = [
        (c["framework"], c.get("again", False), [Path(p).name for p in c.get("overlay", [])])
        for c in config["columns"]
    ]
    assert names == [
        (framework, *settings)
        for framework in ("keras3-jax", "keras3-torch")
        for settings in ((False, []), (True, []), (False, ["patch"]), (False, ["patch2"]))
    ]


WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/answer.yml").read_text())
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
STEPS = {step.get("id") or step.get("name"): step for step in STEPS}


@pytest.mark.parametrize(("program", "commented"), [("echo no; exit 1", True), ("exit 1", False)])
def test_the_reusable_workflow_posts_no_empty_comment(tmp_path, program, commented):
    there = tmp_path / "millistep"
    put(there / ".venv/bin/python", f"#!/bin/sh\n{program}", program=True)
    put(tmp_path / "bin/make", "#!/bin/sh", program=True)
    told = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    script = ["bash", "-e", "-c", STEPS["measure"]["run"]]
    subprocess.run(script, cwd=there, env=told | path, check=True)
    job = WORKFLOW["jobs"]["comment"]
    assert "needs.measure.outputs.answered == 'true'" in job["if"] and job["needs"] == "measure"
    assert ("answered=true" in (tmp_path / "GITHUB_OUTPUT").read_text()) == commented


GH = """\
#!/bin/sh
case "$*" in *--jq*) printf '%b' "$KNOWN" ;; *) echo "$*" > said ;; esac
"""


CALLS = [("", "POST repos/o/r/issues/7/comments")]
CALLS += [("3\\n5\\n", "PATCH repos/o/r/issues/comments/5")]


@pytest.mark.parametrize(("known", "call"), CALLS)
def test_the_reusable_workflow_replaces_its_own_comment_alone(tmp_path, known, call):
    put(tmp_path / "bin/gh", GH, program=True)
    put(tmp_path / "answer.md", "### Millistep: the patch is tied")
    told = {"GITHUB_REPOSITORY": "o/r", "NUMBER": "7", "KNOWN": known}
    told["MARK"] = "<!-- millistep keras3-jax -->"
    told["PATH"] = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    script = STEPS["Comment"]["run"]
    subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=told, check=True)
    assert (tmp_path / "said").read_text() == f"api --silent --method {call} -F body=@answer.md\n"
    assert (tmp_path / "answer.md").read_text().endswith(f"tied\n\n{told['MARK']}\n")
    assert "contains(env.MARK)" in script  # another framework has a comment of its own
    title = re.search(r'startswith\("(.+?)"\)', script)[1]
    template = ROOT / "workflow/millistep/analysis/templates/answer.md.j2"
    assert template.read_text().startswith(title)


def test_the_reusable_workflow_calls_the_same_command():
    command = STEPS["measure"]["run"].replace("\\\n", " ")
    line = next(line for line in command.splitlines() if "workflow answer" in line)
    asked = shlex.split(line.partition("workflow answer")[2].partition(">")[0])
    values = {"$MINUTES": "15", "$THRESHOLD": "0.02"}
    options = answer._options().parse_args([values.get(word, word) for word in asked])
    assert options.base == "../base/$PACKAGE" and options.patch == ["../patch/$PACKAGE"]
    inputs = WORKFLOW[True]["workflow_call"]["inputs"]  # YAML 1.1 reads `on` as true
    for name in ("study", "minutes", "threshold"):
        assert inputs[name]["default"] == answer._options().get_default(name)
    assert inputs["framework"]["default"] == answer.FRAMEWORK
    page = (ROOT / "docs/regression-check.md").read_text()
    assert all(f"`{name}`" in page or f"      {name}: " in page for name in inputs)
