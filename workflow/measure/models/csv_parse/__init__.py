"""Numbers in a text file, read into an array: what comes before a model."""
