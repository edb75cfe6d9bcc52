"""Three convolutions and two dense layers for CIFAR-100."""
