"""Compares answers of ``millistep answer`` with what is known about real changes of Keras.

``commits``: seven commits with the effect that their pull requests claim, and two that change
documents only. ``same N``: N answers about a commit that changes documents only. ``slower N``: N
answers each about Keras with a callback list that waits 3 and 5 % of a step. ``release``: the
clone's commit against the locked release, on three frameworks.

CLONE is a clone of Keras with its history. Comments are kept in .snakemake/millistep/answers.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".snakemake/millistep/answers"
TORCH, JAX, TENSORFLOW = "keras3-torch", "keras3-jax", "keras3-tensorflow"
SMALL = {"small": {"predict": [32]}}
BERT = {"bert": {"predict": [32]}}
RELEASE = {"bert": {"predict": [32]}, "small": {"predict": [32]}}
# Commit, claim, framework, models.
COMMITS = [
    ("75cd954", "less Python code per operation", TORCH, SMALL),
    ("ff1fd28", "faster with steps_per_execution", JAX, {"small_multi": {"predict": [32]}}),
    ("ff1fd28", "the same", TENSORFLOW, {"small_multi": {"predict": [32]}}),
    ("c15e0ad", "less overhead on a CPU", JAX, SMALL),
    ("cab3f1b", "faster convolutions", TORCH, {"cifar100_cnn": {"fit": [32]}}),
    ("285a4db", "faster MeanIoU", TORCH, {"overlap": {"fit": [4]}}),
    ("d76416f", "less memory", TORCH, {"gemma": {"fit": [8]}}),
    ("4bf039e", "no counts in unique", TENSORFLOW, {"unique": {"predict": [16]}}),
    ("bbbe34c", "documents only", JAX, BERT),
    ("e88ab8c", "documents only", TORCH, BERT),
]
SAME = "bbbe34c"
WAIT = """
import time
from keras.src.callbacks.callback_list import CallbackList
def waiting(ended):
    def end(self, *arguments, **named):
        ready = time.perf_counter() + {wait_s}
        while time.perf_counter() < ready:
            pass
        return ended(self, *arguments, **named)
    return end
CallbackList.on_train_batch_end = waiting(CallbackList.on_train_batch_end)
CallbackList.on_predict_batch_end = waiting(CallbackList.on_predict_batch_end)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", choices=["commits", "same", "slower", "release"])
    parser.add_argument("clone", type=Path)
    parser.add_argument("number", type=int, nargs="?", default=1)
    parser.add_argument("--minutes", type=float, default=6)
    # TensorFlow waits for each step.
    parser.add_argument("--framework", default=TENSORFLOW, help="for same and slower")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    {"commits": commits, "same": same, "slower": slower, "release": release}[options.question](
        options
    )


def commits(options):
    for commit, claim, framework, models in COMMITS:
        print(f"{commit} ({claim}), {framework}", flush=True)
        patch = f"{options.clone}@{commit}"
        show(answer(options, framework, models, patch, f"{patch}^"))


def same(options):
    patch = f"{options.clone}@{SAME}"
    for _ in range(options.number):
        show(answer(options, options.framework, SMALL, patch, f"{patch}^"))


def slower(options):
    tree, base = WORK / "slower", f"{options.clone}@{SAME}"
    for share in (0.0, *(0.03, 0.05) * options.number):  # the first one gives the time of a step
        export(options.clone, tree)
        with (tree / "keras/src/callbacks/__init__.py").open("a") as file:
            file.write(WAIT.format(wait_s=share and share * step_s()))
        print(f"{share:.0%} slower", flush=True)
        show(answer(options, options.framework, BERT, tree, base))


def release(options):
    for framework in (TENSORFLOW, JAX, TORCH):
        print(framework, flush=True)
        show(answer(options, framework, RELEASE, f"{options.clone}@HEAD", None))


def step_s():
    """Return the seconds of a step in the records of the last answer."""
    records = (ROOT / "results/studies").glob("answers_*/records/**/run*.json")
    windows = [w for path in records for w in json.loads(path.read_text())["timing"]["windows"]]
    return sum(w["elapsed_ns"] for w in windows) / sum(w["steps"] for w in windows) / 1e9


def export(clone, folder):
    """Write Keras' files of one commit into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", clone, "archive", SAME], check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive.stdout)


def answer(options, framework, models, patch, base):
    """Return what ``answer.json`` holds; None without an answer."""
    study = WORK / "study.yaml"
    folders = ["benchmarks/answers", "studies/cpu_against_gpu"]
    name = {"name": "answers", "title": "A commit", "question": "What does it change?"}
    content = {"study": name, "scale": "laptop", "folders": folders, "models": models}
    study.write_text(yaml.safe_dump(content | {"columns": [framework]}))
    for old in (ROOT / "results/studies").glob("answers_*"):
        shutil.rmtree(old)
    command = [sys.executable, "workflow", "answer", "--study", study, "--framework", framework]
    command += ["--minutes", options.minutes, "--patch", patch, *(["--base", base] if base else [])]
    subprocess.run([str(part) for part in command], cwd=ROOT, stdout=subprocess.DEVNULL)
    files = list((ROOT / "results/studies").glob("answers_*/answer.json"))
    for file in files:
        shutil.copy(file.with_name("answer.md"), WORK / f"comment-{time.strftime('%H%M%S')}.md")
    return json.loads(files[0].read_text()) if files else None


def show(found):
    for row in found["rows"] if found else []:
        name = f"{row['model']} {row['task']} b{row['batch_size']}"
        print(f"  {name}: {row['verdict']}, {row['rounds']} rounds; {row['missing']}", flush=True)
        if row["low"] is not None:  # at least two rounds
            print(f"    ratio {row['ratio']:.3f} ({row['low']:.3f} to {row['high']:.3f})", end="")
            print(f", null {row['null_ratio']:.3f}, shows {row['smallest_shown']:.3f}")
        for count in ("operations", "calls", "allocated"):
            numbers = [row[f"{count}_{side}"] for side in ("base", "null", "new")]
            print(f"    {count}: base {numbers[0]}, again {numbers[1]}, patch {numbers[2]}")
    print(flush=True)


if __name__ == "__main__":
    main()
