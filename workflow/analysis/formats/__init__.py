"""Formats: JSON read strictly, numbers and texts as they are printed, errors in one line."""
