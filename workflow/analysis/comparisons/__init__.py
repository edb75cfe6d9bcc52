"""Comparisons: what follows from two or more cells, before anything is said of it."""
