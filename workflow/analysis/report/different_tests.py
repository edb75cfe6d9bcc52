"""One sentence for the table and one for an effect, where they show different things of a pair."""

from __future__ import annotations

from analysis.comparisons.different_tests import DifferentTests
from analysis.comparisons.effects import Comparison, Effect
from analysis.formats.text import count, listed


def in_the_effect(found: DifferentTests) -> list[str]:
    """Stands with the effect, about the table; empty where both agree."""
    sentences = []
    if found.table_only:
        sentences.append(
            f"The table calls the slower column of {_rows(found.effect, found.table_only)} shown "
            "slower, and that is not shown here: the table is corrected for the columns of one "
            f"row, this for all {count(_tested(found.effect), 'comparison')} of the question."
        )
    if found.pair_only:
        sentences.append(
            f"The verdict in {_rows(found.effect, found.pair_only)} is that of the pair alone; the "
            "table, corrected for all columns of the row, calls its slower column undecided."
        )
    return sentences


def in_the_table(found: list[DifferentTests]) -> list[str]:
    """Stands below the table, about the effects; empty where all agree."""
    here = [(each.effect, each.table_only) for each in found if each.table_only]
    alone = [(each.effect, each.pair_only) for each in found if each.pair_only]
    sentences = []
    if here:
        sentences.append(
            f"Shown slower here, corrected for the columns of a row, but not for {_effects(here)}: "
            "that is corrected for all rows and pairs of its question."
        )
    if alone:
        sentences.append(
            "Undecided here, corrected for the columns of a row, but decided as a pair alone for "
            f"{_effects(alone)}."
        )
    return sentences


def _effects(found: list[tuple[Effect, list[Comparison]]]) -> str:
    """'What does TF32 change? (BERT fit)'."""
    return listed([f"“{effect.question.text}” ({_rows(effect, of)})" for effect, of in found])


def _rows(effect: Effect, found: list[Comparison]) -> str:
    """'BERT fit'; of several pairs 'BERT fit with Keras 3 (JAX), tf32'."""
    several = len(effect.pairs) > 1
    return listed([_row(comparison, several) for comparison in found])


def _row(found: Comparison, several: bool) -> str:
    return found.row.row.label + (f" with {found.new.column.title}" if several else "")


def _tested(effect: Effect) -> int:
    return sum(bool(comparison.p_values) for comparison in effect.comparisons)
