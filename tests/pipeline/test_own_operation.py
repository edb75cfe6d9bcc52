"""docs/own_operation.md, followed to the letter."""

import csv
import json
import re

from ..shared import put
from .conftest import ROOT

FILE = re.compile(r"^`((?:my-models|config)/\S+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ snakemake --cores 1 (.*)$", re.M)
SMALL = ("--config", "scale=smoke", "accelerator=cpu", "threads=1", "runs=1")


def test_an_operation_of_ones_own_is_answered(fresh):
    page = (ROOT / "docs/own_operation.md").read_text()
    files = dict(FILE.findall(page))
    assert {name.rsplit("/", 1)[1] for name in files} >= {"envelope.h", "envelope_torch.cpp"}
    for name, content in files.items():
        put(fresh.folder / name, content)
    (command,) = COMMAND.findall(page)
    arguments = [*command.split(), *SMALL]
    results = "results/studies/my_operation"
    done = fresh.snakemake("--quiet", "all", *arguments, "--", f"{results}/native.csv")
    assert done.returncode == 0, done.stderr

    results = fresh.folder / results
    found = [json.loads(path.read_text()) for path in (results / "records").rglob("run*.json")]
    records = {record["cell"]["column"]: record for record in found}
    assert {column: (r["status"], r["reason"]) for column, r in records.items()} == {
        "pytorch-eager": ("ok", ""),
        "pytorch-eager+native": ("ok", ""),
        "pytorch-eager+naive": ("ok", ""),
    }
    for column, record in records.items():
        operation = record["operation"]
        outputs = operation["agreement"]["outputs"]
        assert outputs["largest_difference"] <= outputs["allowed"]
        assert (operation["build"] is not None) == ("+" in column)
        assert operation["uses"] == 1 and operation["alone_ns"]
    # Counted: the Python function; the binding, the header's function and what loads them.
    assert records["pytorch-eager"]["operation"]["lines"] == 7
    assert records["pytorch-eager+native"]["operation"]["lines"] > 20
    with (results / "native.csv").open(newline="") as lines:
        ways = {line["column"]: line["operation"] for line in csv.DictReader(lines)}
    assert ways == dict.fromkeys(records, "envelope")

    fresh.append("my-models/models/envelope/envelope.h")
    assert fresh.measured(*arguments) == {"pytorch-eager+native": 1, "pytorch-eager+naive": 1}
