"""A dense model with TeLU, x tanh(exp x)."""
