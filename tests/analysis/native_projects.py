"""Tables of operations that were timed in several ways."""

from effect_projects import project_of
from time_changes import takes

EAGER, COMPILED, JAX = "pytorch-eager", "pytorch-compiled", "keras3-jax"
NATIVE, NAIVE = f"{EAGER}+native", f"{EAGER}+naive"
ROWS = (("aligner", "fit", 16, None),)
BUILT = ("native", "naive", "callback")
FLAGS = ["-O3", "-march=native", "-ffast-math"]


def of(framework, way="framework", **more):
    """A column of a framework, as `project_of` takes it."""
    words = [] if way == "framework" else [way]
    return "+".join([framework, *words]), {"way": way, **more}


def native_project(folder, *columns, rows=ROWS, **more):
    """A project whose columns take their framework's time, with nothing timed alone yet."""
    return project_of(folder, *columns, rows=rows, **more)


def timed(project, column, step_ms, alone_ms, task="", lines=10, build_s=4.0, uses=1, name="mas"):
    """A column whose steps take so long in every run (or in each of a list), and its operation
    alone.
    """
    way = next(c["settings"]["way"] for c in project.plan["columns"] if c["name"] == column)

    def change(record):
        place = record["cell"]["run"] - 1
        of_run = step_ms[place] if isinstance(step_ms, list) else step_ms
        alone = alone_ms[place] if isinstance(alone_ms, list) else alone_ms
        takes(record, of_run)
        record["operation"] = {
            "name": name,
            "way": way,
            "uses": uses,
            # the median is what counts
            "alone_ns": [round(1e6 * alone * part) for part in (1, 1, 5)],
            "lines": lines,
            "agreement": AGREEMENT,
            "build": built(way, build_s) if way in BUILT else None,
        }

    project.change(change, column, task)


AGREEMENT = {
    "outputs": {"largest_difference": 0.0, "allowed": 0.0},
    "gradients": None,
    "losses": {"largest_difference": 1e-7, "allowed": 1e-4, "steps": 10, "against": "framework"},
}


def built(way, seconds):
    return {
        "seconds": seconds,
        "compiler": "g++ (Debian 12.2.0-14) 12.2.0",
        "compile_flags": ["-O3"] if way == "naive" else list(FLAGS),
        "link_flags": ["-ltorch_cpu", "-lc10"],
        "packages": [],
    }


def by_hand(folder, runs=3, **more):
    """Steps of 40 ms of which the operation takes 30 alone, of 16 ms with native code that takes
    0.5, of 26 ms where that was built without flags, and takes 5; compiling brings the
    framework's own way to 32 and 24 ms.
    """
    columns = [of(EAGER), of(EAGER, "native"), of(EAGER, "naive"), of(COMPILED)]
    project = native_project(folder, *columns, runs=runs, **more)
    timed(project, EAGER, 40.0, 30.0, lines=12)
    timed(project, NATIVE, 16.0, 0.5, lines=33)
    timed(project, NAIVE, 26.0, 5.0, lines=33, build_s=3.0)
    timed(project, COMPILED, 32.0, 24.0, lines=12)
    return project
