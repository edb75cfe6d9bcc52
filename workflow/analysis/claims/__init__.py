"""Published claims, and what this run shows of them."""

from analysis.claims.verdicts import Claim, ClaimResult, ClaimVerdict, judge, load_claims

__all__ = ["Claim", "ClaimResult", "ClaimVerdict", "judge", "load_claims"]
