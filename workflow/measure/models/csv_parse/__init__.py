"""CSV parsing, before a model: numbers in a text file, read into an array."""
