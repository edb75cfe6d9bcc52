"""Trained to the end: how long it took, what came out, and whether all columns agree."""
