"""The kinds that PyTorch has, too."""

from typing import NamedTuple

import torch
from millistep.measure.models.zoo.data import SIDE, STEPS, WIDTH, WORDS, arrays
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class Output(NamedTuple):
    value: torch.Tensor
    loss: torch.Tensor | None


class Net(nn.Module):
    """A module, and the loss that fit asks for."""

    def __init__(self, *inner):
        super().__init__()
        self.inner = nn.Sequential(*inner)

    def forward(self, x, target=None):
        value = self.inner(x)
        return Output(value, None if target is None else self.loss(value, target))

    def loss(self, value, target):
        return nn.functional.mse_loss(value, target)


def mlp(kind):
    return lambda: kind(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Linear(64, 1))


dense = mlp(Net)


def nested():
    lazy = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    return Net(nn.Sequential(nn.Linear(WIDTH, 64), lazy), nn.Linear(1, 1))


class Dict(Net):
    def forward(self, x, target=None):
        return super().forward(torch.cat([x["a"], x["b"]], 1), target)


class List(Net):
    def __init__(self):
        super().__init__(nn.Linear(WIDTH + 8 * STEPS, 1))
        self.vectors = nn.Embedding(WORDS, 8)

    def forward(self, x, target=None):
        return super().forward(torch.cat([x[0], self.vectors(x[1]).flatten(1)], 1), target)


class Call(nn.Module):
    """A function of layers and of the inputs."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, x):
        return self.function(*self.layers, x)


def pooled(*axes):
    return Call(lambda x: x.mean(axes))


def last(layer):
    return Call(lambda layer, x: layer(x)[0][:, -1], layer)


def attended(layer, x):
    return x + layer(x, x, x, need_weights=False)[0]


def stepwise(cell, x):
    h = c = x.new_zeros(len(x), 16)
    for step in x.unbind(1):
        h, c = cell(step, (h, c))
    return h


class Distance(Net):
    def loss(self, value, target):
        return (value - target).abs().mean()


class Mixed(Net):
    def forward(self, x, target=None):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return super().forward(x, target)


def frozen():
    model = dense()
    model.inner[0].requires_grad_(False)
    return model


class Float(Net):
    def loss(self, value, target):
        return super().loss(value, target).item()


class Misspelled(nn.Sequential):
    def forward(self, x, target):
        return Output(x, self.loss(super().forward(x), target))


class LateLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.head = nn.Linear(WIDTH, 64), None

    def forward(self, x, target):
        if self.head is None:
            self.head = nn.Linear(64, 1)
        value = self.head(self.inner(x))
        return Output(value, nn.functional.mse_loss(value, target))


class NoGradient(Net):
    @torch.no_grad()
    def forward(self, x, target=None):
        return super().forward(x, target)


class Forces(Net):
    """Returns the gradient of its inputs, too."""

    def forward(self, x, target=None):
        x = x.clone().requires_grad_()
        value = self.inner(x)
        return Output((value, torch.autograd.grad(value.sum(), x)), None)


class Marked(Net):
    """Takes gradients of inputs that have none yet, as an adversarial training does."""

    def forward(self, x, target):
        if x.grad is not None:
            raise RuntimeError("the inputs have the gradients of an earlier step")
        found = super().forward(x.requires_grad_(), target)
        return Output(found.value, found.loss + super().forward(x.detach(), target).loss)


class Bare(nn.Sequential):
    def forward(self, x, target):
        return super().forward(x)


class Signs(torch.optim.Optimizer):
    def __init__(self, parameters, sign):  # cannot be made a second time without its sign
        super().__init__(parameters, {"sign": sign})

    @torch.no_grad()
    def step(self):
        for parameter in self.param_groups[0]["params"]:
            parameter.sub_(parameter.grad.sign(), alpha=0.01)


class InPlace(Net):
    def forward(self, x, target=None):
        return super().forward(x.sub_(0.5), target)


class InData(Net):
    def forward(self, x, target=None):
        x.data.sub_(0.5)  # without a trace in the tensor's version
        return super().forward(x, target)


class Yielding(Net):
    def forward(self, x):
        yield super().forward(x)


MODELS = {
    "nested": nested,
    "twoinputs": List,
    "dictinputs": lambda: Dict(nn.Linear(2 * WIDTH, 1)),
    "conv": lambda: Net(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), pooled(2, 3), nn.Linear(8, 1)),
    "batchnorm": lambda: Net(
        nn.Conv2d(3, 8, 3, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        pooled(2, 3),
        nn.Linear(8, 1),
    ),
    "lstm": lambda: Net(last(nn.LSTM(WIDTH, 16, batch_first=True)), nn.Linear(16, 1)),
    "gru": lambda: Net(last(nn.GRU(WIDTH, 16, batch_first=True)), nn.Linear(16, 1)),
    "selfattention": lambda: Net(
        Call(attended, nn.MultiheadAttention(WIDTH, 4, batch_first=True)),
        nn.LayerNorm(WIDTH),
        pooled(1),
        nn.Linear(WIDTH, 1),
    ),
    "embedding": lambda: Net(nn.Embedding(WORDS, WIDTH), pooled(1), nn.Linear(WIDTH, 1)),
    "dropout": lambda: Net(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 1)),
    "customloss": mlp(Distance),
    "mixed": mlp(Mixed),
    "float64": lambda: Net(nn.Linear(WIDTH, 64), nn.Linear(64, 1)).double(),
    "frozen": frozen,
    "largeoutput": lambda: Net(nn.Linear(WIDTH, 2048)),
    "short": lambda: Net(nn.Linear(1, 1)),
    "lazy": lambda: Net(nn.LazyLinear(64), nn.ReLU(), nn.Linear(64, 1)),
    "noloss": mlp(Bare),
    "noreturn": lambda: None,
    "floatloss": mlp(Float),
    "losstypo": mlp(Misspelled),
    "compiled": lambda: torch.compile(dense()),
    "partcompiled": lambda: Net(
        nn.Linear(WIDTH, 64), Call(torch.compile(torch.tanh, backend="eager")), nn.Linear(64, 1)
    ),
    "lstmcell": lambda: Net(Call(stepwise, nn.LSTMCell(WIDTH, 16)), nn.Linear(16, 1)),
    "spectral": lambda: Net(spectral_norm(nn.Linear(WIDTH, 64)), nn.ReLU(), nn.Linear(64, 1)),
    "inplace": mlp(InPlace),
    "scripted": lambda: Net(torch.jit.script(nn.Linear(WIDTH, 64)), nn.ReLU(), nn.Linear(64, 1)),
    "packed": lambda: torch.ao.quantization.quantize_dynamic(dense(), {nn.Linear}, torch.qint8),
    "latelayer": LateLayer,
    "nogradient": mlp(NoGradient),
    "generator": mlp(Yielding),
    "indata": mlp(InData),
    "forces": mlp(Forces),
    "marked": mlp(Marked),
}


def build(cell):
    kind = cell.architecture["kind"]
    model = MODELS.get(kind, dense)()  # the others differ in how they are fed or updated
    if model is not None:
        model.kind = kind
    return model


def optimizer(model):
    part = {"headonly": lambda: model.inner[2], "otheroptimizer": dense}
    parameters = part.get(model.kind, lambda: model)().parameters()
    if model.kind == "customoptimizer":
        return Signs(parameters, sign=1)
    found = torch.optim.SGD(parameters, lr=0.0 if model.kind == "noupdate" else 0.01)
    scheduled = model.kind == "scheduler"
    return (found, torch.optim.lr_scheduler.StepLR(found, 10)) if scheduled else found


def batch(cell, batch_size):
    kind = cell.architecture["kind"]
    x, target = arrays(kind, batch_size, image=(3, SIDE, SIDE))
    if kind == "tensors":
        x = torch.from_numpy(x)
    return {"x": x, "target": target} if cell.task == "fit" else {"x": x}
