# The commands of the rules, and what they are told of the plan.
from functools import partial


def verbatim(text):
    """A param as it is: in a plain text Snakemake would take {this} for a wildcard."""

    def as_it_is(wildcards):
        return text

    return as_it_is


def timed(environment):
    """Resources of every job that times something in an environment.

    They are no reason to measure again: the identity, a rule's only param, holds all that is.
    """
    return {
        "machine_percent": 100,
        "attempt_no": attempt_no,
        "deployment": environment.method(USE_CONDA),
        "definition": environment.definition.as_posix(),
        "environment": environment.marker,
        "overlay": environment.overlay_options,
        "memory_gib": PLAN.memory_gib,
        # This interpreter, which samples the machine from a process of its own.
        "monitor": sys.executable,
    }


# On a node Snakemake starts itself once more, for the one job: only the first of them tries again.
TRIES_AGAIN = 1 if workflow.is_main_process else 0


def time_on_a_node(minutes):
    """What a cluster is asked for: minutes, after which it ends the job."""
    return {"runtime": minutes} if ON_NODES else {}


def program(name, options):
    """The command of a folder of the sources that is a program, or of a part of it.

    Without a shell between Snakemake and what ends with it.
    """
    folder, *part = name.split()
    return " ".join(["exec python3 -s", f"{WORKFLOW}/{folder}", *part, options])


def module(name, options, python="python3"):
    """The command of a module of the sources."""
    return f"PYTHONPATH={WORKFLOW} {python} -s -m {name} {options}"


analysis_module = partial(module, python="{resources.python:q}")


def attempt_no(wildcards, attempt):
    """A supervisor that was killed itself: its second attempt says so and goes on."""
    return attempt


def in_report(path, category, label, caption=None):
    """An output that Snakemake's own report shows, with the caption of its name."""
    return report(
        path,
        caption=f"../../report/captions/{caption or Path(path).stem}.rst",
        category=category,
        labels={category.lower().removesuffix("s"): label},
    )
