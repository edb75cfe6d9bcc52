"""Train the study's networks on real data, and compare time, loss and accuracy per device.

    .venv/bin/python studies/cpu_against_gpu/training.py keras3-jax pytorch-eager --target 0.9

Each framework trains in its own process and in the environment that the study has installed, on the
CPU and, if there is one, on the GPU. Initial weights and the order of the images are the same.
"""

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = Path("results/studies/cpu_against_gpu")
VALIDATION = 0.15  # share of the images, the last ones
SHUFFLED_BY = 20241005  # the digits are sorted by writer
FIELDS = ("framework", "accelerator", "model", "data", "epoch", "train_s", "loss", "accuracy")
LOSS_WITHIN = 1e-3  # relative; rounding alone stays below


def main() -> None:
    """Train each framework on each device in its own process; write and print the results."""
    options = arguments()
    rows = []
    for framework in options.frameworks:
        for accelerator in ("cpu", "cuda"):
            if interpreter := installed(framework, accelerator):
                rows += trained(interpreter, framework, accelerator, options)
    if not rows:
        sys.exit("no environment found; run `make study NAME=cpu_against_gpu` first")
    table = RESULTS / "trainings.csv"
    with table.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    print("\n".join(summary(rows, options.target)), f"\n{table}: {len(rows)} epochs")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("frameworks", nargs="+", help="such as keras3-jax or pytorch-eager")
    parser.add_argument("--model", default="mnist_dense")
    parser.add_argument("--data", default="digits", choices=["digits", "mnist", "cifar100"])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--target", type=float, default=0.9, help="accuracy on validation images")
    return parser.parse_args()


def installed(framework: str, accelerator: str) -> str | None:
    """Return the interpreter for a framework; an environment for CUDA also serves the CPU."""
    name = "pytorch" if framework.startswith("pytorch") else framework
    for folder in ("cuda", "cpu") if accelerator == "cpu" else ("cuda",):
        for record in sorted(RESULTS.glob(f"environments/*/{folder}/{name}.json")):
            return json.loads(record.read_text())["interpreter"]
    return None


def trained(interpreter: str, framework: str, accelerator: str, options) -> list[dict]:
    """Train in a process of its own and return one row per epoch."""
    environ = {**os.environ, "KERAS_BACKEND": framework.removeprefix("keras3-")}
    environ |= {"NVIDIA_TF32_OVERRIDE": "0", "JAX_DEFAULT_MATMUL_PRECISION": "float32"}
    if accelerator == "cpu":
        environ |= {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "KERAS_TORCH_DEVICE": "cpu"}
    import yaml  # not in every framework's environment

    about = yaml.safe_load((HERE / "models" / options.model / "model.yaml").read_text())
    request = {**vars(options), "framework": framework, "accelerator": accelerator}
    request["architecture"] = about["architecture"]["paper"]
    command = [interpreter, __file__, "--train", json.dumps(request)]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{framework} on {accelerator}: failed, see above", file=sys.stderr)
        return []
    shared = {name: request[name] for name in ("framework", "accelerator", "model", "data")}
    return [{**shared, **json.loads(line)} for line in done.stdout.splitlines() if line[:1] == "{"]


def summary(rows: list[dict], target: float) -> list[str]:
    """Return one line per framework and device, and whether all end at the same loss."""
    lines, last = [], []
    for key in dict.fromkeys((row["framework"], row["accelerator"]) for row in rows):
        epochs = [row for row in rows if (row["framework"], row["accelerator"]) == key]
        seconds = sum(row["train_s"] for row in epochs[1:]) / max(1, len(epochs) - 1)
        reached = next((row["epoch"] for row in epochs if row["accuracy"] >= target), None)
        last.append(epochs[-1]["loss"])
        lines.append(
            f"{key[0]} on {key[1]}: {seconds:.3f} s per epoch, loss {last[-1]:.6f}, "
            f"accuracy {epochs[-1]['accuracy']:.4f}, {target} reached in epoch {reached or 'none'}"
        )
    spread = (max(last) - min(last)) / min(last)
    agrees = "agree" if spread <= LOSS_WITHIN else "DIFFER"
    return [*lines, f"final losses {agrees}: relative spread {spread:.1e}"]


def train(request: dict) -> None:
    """Train in this process and print one JSON line per epoch."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from millistep.measure import models

    models.__path__.append(str(HERE / "models"))
    import numpy as np

    cell = SimpleNamespace(**request, task="fit", seed=1, jit_compile="auto")
    images, classes = data(cell.data, cell.architecture["inputs"])
    if classes.max() >= cell.architecture["classes"]:
        sys.exit(f"{cell.data} has more classes than {cell.model}")
    held_back = max(1, round(VALIDATION * len(images)) // cell.batch) * cell.batch
    known = len(images) - held_back
    trained = known // cell.batch * cell.batch
    epoch, probabilities = (torch_loop if cell.framework.startswith("pytorch") else keras_loop)(
        cell
    )
    for number in range(1, cell.epochs + 1):
        order = np.random.default_rng([cell.seed, number]).permutation(trained)
        start = time.perf_counter()
        epoch(images[order], classes[order])
        train_s = time.perf_counter() - start
        found = probabilities(images[known:]).astype(np.float64)
        truth = classes[known:]
        loss = -np.log(np.clip(found[np.arange(len(truth)), truth], 1e-12, 1)).mean()
        accuracy = float((found.argmax(1) == truth).mean())
        row = {"epoch": number, "train_s": train_s, "loss": float(loss), "accuracy": accuracy}
        print("\n" + json.dumps(row), flush=True)


def data(name: str, inputs: list[int]):
    """Return float32 images of shape (n, *inputs) in 0 to 1, and int32 classes.

    Pixels are repeated or left out where the network takes images of another size.
    """
    import numpy as np

    if name == "digits":
        with gzip.open(HERE / "digits.csv.gz", "rt") as lines:
            table = np.loadtxt(lines, delimiter=",", dtype=np.float32)
        table = np.random.default_rng(SHUFFLED_BY).permutation(table)
        images, classes = table[:, :64].reshape(-1, 8, 8, 1) / 16, table[:, 64]
    else:
        import keras  # downloads the data once, into ~/.keras

        (images, classes), _ = getattr(keras.datasets, name).load_data()
        images = images.reshape(*images.shape[:3], -1).astype(np.float32) / 255
    pixels = int(np.prod(inputs))
    side = int((pixels / 3) ** 0.5)
    channels = 3 if 3 * side**2 == pixels else 1
    side = int((pixels / channels) ** 0.5)
    near = np.arange(side) * images.shape[1] // side
    images = np.repeat(images[:, near][:, :, near], channels // images.shape[3], axis=3)
    return np.ascontiguousarray(images.reshape(-1, *inputs)), classes.reshape(-1).astype(np.int32)


def keras_loop(cell):
    """Return functions that train one epoch and that predict, by Keras' own trainer."""
    from millistep.measure.models.classifier import keras3, layers

    model = keras3.build(cell)
    layers.start(model, cell)
    options = {"batch_size": cell.batch, "verbose": 0}

    def epoch(images, classes) -> None:
        model.fit(*layers.feed(cell, images, classes), epochs=1, shuffle=False, **options)

    return epoch, lambda images: model.predict(images, **options)


def torch_loop(cell):
    """Return functions that train one epoch and that predict, by a loop in PyTorch."""
    import torch
    from millistep.measure.models.classifier import pytorch

    device = torch.device(cell.accelerator)
    model = pytorch.build(cell).to(device)
    pytorch.start(model, cell)
    optimizer = pytorch.optimizer(model)
    step = torch.compile(model) if cell.framework == "pytorch-compiled" else model

    def tensors(images, classes=None):
        given = pytorch.feed(cell, images, classes)
        return {name: torch.from_numpy(array).to(device) for name, array in given.items()}

    def epoch(images, classes) -> None:
        model.train()
        given = tensors(images, classes)
        for first in range(0, len(images), cell.batch):
            part = {name: tensor[first : first + cell.batch] for name, tensor in given.items()}
            step(**part).loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if device.type == "cuda":
            torch.cuda.synchronize()

    def probabilities(images):
        model.eval()
        with torch.inference_mode():
            return model(**tensors(images)).cpu().numpy()

    return epoch, probabilities


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        train(json.loads(sys.argv[2]))
    else:
        main()
