"""An answer on a pull request: what a patch changes, row by row, as a comment in Markdown.

Whoever asks may look several times and stop when all is decided, so intervals are so wide that
those of all rows and all looks hold at once (Bonferroni).
"""
