"""How a step grows with its batch: what does not grow with it, and what grows faster."""
