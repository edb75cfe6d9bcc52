"""The graph of the rules that make a target: the jobs of each, and the rules it depends on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

SCHEMA = "millistep.rules/1"


def rule_graph(dependencies: Mapping[Any, Iterable[Any]], target: str) -> dict[str, Any] | None:
    """The content of rules.json; None if no job of the rule `target` is asked for.

    dependencies: for each job of Snakemake, the jobs that it needs. The graph does not depend on
    what else is asked for, nor on which of its jobs are done already.
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
