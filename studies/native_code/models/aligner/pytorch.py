"""The aligner in PyTorch; its search is made of PyTorch operations."""

import torch
from millistep.measure.models.aligner import inputs
from millistep.measure.models.aligner.search_torch import search
from millistep.measure.models.native.arrays import check
from millistep.measure.models.native.torch_operator import Loss, optimizer, set_weights
from torch.nn.functional import relu

__all__ = ["batch", "build", "build_with", "optimizer"]


def build(cell):
    # torch.compile would unroll the loop over frames, which takes minutes: leave the search out.
    return build_with(cell, torch.compiler.disable(search) if cell.mode else search)


def build_with(cell, search):
    """Return the aligner for fit, the search alone for predict, with a checked search."""
    value = inputs.operand(cell, 2)
    result = search(torch.from_numpy(value).to(cell.accelerator)).cpu()
    check("search", result, inputs.search(value))
    if cell.task == "predict":
        return Search(search)
    model = Aligner(cell.architecture, search)
    set_weights(model, inputs.initial_weights(cell))
    return model


def batch(cell, batch_size):
    if cell.task == "predict":
        return {"value": inputs.operand(cell, batch_size)}
    return {"text": inputs.text(cell, batch_size), "speech": inputs.speech(cell, batch_size)}


class Search(torch.nn.Module):
    """The search as a model."""

    def __init__(self, search):
        super().__init__()
        self.search = search

    def forward(self, value):
        return self.search(value)


class Aligner(torch.nn.Module):
    """Encoders of text and speech; the loss is their distance on the best path."""

    def __init__(self, a, search):
        super().__init__()
        self.embedding = torch.nn.Embedding(a["vocabulary"], a["width"])
        self.text_hidden = torch.nn.Linear(a["width"], a["width"])
        self.text_output = torch.nn.Linear(a["width"], a["channels"])
        self.speech_hidden = torch.nn.Linear(a["mels"], a["width"])
        self.speech_output = torch.nn.Linear(a["width"], a["channels"])
        self.search = search

    def forward(self, text, speech):
        mu = self.text_output(relu(self.text_hidden(self.embedding(text))))
        z = self.speech_output(relu(self.speech_hidden(speech)))
        path = self.search(nearness(z.detach(), mu.detach()))
        chosen = path.long().unsqueeze(2).expand(-1, -1, mu.shape[2])
        return Loss((z - mu.gather(1, chosen)).square().mean())


def nearness(z, mu):
    """Return -|z - mu|^2 / 2, (batch, frames, tokens), by a matrix product."""
    squares = z.square().sum(2).unsqueeze(2) + mu.square().sum(2).unsqueeze(1)
    return z @ mu.transpose(1, 2) - 0.5 * squares
