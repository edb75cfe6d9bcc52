"""The pages so far of one start: which records each one waits for."""

from millistep.planning.start import Start


def so_far(start: Start) -> dict[str, list[str]]:
    """Return the records that each page waits for, by its name: after the first workload, and after
    each round but the last one, which the report shows.
    """
    if start.plan.scale == "smoke" or start.on_nodes or start.elsewhere:
        return {}
    rounds: dict[str, list[str]] = {}
    for group in start.plan.groups:
        records = [run.record for run in group.runs if run.record in start.now]
        if records and not rounds:
            rounds["first_workload"] = records
        if records:
            rounds.setdefault(f"round{group.number}", []).extend(records)
    if rounds:
        rounds.popitem()
    return rounds
