"""A dense model for CIFAR-100: 3072-1000-500-100."""
