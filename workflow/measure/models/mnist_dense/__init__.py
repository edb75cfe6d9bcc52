"""A dense net for MNIST: 784-300-100-10."""
