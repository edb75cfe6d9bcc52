# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Parse numbers with the C library."""

from libc.stdlib cimport strtod


def parse(const char *text, double[::1] numbers):
    """Fill in the numbers of a text; one separator follows each number."""
    cdef char *end = <char *>text
    cdef Py_ssize_t place
    for place in range(numbers.shape[0]):
        numbers[place] = strtod(end, &end)
        end += 1
