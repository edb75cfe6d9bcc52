# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Crop and flip in Cython: plain loops, typed."""


def augment(
    const unsigned char[:, :, :, ::1] pictures,
    const long[:, ::1] corners,
    const unsigned char[::1] flips,
    Py_ssize_t padding,
    unsigned char[:, :, :, ::1] found,
):
    """Pictures with black around them, cropped to their size, some flipped from left to right.

    found: zeros of the pictures' shape, filled in.
    """
    cdef Py_ssize_t item, row, column, source_row, source, channel
    cdef Py_ssize_t side = pictures.shape[1], channels = pictures.shape[3]
    with nogil:
        for item in range(pictures.shape[0]):
            for row in range(side):
                source_row = row + corners[item, 0] - padding
                if source_row < 0 or source_row >= side:
                    continue
                for column in range(side):
                    source = side - 1 - column if flips[item] else column
                    source += corners[item, 1] - padding
                    if source < 0 or source >= side:
                        continue
                    for channel in range(channels):
                        found[item, row, column, channel] = pictures[item, source_row, source, channel]
