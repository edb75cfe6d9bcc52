"""Two or more archives compared: ratios per cell, and what else differs."""
