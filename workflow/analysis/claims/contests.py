"""Tests of claims about which backend of Keras 3 is the fastest."""

from analysis.claims.outcome import Outcome, claim_test
from analysis.comparisons.gains import Winners, winners
from analysis.formats.text import count, listed
from analysis.results.results import Results


@claim_test()
def no_best_backend(results: Results) -> Outcome:
    """Every backend of Keras 3 is shown slower than another one somewhere."""
    contests = winners(results)
    if not contests:
        return Outcome(
            None, "No row has two backends of Keras 3 that may be compared.", tested=False
        )
    titles = {c.column.name: c.column.title for w in contests for c in w.backends}
    behind = {name: sum(w.is_behind(name) for w in contests) for name in titles}
    firsts = [w.fastest.column.name for w in contests]
    alone = any(all(w.is_alone(name) for w in contests) for name in titles)
    shown = [f"{titles[name]} in {number}" for name, number in behind.items()]
    rows = count(len(contests), "row")
    slower = f" Shown slower than another backend: {listed(shown)}." if _compared(contests) else ""
    text = f"Fastest by the means: {_shares(firsts, titles)} of {rows}.{slower}"
    holds = True if all(behind.values()) else False if alone else None
    return Outcome(holds, text, evidence={"shown_slower_in": behind, "rows": len(contests)})


@claim_test()
def first_in_rows(results: Results, column: str, wins: int, rows: int) -> Outcome:
    """A backend is the fastest of Keras 3 in so many rows."""
    contests = [w for w in winners(results) if column in _names(w)]
    if len(contests) != rows:
        text = f"This table has {len(contests)} of the {rows} rows that the claim counts."
        return Outcome(None, text, tested=False)
    first = sum(w.fastest.column.name == column for w in contests)
    alone = sum(w.is_alone(column) for w in contests)
    possible = sum(not w.is_behind(column) for w in contests)
    shown = f"; shown alone at the top in {alone}, not shown slower in {possible}"
    text = f"Fastest by the means in {first} of {rows} rows{shown if _compared(contests) else ''}."
    holds = True if alone == possible == wins else None if alone <= wins <= possible else False
    return Outcome(holds, text, evidence={"first": first, "alone": alone, "possible": possible})


def _names(contest: Winners) -> list[str]:
    return [cell.column.name for cell in contest.backends]


def _compared(contests: list[Winners]) -> bool:
    """Whether any row has the runs to compare its backends."""
    return any(contest.best for contest in contests)


def _shares(names: list[str], titles: dict[str, str]) -> str:
    return listed([f"{titles[name]} in {names.count(name)}" for name in titles if name in names])
