"""Comparisons of two or more cells, which caveats, claims, tables and figures share."""
