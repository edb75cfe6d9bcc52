"""A dense model with Snake, x + sin(a x)^2 / a."""
