"""A dense network with the activation Snake, x + sin(a x)^2 / a."""
