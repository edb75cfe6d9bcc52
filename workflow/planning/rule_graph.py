"""Which rules a target is made by, how many jobs each has, and what must be there before it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

SCHEMA = "millistep.rules/1"


def rule_graph(dependencies: Mapping[Any, Iterable[Any]], target: str) -> dict[str, Any] | None:
    """The file's content; None where no job of the rule `target` is asked for.

    dependencies: of each job of Snakemake those that it needs. The same whatever else is asked for
    beside the target, and whether its jobs are to be run or done.
    """
    found, below = set(), [job for job in dependencies if job.rule.name == target]
    while below:
        job = below.pop()
        if job not in found:
            found.add(job)
            below += dependencies[job]
    jobs = Counter(job.rule.name for job in found)
    says = {job.rule.name: (job.rule.docstring or "").partition("\n")[0] for job in found}
    after = defaultdict(set)
    for job in found:
        after[job.rule.name] |= {needed.rule.name for needed in dependencies[job]}
    rules = [
        {"name": name, "says": says[name], "jobs": jobs[name], "after": sorted(after[name])}
        for name in sorted(jobs)
    ]
    return {"schema": SCHEMA, "rules": rules} if rules else None
