"""A dense model for MNIST: 784-300-100-10."""
