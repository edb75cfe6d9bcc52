"""What the command line says of the configuration, as Snakemake hands it on."""

import re
import shlex

from tests.pipeline.conftest import ROOT, checkout

RECORD = re.compile(r"results/records/smoke/(\S+)/(\S+-b\d+)/\S+/run1\.json")
OWN = "scale: smoke\naccelerator: cpu\nmodels: {bert: {fit: 3}}\ncolumns: [keras3-jax]\n"


def planned(project, *arguments):
    """Rows that a dry run would measure."""
    done = project.snakemake("-n", *arguments)
    assert done.returncode == 0, done.stderr
    return sorted(set(RECORD.findall(done.stdout + done.stderr)))


def test_a_configuration_of_ones_own_is_complete_in_itself(tmp_path):
    project = checkout(tmp_path / "project")
    (project.folder / "own.yaml").write_text(OWN)
    # A number of jobs at once makes no cluster, where auto would be refused.
    arguments = ("--configfile", "own.yaml", "--jobs", "4")
    assert planned(project, *arguments) == [("bert", "fit-b3")]


def test_the_readmes_line_sets_the_batch_size_of_one_row(tmp_path):
    line = re.search(
        r"^\$ (snakemake .* --config 'models=.*)$", (ROOT / "README.md").read_text(), re.M
    )
    words = shlex.split(line[1])
    project = checkout(tmp_path / "project")
    assert planned(project, *words[words.index("--config") :]) == [
        ("bert", "fit-b8"),
        ("bert", "predict-b8"),
    ]
