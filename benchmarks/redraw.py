"""Size of the report, and what it costs to redraw everything from records without measuring.

    python3 benchmarks/redraw.py [small] [snakemake] [large]

The records are made up: 66 cells x 5 runs, and 10,002 cells x 5 runs. Peaks are those of the
commands' own processes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))
sys.path.insert(0, str(ROOT / "tests/analysis"))

from checkout import copy_to  # noqa: E402
from results_factory import FRAMEWORKS  # noqa: E402
from whole_table import Project, whole_table  # noqa: E402

from deploy.environments import definition_sha256  # noqa: E402
from planning import blocks  # noqa: E402
from planning.plan import Plan  # noqa: E402
from supervise.block import contents  # noqa: E402

CONFIG = f"""\
scale: smoke
accelerator: cpu
threads: 1
runs: 5
models: {{bert: {{fit: [1, 2, 3, 4, 5, 6], predict: [1, 2, 3, 4, 5]}}}}
columns: [{", ".join(FRAMEWORKS)}]
"""
MIB = 2**20
COMMANDS = {
    "tables": ("--output-dir", "results"),
    "caveats": ("--output-dir", "results"),
    "figures": ("--output-dir", "results/figures"),
    "report": ("--figures", "results/figures", "--output", "results/report.html"),
}


def main():
    parts = {"small": small, "snakemake": through_snakemake, "large": large}
    for name in sys.argv[1:] or parts:
        with tempfile.TemporaryDirectory() as folder:
            parts[name](Path(folder))


def small(folder):
    print("66 cells x 5 runs, command by command")
    whole_table(folder, runs=5).save()
    draw(folder)


def large(folder):
    print("10,002 cells x 5 runs; bars: all together 120 s, 2 GB each")
    rows = [("bert", "fit", batch, None) for batch in range(1, 1668)]
    whole_table(folder, runs=5, rows=rows).save()
    print(f"  together: {sum(draw(folder).values()):.1f} s")


def draw(folder):
    """Run every command; seconds of each."""
    seconds = {name: run(folder, name, options) for name, options in COMMANDS.items()}
    size = (folder / "results/report.html").stat().st_size
    print(f"  report.html: {size / MIB:.2f} MiB")
    return seconds


def run(folder, name, options):
    command = [sys.executable, "-m", f"analysis.{name}", "--plan", "results/plan.json", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{name} failed")
    busy = usage.ru_utime + usage.ru_stime
    peak_mib = usage.ru_maxrss / 1024
    print(f"  {name:8} {seconds:5.1f} s ({busy:.1f} s of processors), peak {peak_mib:,.0f} MiB")
    return seconds


def through_snakemake(folder):
    print("66 cells x 5 runs, through Snakemake; bar: 20 s")
    copy = folder / "project"
    copy_to(copy)
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
    """Write all that jobs measure, with the identities that the plan asks for."""
    import yaml

    plan = Plan(yaml.safe_load(CONFIG), definition_sha256, Path("envs"))
    project = Project(copy, plan.document())
    for path, identity in plan.controls.identities.items():
        write(copy / path, {"identity": identity})
    project.save()
    for block in plan.blocks:
        (copy / block.done).parent.mkdir(parents=True, exist_ok=True)
        (copy / block.done).write_text(contents(blocks.asked(plan, block, False, Path())))
    for environment in plan.environments:
        write(copy / environment.marker, {})


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def snakemake(copy):
    """Seconds of a whole run, which must not measure anything."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode or "measured=" in done.stderr:
        sys.exit(done.stderr[-3000:])
    return seconds


if __name__ == "__main__":
    main()
