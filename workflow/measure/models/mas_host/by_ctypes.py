"""Monotonic alignment search in C, called through ctypes."""

from measure.native import c_calls
from measure.native.host_ways import Way


def way() -> Way:
    """Build the C code that the frameworks' callbacks call too."""
    c_calls.loaded("mas")
    return Way(c_calls.mas, c_calls.written("mas"))
