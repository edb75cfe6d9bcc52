"""A dense net for CIFAR-100: 3072-1000-500-100."""
