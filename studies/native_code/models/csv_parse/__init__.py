"""Parse a CSV file of numbers; a batch is the rows of one file."""
