"""The data sets for trainings: where each comes from, and the digest that it must have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dataset:
    """The file of a data set; `member` is its place in a wheel, if it comes from a package."""

    name: str
    file: str
    sha256: str
    source: str  # a requirement for pip, or an address
    member: str | None = None


DATASETS = {
    entry.name: entry
    for entry in (
        # 1,797 images of 8 x 8 pixels, from scikit-learn's wheel.
        Dataset(
            "digits",
            "digits.csv.gz",
            "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
            "scikit-learn==1.9.1",
            "sklearn/datasets/data/digits.csv.gz",
        ),
        # The files that keras.datasets downloads, with the digests that Keras 3.15.1 has for them.
        Dataset(
            "mnist",
            "mnist.npz",
            "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
            "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz",
        ),
        Dataset(
            "cifar100",
            "cifar-100-python.tar.gz",
            "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
            "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
        ),
    )
}
