"""A checkout whose rows do what may happen on a cluster, on two columns of the fake framework."""

import subprocess
import sys
from pathlib import Path

from tests.cluster.throwaway import Cluster
from tests.fake_project import OWN, add_model, fake_project

PROFILE = "profiles/slurm/profile.v9+.yaml"
HANG = ("lost", "cancelled", "late")  # models whose first run waits to be ended


class ClusterProject:
    """folder: where the checkout is made. Its commands work on the cluster's nodes."""

    def __init__(self, folder: Path, cluster: Cluster):
        self.folder, self.cluster = folder, cluster
        self.at_once: list[int] = []  # jobs that were submitted and had not ended
        self.local = fake_project(folder, "step_ms: 1.0", other=True)
        own = self.folder / OWN
        add_model(own, "steady", "step_ms: 1.0")
        add_model(own, "hungry", "step_ms: 1.0, trouble: eats_memory")
        for name in HANG:
            add_model(own, name, f"step_ms: 1.0, trouble: hangs_once, hung: '{self.hung(name)}'")
        python = str(next(self.folder.glob("*/python")))  # a shell would read something into it
        self.local.configure(
            models={"steady": {"fit": [4, 8]}, **{name: {"fit": 4} for name in ("hungry", *HANG)}},
            columns=["fake", "other"],
            limits={"memory_gib": 0.3, "time_s": 300},
            interpreters={"fake": python, "other": python},
        )
        # The settings of a site.
        profile = self.folder / PROFILE
        text = profile.read_text().replace("cpus_per_task: 9", "cpus_per_task: 2")
        profile.write_text(text + "slurm-init-seconds-before-status-checks: 10\n")

    def hung(self, model: str) -> Path:
        """A file that is there once the model's first run waits to be ended."""
        return self.folder / f"{model} hangs"

    def start(self, *arguments: str) -> subprocess.Popen:
        """Start Snakemake with the cluster's profile, on the machine that plans."""
        command = [sys.executable, "-m", "snakemake", "--workflow-profile", "profiles/slurm"]
        own = {"cwd": self.folder, "env": self.cluster.environ, "start_new_session": True}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen([*command, *arguments], **own, **pipes)

    def snakemake(self, *arguments: str, timeout: int = 300) -> tuple[int, str]:
        """Run Snakemake to its end; exit status, and what was said."""
        process = self.start(*arguments)
        try:
            said = process.communicate(timeout=timeout)[0]
        finally:
            process.kill()
        return process.returncode, said

    def job_of(self, model: str) -> tuple[str, str] | None:
        """Return number and node of the job that measures a model."""
        for line in self.cluster.jobs():
            number, state, node, *comment = line.split()
            if state == "RUNNING" and model in "_".join(comment):
                return number, node
        return None

    def record(self, model: str, column: str, batch: int = 4, number: int = 1) -> dict:
        path = f"results/records/smoke/{model}/fit-b{batch}/{column}/run{number}.json"
        return self.local.read(path)

    def reference(self, model: str, batch: int = 4, number: int = 1) -> dict:
        path = f"results/reference/smoke/{model}/fit-b{batch}/round{number}-cpu.json"
        return self.local.read(path)


def done(model: str, batch: int = 4, number: int = 1) -> str:
    """Return the file that the job of a workload and round makes."""
    return f"results/reference/smoke/{model}/fit-b{batch}/round{number}.done"
