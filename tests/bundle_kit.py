"""An unpacked bundle whose programs measure nothing, for the tests of run_bundle.py."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from planning import bundle
from tests.planning.test_config import plan
from tests.shared import until

COLUMNS = ["keras3-jax", "pytorch-eager", "pytorch-compiled"]
CONFIG = {"models": {"bert": {"fit": 4, "predict": 8}}, "columns": COLUMNS, "runs": 2, "threads": 1}
THIS = ("--interpreter", f"keras3-jax={sys.executable}")
THIS += ("--interpreter", f"pytorch={sys.executable}")
# Takes the place of the programs that measure: notes that it was called, and does as told.
FAKE = """
import json, os, signal, sys, time
from pathlib import Path

if sys.argv[1] == "self_test":  # puts together what is there
    sys.path[0] = str(Path(__file__).parents[1])
    from supervise import self_test

    del sys.argv[1]
    sys.exit(self_test.main())
signal.signal(signal.SIGINT, signal.SIG_DFL)
pairs = zip(sys.argv[2:], sys.argv[3:])
options = {name: value for name, value in pairs if name.startswith("--")}
output = Path(options.get("--record") or options["--output"])
with open("calls", "a") as calls:
    print(json.dumps({"path": str(output), "pid": os.getpid(), **options}), file=calls)
told = Path("told").read_text().split() if Path("told").exists() else ("do", "nothing")
if told[1] in str(output) and options["--attempt"] == "1":
    if told[0] == "hang":
        time.sleep(600)
    if told[0] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if told[0] == "refuse":
        sys.exit("millistep: not measured")
if sys.argv[1] == "canary":  # as it is, but that it computes nothing
    sys.path[0] = str(Path(__file__).parents[1])
    from supervise import canary, jobs

    canary.measure = lambda found, options: found.update(python_loop_ms=time.monotonic())
    canary.of_control = lambda found: ("ok", "")
    jobs.in_what_can_be_deployed = lambda options: options
    del sys.argv[1]
    sys.exit(canary.main())
output.parent.mkdir(parents=True, exist_ok=True)
output.write_text(json.dumps({"identity": options["--identity"], "status": "error"}))
"""


class Kit:
    """An unpacked bundle, and what can be done with it."""

    def __init__(self, folder: Path, **config):
        self.folder = folder
        archive = folder.with_suffix(".zip")
        bundle.write(plan(**{**CONFIG, **config}), archive)
        zipfile.ZipFile(archive).extractall(folder)
        self.bundle = json.loads((folder / "bundle.json").read_text())

    def start(self, *arguments) -> subprocess.Popen:
        command = [sys.executable, str(self.folder / "run_bundle.py"), *arguments]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd="/")

    def run(self, *arguments, timeout=60) -> tuple[int, str]:
        """Run the bundle's program; its exit status and what it said."""
        process = self.start(*arguments)
        try:
            _, said = process.communicate(timeout=timeout)
        finally:
            process.kill()
        return process.returncode, said

    def refused(self, *arguments) -> str:
        """Run it and expect that it refuses: the one line with which it ends."""
        status, said = self.run(*arguments)
        lines = [line for line in said.splitlines() if line.startswith("millistep: ")]
        assert (status, len(lines)) == (1, 1), said
        assert "Traceback" not in said
        assert self.calls() == []
        return lines[0]

    def tell(self, what: str, where: str) -> None:
        """Have the programs do something with the files whose path has a text in it."""
        (self.folder / "told").write_text(f"{what} {where}")

    def calls(self) -> list[dict]:
        """Options of the programs that were run."""
        file = self.folder / "calls"
        return list(map(json.loads, file.read_text().splitlines())) if file.exists() else []

    def paths(self) -> list[str]:
        """The paths that the programs were to write, without those of canaries."""
        return [call["path"] for call in self.calls() if "--when" not in call]

    @property
    def order(self) -> list[str]:
        """Paths of the records and of the known steps, in the planned order."""
        runs = [(block["round"], run["record"]) for block in self.blocks for run in block["runs"]]
        first = [record for number, record in runs if number == 1]
        later = [record for number, record in runs if number > 1]
        return [*first, self.bundle["known_steps"]["path"], *later]

    @property
    def blocks(self) -> list[dict]:
        return self.bundle["blocks"]

    def sessions(self) -> list[dict]:
        """Sessions of all blocks, in the blocks' order."""
        files = [self.folder / block["path"] for block in self.blocks]
        return [s for f in files if f.exists() for s in json.loads(f.read_text())["sessions"]]

    def wait_for(self, path: str) -> dict:
        """The last call, once it is for a path with this text in it."""
        found = until(lambda: [call for call in self.calls()[-1:] if path in call["path"]])
        assert found, f"{path} was not started: {self.paths()}"
        return found[0]

    def packed(self) -> set[str]:
        return set(zipfile.ZipFile(self.folder / "records.zip").namelist())


def fake_kit(folder: Path) -> Kit:
    """A bundle with FAKE in the place of the programs that measure."""
    kit = Kit(folder)
    (kit.folder / "workflow/supervise/__main__.py").write_text(FAKE)
    return kit
