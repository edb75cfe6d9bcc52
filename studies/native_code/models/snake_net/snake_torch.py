"""Snake in PyTorch operations."""

import torch


def snake(x, a):
    return x + torch.sin(a * x) ** 2 / a
