"""Snake and its gradient as C++ operators of PyTorch."""

from pathlib import Path

import torch
from millistep.measure.models.native.torch_operator import differentiable, load

load(Path(__file__).with_name("snake_torch.cpp"))
snake = torch.ops.native_code.snake
differentiable("native_code::snake", torch.ops.native_code.snake_gradient)
