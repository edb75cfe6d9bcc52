# What the results are made by, for the appendix: known when Snakemake has put its jobs together.
from contextlib import suppress

from deploy.environments import write_atomically
from planning.rule_graph import rule_graph


def keep_rule_graph():
    """Write it down where all is asked for; a part would be another graph each time."""
    found = rule_graph(workflow.dag.dependencies, "all")
    if found:
        # Of a disk without room, what is measured has to say more than this.
        with suppress(OSError):
            Path(RESULTS).mkdir(parents=True, exist_ok=True)
            write_atomically(
                Path(RESULTS, "rules.json"), json.dumps(found, indent=1) + "\n"
            )
