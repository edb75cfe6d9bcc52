"""Real images for a training: read from a published file, scaled to what the model takes."""

import gzip
import hashlib
import math
import pickle
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from measure.models import Architecture

VALIDATION = 0.15  # share of the images, the last ones
SHUFFLED_BY = 20241005  # the digits are sorted by who wrote them


class NoData(Exception):
    """The published file is not there, is another one, or does not fit the model."""


@dataclass(frozen=True)
class Sets:
    """float32 images of (n, *inputs) in 0 to 1 and int32 classes, in whole batches."""

    images: np.ndarray
    classes: np.ndarray
    validation_images: np.ndarray
    validation_classes: np.ndarray

    def order(self, epoch: int, seed: int) -> np.ndarray:
        """Order of the images in an epoch, counted from 0; the same in every framework."""
        return np.random.default_rng([seed, epoch]).permutation(len(self.images))

    def score(self, probabilities: np.ndarray) -> tuple[float, int]:
        """``(cross-entropy, images classified right)`` on the validation images."""
        rows = np.arange(len(self.validation_classes))
        of_truth = probabilities.astype(np.float64)[rows, self.validation_classes]
        right = probabilities.argmax(axis=1) == self.validation_classes
        return float(-np.log(np.clip(of_truth, 1e-12, 1)).mean()), int(right.sum())


def sets(planned: dict[str, Any], a: Architecture, batch_size: int) -> Sets:
    """Read a training's sets; planned: ``data``, ``path``, ``sha256``; raises :class:`NoData`."""
    images, classes = _read(planned["data"], _checked(Path(planned["path"]), planned["sha256"]))
    if classes.max() >= a["classes"]:
        raise NoData(f"{planned['data']} has {classes.max() + 1} classes, the net {a['classes']}")
    images = _scaled(images, tuple(a["inputs"]))
    held_back = max(batch_size, round(VALIDATION * len(images)) // batch_size * batch_size)
    trained = (len(images) - held_back) // batch_size * batch_size
    if trained < batch_size:
        raise NoData(f"{planned['data']} has {len(images)} images, fewer than two batches")
    last = len(images) - held_back
    return Sets(images[:trained], classes[:trained], images[last:], classes[last:])


def _checked(path: Path, sha256: str) -> Path:
    if not path.is_file():
        raise NoData(f"{path.name} is not there")
    with path.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != sha256:
        raise NoData(f"{path.name} has sha256 {found}, not {sha256}")
    return path


def _read(name: str, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images of (n, side, side, channels) in 0 to 1, and classes."""
    if name == "digits":
        with gzip.open(path, "rt") as lines:
            table = np.loadtxt(lines, delimiter=",", dtype=np.float32)
        table = np.random.default_rng(SHUFFLED_BY).permutation(table)
        return table[:, :64].reshape(-1, 8, 8, 1) / 16, table[:, 64].astype(np.int32)
    if name == "mnist":
        with np.load(path) as arrays:
            images, classes = arrays["x_train"], arrays["y_train"]
        return images[..., None].astype(np.float32) / 255, classes.astype(np.int32)
    # A pickle can run anything; the digest says that it is the published one.
    with tarfile.open(path) as archive:
        content = archive.extractfile("cifar-100-python/train")
        if content is None:
            raise NoData(f"{path.name} holds no training images")
        found = pickle.load(content, encoding="bytes")
    images = found[b"data"].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return images.astype(np.float32) / 255, np.array(found[b"fine_labels"], np.int32)


def _scaled(images: np.ndarray, inputs: tuple[int, ...]) -> np.ndarray:
    """Take each pixel from the nearest one; grey from the mean of colours, colours from grey."""
    if len(inputs) == 3:
        side, channels = inputs[0], inputs[2]
    else:
        channels = (
            3 if inputs[0] % 3 == 0 and math.isqrt(inputs[0] // 3) ** 2 * 3 == inputs[0] else 1
        )
        side = math.isqrt(inputs[0] // channels)
    near = np.arange(side) * images.shape[1] // side
    images = images[:, near][:, :, near]
    if images.shape[3] > channels:
        images = images.mean(axis=3, keepdims=True)
    images = np.repeat(images, channels // images.shape[3], axis=3)
    return np.ascontiguousarray(images.reshape(-1, *inputs), dtype=np.float32)
