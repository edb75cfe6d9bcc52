"""What one thing changes: columns that differ in nothing else, row by row and over all rows."""
