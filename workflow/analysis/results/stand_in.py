"""Results of a GPU that was simulated: its own name says so, as its driver gives it.

They show that the harness does what it should (docs/gpu_stand_in.md). They are no measurement: the
report and its figures say so in their titles, an archive of them is not to be cited, and nothing of
them stands beside what was measured.
"""

from collections.abc import Iterable

from analysis.formats.errors import InputError
from analysis.formats.text import listed
from analysis.results.record import Record
from analysis.results.results import Results

MARK = "(stand-in)"  # in the name of such a GPU: tests/gpu_stand_in
TITLE = "Simulated GPU, nothing here is a measurement"
NOT_TO_BE_CITED = "These results are of a simulated GPU: they are not to be cited."


def is_simulated(results: Results) -> bool:
    """True if any record is of a simulated GPU; then all are, see :func:`check`."""
    return any(map(_simulated, results.all_records))


def names_a_simulated(device: str | None) -> bool:
    """True for the name of a simulated GPU, which is never the hardware of a publication."""
    return MARK in (device or "")


def check(results: Results) -> Results:
    """The results; raises InputError where simulated and measured ones would stand together."""
    simulated = {record.cell.column for record in results.all_records if _simulated(record)}
    measured = {record.cell.column for record in results.all_records if not _simulated(record)}
    if simulated and measured:
        raise InputError(
            f"records of a simulated GPU ({listed(sorted(simulated))}) stand beside measured ones "
            f"({listed(sorted(measured))}); remove the records of one of the two"
        )
    return results


def same_kind(all_results: Iterable[Results]) -> bool:
    """True if results may be compared: all were measured, or none was."""
    return len({is_simulated(results) for results in all_results}) < 2


def _simulated(record: Record) -> bool:
    return names_a_simulated(record.machine.accelerator_name)
