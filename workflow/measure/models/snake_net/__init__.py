"""A dense net with Snake, x + sin(a x)^2 / a."""
