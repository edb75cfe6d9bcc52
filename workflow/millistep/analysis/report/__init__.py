"""The report: a first page that states the result, the sections behind it, and the appendix."""
