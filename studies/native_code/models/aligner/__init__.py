"""A small aligner of text and speech around monotonic alignment search."""
