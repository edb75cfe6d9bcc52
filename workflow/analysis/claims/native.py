"""Test of claims about where native code pays."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.claims.outcome import Outcome, claim_test
from analysis.comparisons.gains import gain_text
from analysis.comparisons.native import Payoff, Pays, payoffs
from analysis.formats.text import listed
from analysis.results.results import Results


@claim_test()
def native_code_pays(results: Results, operations: Sequence[str], task: str, pays: bool) -> Outcome:
    """Native code is worth it for one of these operations in some framework, or, where `pays` is
    false, for none in any. Both rest on the verdicts of a table: that it pays somewhere on a yes
    that holds for all of them at once, that it does nowhere on a no in each.
    """
    found = [
        payoff
        for payoff in payoffs(results)
        if payoff.operation in operations and payoff.row.row.task == task
    ]
    if not found:
        text = f"No {task} around {listed(list(operations))} was measured in a native way."
        return Outcome(None, text, tested=False)
    verdicts = [payoff.among(len(found)) for payoff in found]
    somewhere = True if Pays.YES in verdicts else None
    if all(verdict is Pays.NO for verdict in verdicts):
        somewhere = False
    text = f"The training step gains, or loses: {'; '.join(map(_gain, found))}."
    evidence = {
        f"{payoff.row.row.model}/{payoff.framework}": str(verdict)
        for payoff, verdict in zip(found, verdicts, strict=True)
    }
    holds = None if somewhere is None else somewhere is pays
    return Outcome(holds, text, evidence={"worth_it": evidence})


def _gain(payoff: Payoff) -> str:
    gain = gain_text(payoff.step.value, payoff.step.interval) if payoff.step else "not compared"
    return f"{payoff.row.row.label} on {payoff.framework} {gain}"
