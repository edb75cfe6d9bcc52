# What is there and is to be made again, in a way that Snakemake sees.
import functools
import time

# Records are no rule's output, so Snakemake sees nothing of them. A file newer than any, an input of
# the blocks alone that lack something, needs no history either, which a clone does not have.
# A job on a node does what it is told: nothing is looked for there.
OF_BLOCKS, STALE = {}, set()
if workflow.is_main_process:
    OF_BLOCKS = changes.in_blocks(PLAN, TO_MEASURE, Path())
    STALE = {*filter(os.path.exists, OF_BLOCKS), *changes.edited(PLAN, Path())}
    if changes.is_stale(
        Path(PLAN.controls.known_steps.path), PLAN.controls.known_steps.identity
    ):
        STALE |= {PLAN.controls.known_steps.path}
    if os.path.exists(ANALYSIS_ENVIRONMENT) and not (
        USE_CONDA or os.access(ANALYSIS_PYTHON, os.X_OK)
    ):
        STALE |= {ANALYSIS_ENVIRONMENT}
NEWER = f"{RESULTS}/.newer-than-stale-records"


def newer_than_all():
    """The path of that file, written now; of one whose content is as it was, the age is nothing."""
    Path(RESULTS).mkdir(parents=True, exist_ok=True)
    Path(NEWER).write_text(f"{time.time_ns()}")
    return NEWER


if STALE:
    newer_than_all()

# Nor does Snakemake make what is missing while all that was made from it is there: so that is stale.
DRAWN = [f"{RESULTS}/{name}" for name in ("table.md", "caveats.json", "report.html")]
STALE_DRAWINGS = []
if (
    workflow.is_main_process
    and any(map(os.path.exists, DRAWN))
    and not all(map(os.path.exists, BLOCKS + SELF_TEST))
):
    STALE_DRAWINGS = [newer_than_all()]


@functools.cache
def can_be_timed_here():
    """Or the end with one line; asked where something is to be timed, of thousands of jobs once."""
    or_one_line(this_machine.check_device, PLAN)
    or_one_line(this_machine.check_processors, PLAN)


def newer_than_stale(wildcards, pattern):
    """An input that makes Snakemake see a stale file as such."""
    can_be_timed_here()
    return NEWER if planned_file(wildcards, pattern) in STALE else []


def planned_of_block(wildcards):
    """What the job has to find planned, too."""
    return PLAN.by_done[planned_file(wildcards, BLOCK)].identity


def minutes_of_block(wildcards):
    """At most, with what starts and deploys: each run has its limit and is started."""
    runs = len(OF_BLOCKS.get(planned_file(wildcards, BLOCK), []))
    return 10 + round(runs * (PLAN.time_limit_s + 60) / 60)


def columns_to_measure(wildcards):
    """The runs of a block that are not there as planned, for who reads a dry run."""
    words = [
        run.column.name if run.record in PLAN.by_record else f"{run.column.name}:again"
        for run in OF_BLOCKS.get(planned_file(wildcards, BLOCK), [])
    ]
    return " ".join(words) or "nothing"
