"""How a step grows with its batch, and what of it does not."""
