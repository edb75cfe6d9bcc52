"""A clock that stops before the device has finished: made on purpose, and noticed."""

import csv


def test_a_missing_fence_on_an_asynchronous_backend_is_no_number(fresh):
    """Also where the steps are so small that no peak shows it."""
    fresh.edit("config/config.yaml", "    fit: default\n", "")
    config = (fresh.folder / "config/config.yaml").read_text()
    columns = next(line for line in config.splitlines() if line.startswith("columns:"))
    fresh.edit("config/config.yaml", columns, "columns: [keras3-jax]")
    fresh.edit(
        "workflow/measure/frameworks/keras3_jax.py",
        "self.jax.block_until_ready(leaves(self.keras, ready))",
        "pass",
    )
    done = fresh.snakemake("--quiet", "all")
    assert done.returncode == 0, done.stderr
    with open(fresh.folder / "results/runs.csv", newline="") as lines:
        (run,) = csv.DictReader(lines)
    assert run["status"] == "invalid"
    assert "the clock stopped before the work did" in run["reason"]
