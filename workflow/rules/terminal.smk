# What is printed when Snakemake ends.
from contextlib import suppress

from planning import conclusion
from supervise import running

# Of blocks that are measured beside each other: each says its lines in a file.
LINES = running.Shown(Path(RESULTS, running.FOLDER), sys.stderr)


def show_lines():
    """From now on, where blocks do not share this terminal."""
    if ON_NODES or PLAN.slots > 1:
        LINES.start()


def show_what_is_kept():
    """After an end before the end: what is there, and how to go on."""
    with suppress(Problem):  # of a record that cannot be read, which was named already
        runs = len(PLAN.runs)
        kept = runs - len(changes.reasons(PLAN, Path()))
        print(
            f"millistep: {kept} of {runs} runs are measured and kept; the same command goes on from"
            " there",
            file=sys.stderr,
        )


def show_results(since_ns=0):
    """Print the table and what follows from it, unless it is older."""
    page = Path(RESULTS, "report.html")
    if page.exists() and page.stat().st_mtime_ns >= since_ns:
        shell(f"cat {RESULTS}/table.md")
        asked = workflow.config_settings
        call = conclusion.Call(
            configfiles=tuple(
                conclusion.relative(str(path)) for path in asked.configfiles
            ),
            overrides=tuple(asked.config_args),
            use_conda=USE_CONDA,
            study=(config.get("study") or {}).get("name"),
            by_make="MAKELEVEL" in os.environ,
        )
        found = conclusion.lines(
            Path(RESULTS, "conclusion.json"), None if ELSEWHERE else call
        )
        print("", *found, "", f"Report: {RESULTS}/report.html", sep="\n", flush=True)
