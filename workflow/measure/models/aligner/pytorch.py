"""The aligner in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import relu

from measure.frameworks import Cell
from measure.models import Architecture
from measure.models.aligner import inputs
from measure.models.image_regression import Loss
from measure.models.image_regression import sgd as optimizer
from measure.native import torch_steps, torch_ways

expected, outputs = inputs.expected, torch_steps.outputs


def build(cell: Cell) -> torch.nn.Module:
    """The aligner with its loss for fit, the search alone for predict."""
    if cell.task == "predict":
        return Search(search(cell))
    model = Aligner(cell.architecture, search(cell))
    embedding, *dense = map(torch.from_numpy, inputs.initial_weights(cell))
    # Outputs come before inputs here.
    weights = [embedding, *(each.T if each.ndim == 2 else each for each in dense)]
    with torch.no_grad():
        for parameter, weight in zip(model.parameters(), weights, strict=True):
            parameter.copy_(weight)
    return model


def batch(cell: Cell, batch_size: int) -> dict[str, np.ndarray]:
    """Keyword arguments of the forward pass."""
    if cell.task == "predict":
        return {"value": inputs.operand(cell, batch_size)}
    return {"text": inputs.text(cell, batch_size), "speech": inputs.speech(cell, batch_size)}


losses = partial(torch_steps.losses, build, batch, optimizer)


def search(cell: Cell) -> Callable[[Tensor], Tensor]:
    """The operation in the cell's way."""
    found = torch_ways.operation(inputs.OPERATION, cell.way)
    return torch_ways.not_unrolled(found) if cell.way == "framework" and cell.mode else found


def alone(cell: Cell) -> tuple[Callable[[], list[Tensor]], int]:
    """A function that searches values as a step has them; a step does so once."""
    forward = torch.inference_mode if cell.task == "predict" else torch.no_grad
    return torch_ways.repeated(search(cell), inputs.operand(cell), False, cell.mode, forward), 1


def written(cell: Cell) -> tuple[Any, ...]:
    """The functions that a user writes for the cell's way."""
    return torch_ways.written(inputs.OPERATION, cell.way)


class Search(torch.nn.Module):
    """The operation alone, as a model."""

    def __init__(self, search: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.search = search

    def forward(self, value: Tensor) -> Tensor:
        """value: float32 of (batch, frames, tokens)."""
        return self.search(value)


class Aligner(torch.nn.Module):
    """Encoders of text and speech; the loss is how far they are apart on the best path."""

    def __init__(self, a: Architecture, search: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(a["vocabulary"], a["width"])
        self.text_hidden = torch.nn.Linear(a["width"], a["width"])
        self.text_output = torch.nn.Linear(a["width"], a["channels"])
        self.speech_hidden = torch.nn.Linear(a["mels"], a["width"])
        self.speech_output = torch.nn.Linear(a["width"], a["channels"])
        self.search = search

    def forward(self, text: Tensor, speech: Tensor) -> Loss:
        """text: indices of (batch, tokens); speech: (batch, frames, mels)."""
        mu = self.text_output(relu(self.text_hidden(self.embedding(text))))
        z = self.speech_output(relu(self.speech_hidden(speech)))
        path = self.search(nearness(z.detach(), mu.detach()))
        chosen = path.long().unsqueeze(2).expand(-1, -1, mu.shape[2])
        return Loss((z - mu.gather(1, chosen)).square().mean())


def nearness(z: Tensor, mu: Tensor) -> Tensor:
    """-|z - mu|^2 / 2 of all frames and tokens, (batch, frames, tokens), by a matrix product."""
    squares = z.square().sum(2).unsqueeze(2) + mu.square().sum(2).unsqueeze(1)
    return z @ mu.transpose(1, 2) - 0.5 * squares
