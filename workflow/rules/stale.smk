# What is there and is to be made again, in a way that Snakemake sees.
import time

# Snakemake finds a changed identity in its own history, which a clone does not have. A
# file newer than any record, an input of the stale ones alone, needs no history.
STALE = changes.stale_records(TO_MEASURE) | changes.stale_controls(PLAN, Path())
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
if any(map(os.path.exists, DRAWN)) and not all(map(os.path.exists, RECORDS + CONTEXT)):
    STALE_DRAWINGS = [newer_than_all()]


def newer_than_stale(wildcards, pattern):
    """An input that makes Snakemake see a stale file as such; asked for what is timed here."""
    or_one_line(PLAN.check_device)
    or_one_line(PLAN.check_processors)
    return NEWER if planned_file(wildcards, pattern) in STALE else []
