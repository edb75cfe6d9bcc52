"""Formats: JSON read strictly, numbers and words as they are printed, errors in one line."""
