# What is written down and printed when Snakemake begins, and when it ends.
from contextlib import suppress

from deploy.environments import write_atomically
from planning import conclusion
from planning.rule_graph import rule_graph
from supervise import running

# Of blocks that are measured beside each other: each says its lines in a file.
LINES = running.Shown(Path(RESULTS, running.FOLDER), sys.stderr)


def begin():
    """Make room for what is measured, and say from now on what jobs without a terminal say."""
    for path, _ in changes.unreadable({} if ELSEWHERE else TO_MEASURE):
        tell(f"{path} is now {changes.set_aside(path)}")
    if IN_BLOCK:
        return
    # What the results are made by, for the appendix: where all is asked for; a part would be
    # another graph each time.
    found = rule_graph(workflow.dag.dependencies, "all")
    # Of a disk without room, what is measured has to say more than this.
    with suppress(OSError):
        if found:
            write_atomically(
                Path(RESULTS, "rules.json"), json.dumps(found, indent=1) + "\n"
            )
    if BESIDE:
        write_atomically(Path(PLANNED), json.dumps(PLAN.resolved()))
        LINES.start()


def end(since_ns=0, complete=True):
    """Print the table and what follows from it, unless it is older; what is kept, where it is not
    all.
    """
    LINES.stop()
    # What could not begin is as it was, whatever Snakemake thinks of its job.
    for path, run in PLAN.timed.items():
        if path in TO_MEASURE and changes.why(run, Path()):
            workflow.persistence.cleanup_metadata(IOFile(path))
    if not IN_BLOCK:
        show_results(since_ns)
        if not (complete or ELSEWHERE):
            show_what_is_kept()


def show_what_is_kept():
    """After an end before the end: what is there, and how to go on."""
    runs = len(PLAN.runs)
    missing = len([run for run in PLAN.runs if changes.why(run, Path())])
    tell(
        f"{runs - missing} of {runs} runs are measured and kept; the same command goes on from"
        " there"
    )


def show_results(since_ns):
    page = Path(RESULTS, "report.html")
    if not page.exists() or page.stat().st_mtime_ns < since_ns:
        return
    shell(f"cat {RESULTS}/table.md")
    asked = workflow.config_settings
    call = conclusion.Call(
        configfiles=tuple(conclusion.relative(str(path)) for path in asked.configfiles),
        overrides=tuple(asked.config_args),
        use_conda=USE_CONDA,
        study=(config.get("study") or {}).get("name"),
        by_make="MAKELEVEL" in os.environ,
    )
    found = conclusion.lines(
        Path(RESULTS, "conclusion.json"), None if ELSEWHERE else call
    )
    print("", *found, "", f"Report: {RESULTS}/report.html", sep="\n", flush=True)
