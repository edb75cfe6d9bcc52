"""A dense net with TeLU, x tanh(exp x)."""
