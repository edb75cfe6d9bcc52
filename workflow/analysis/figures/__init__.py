"""Figures of the report, drawn with Matplotlib; importing the package does not import that."""
