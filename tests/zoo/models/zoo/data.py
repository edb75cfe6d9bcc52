"""Inputs and targets of the kinds, the same for every framework."""

import numpy as np

STEPS, WIDTH, SIDE, WORDS = 12, 32, 12, 50
SERIES = "lstm", "lstmcell", "stateful", "gru", "bidirectional", "selfattention", "wrapped"
# By kind, functions of a shape that give other numbers in each call.
RANDOM = {"randombatch": np.random.default_rng().random, "seededbatch": np.random.random}


def numbers(*shape):
    return np.random.default_rng(1).random(shape).astype("float32")


def words(batch_size):
    return np.random.default_rng(1).integers(1, WORDS, (batch_size, STEPS)).astype("int32")


def arrays(kind, batch_size, image=(SIDE, SIDE, 3)):
    if kind == "fixedsize":
        batch_size = 16
    plain, target = numbers(batch_size, WIDTH), numbers(batch_size, 1)
    if kind in RANDOM:
        return RANDOM[kind](plain.shape).astype("float32"), target
    if kind == "float64":
        return plain.astype("float64"), target.astype("float64")
    if kind == "largeoutput":
        return plain, numbers(batch_size, 2048)
    inputs = {
        "twoinputs": [plain, words(batch_size)],
        "shared": [plain, plain],
        "dictinputs": {"a": plain, "b": plain},
        **dict.fromkeys(("conv", "batchnorm"), numbers(batch_size, *image)),
        **dict.fromkeys(("embedding", "masked"), words(batch_size)),
        **dict.fromkeys(SERIES, numbers(batch_size, STEPS, WIDTH)),
        "short": plain[:, :1],
        "texts": np.full((batch_size, 1), "a b c"),
    }
    return inputs.get(kind, plain), target
