"""Published claims, and what this run shows of them."""

from analysis.claims.claim import Claim, load_claims
from analysis.claims.verdicts import ClaimResult, ClaimVerdict, judge

__all__ = ["Claim", "ClaimResult", "ClaimVerdict", "judge", "load_claims"]
