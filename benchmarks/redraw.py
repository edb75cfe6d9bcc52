"""Size of the report, and seconds and memory of redrawing everything from records.

    python3 benchmarks/redraw.py [small] [snakemake] [large]

The records are generated: 66 cells x 5 runs, and 10,002 cells x 5 runs. The peak is that of all
processes together, with shared memory counted once.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/analysis"), str(ROOT / "workflow"), str(ROOT)]

from process_tree import peak_mib  # noqa: E402
from results_factory import FRAMEWORKS  # noqa: E402
from tests.planning.records import write_record  # noqa: E402
from tests.shared import copy_tree  # noqa: E402
from whole_table import Project, whole_table  # noqa: E402

from deploy.environments import definition_sha256  # noqa: E402
from planning.plan import Plan  # noqa: E402

CONFIG = f"""\
scale: smoke
accelerator: cpu
threads: 1
runs: 5
models: {{bert: {{fit: [1, 2, 3, 4, 5, 6], predict: [1, 2, 3, 4, 5]}}}}
columns: [{", ".join(FRAMEWORKS)}]
"""
MIB = 2**20
DRAW = ("-m", "analysis.report.draw", "--plan", "results/plan.json", "--output-dir", "results")


def main():
    parts = {"small": small, "snakemake": through_snakemake, "large": large}
    for name in sys.argv[1:] or parts:
        with tempfile.TemporaryDirectory() as folder:
            parts[name](Path(folder))


def small(folder):
    print("66 cells x 5 runs")
    whole_table(folder, runs=5).save()
    draw(folder)


def large(folder):
    print("10,002 cells x 5 runs; bars: 120 s, 2 GB")
    rows = [("bert", "fit", batch, None) for batch in range(1, 1668)]
    whole_table(folder, runs=5, rows=rows).save()
    draw(folder)


def draw(folder):
    """Draw everything that follows from plan and records: seconds, memory, and the pages' sizes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen([sys.executable, *DRAW], cwd=folder, env=environment)
    peak = peak_mib(process)
    seconds, after = time.perf_counter() - start, os.times()
    if process.returncode:
        sys.exit("the drawing failed")
    busy = after.children_user + after.children_system
    busy -= before.children_user + before.children_system
    print(f"  {seconds:.1f} s ({busy:.1f} s of processors), peak {peak:,.0f} MiB")
    for name in ("report", "appendix"):
        size = (folder / f"results/{name}.html").stat().st_size
        print(f"  {name}.html: {size / MIB:.2f} MiB")


def through_snakemake(folder):
    print("66 cells x 5 runs, through Snakemake; bar: 20 s")
    copy = folder / "project"
    copy_tree(copy)
    (copy / "config/config.yaml").write_text(CONFIG)
    os.chdir(copy)
    as_if_measured(copy)
    print(f"  first drawing: {snakemake(copy):.1f} s")
    caption = copy / "report/captions/blocks.rst"
    caption.write_text(caption.read_text() + "Changed.\n")
    print(f"  after a changed caption: {snakemake(copy):.1f} s")
    if "Changed." not in (copy / "results/appendix.html").read_text():
        sys.exit("the appendix was not redrawn")


def as_if_measured(copy):
    """Write all files that jobs measure, with the identities that the plan asks for."""
    import yaml

    plan = Plan(yaml.safe_load(CONFIG), definition_sha256, Path("envs"))
    project = Project(copy, plan.document())
    for run in plan.controls.again:
        write_record(copy / run.record, run.identity)
    known_steps = plan.controls.known_steps
    write(copy / known_steps.path, {"identity": known_steps.identity})
    project.save()
    for environment in plan.environments:
        write(copy / environment.marker, {})
    # After the files that it is made of; here it only has to exist.
    (copy / plan.self_test).touch()


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def snakemake(copy):
    """Seconds of a whole run, which must not measure anything."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode or "rule time_" in done.stderr:
        sys.exit(done.stderr[-3000:])
    return seconds


if __name__ == "__main__":
    main()
