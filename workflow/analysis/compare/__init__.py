"""Two or more archives beside each other: ratios per cell, and what else was not the same."""
