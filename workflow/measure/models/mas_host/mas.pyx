# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Monotonic alignment search in Cython: the loops of the C code, typed."""

cdef extern from "float.h":
    const float FLT_MAX  # no infinity: -ffast-math assumes that there is none


def mas(const float[:, :, ::1] value, float[:, ::1] best, int[:, ::1] path):
    """value: (batch, frames, tokens). best: scratch (frames, tokens). path: (batch, frames)."""
    cdef Py_ssize_t item, frame, token
    cdef Py_ssize_t frames = value.shape[1], tokens = value.shape[2]
    cdef float stay, advance
    with nogil:
        for item in range(value.shape[0]):
            for token in range(tokens):
                best[0, token] = -FLT_MAX
            best[0, 0] = value[item, 0, 0]
            for frame in range(1, frames):
                advance = -FLT_MAX
                for token in range(tokens):
                    stay = best[frame - 1, token]
                    best[frame, token] = value[item, frame, token] + (advance if advance > stay else stay)
                    advance = stay
            token = tokens - 1
            for frame in range(frames - 1, 0, -1):
                path[item, frame] = token
                if token > 0 and best[frame - 1, token - 1] > best[frame - 1, token]:
                    token -= 1
            path[item, 0] = token
