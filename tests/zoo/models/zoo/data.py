"""Inputs of the kinds, the same for every framework."""

import numpy as np

STEPS, WIDTH, SIDE, WORDS = 12, 32, 12, 50
# By kind, functions of a shape that give other numbers in each call.
RANDOM = {"randombatch": np.random.default_rng().random, "seededbatch": np.random.random}


def numbers(*shape, dtype="float32"):
    return np.random.default_rng(1).random(shape).astype(dtype)


def words(batch_size):
    return np.random.default_rng(1).integers(1, WORDS, (batch_size, STEPS)).astype("int32")
