"""Tiny models of the kinds that people bring, and what becomes of each on each framework.

    python -m tests.zoo.zoo [wall]   # write the table of docs/kinds-of-models.md

With `wall` the kinds are timed, which needs a quiet machine; with `cpu`, CPU time counts.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.models.libraries import interpreter_of
from tests.nets import NETS
from tests.shared import ROOT

PROGRAM = Path(__file__).with_name("program.py")
PAGE = ROOT / "docs/kinds-of-models.md"
BELOW = "<!-- Below: python -m tests.zoo.zoo -->\n"
FRAMEWORKS = ("keras3-tensorflow", "keras3-jax", "keras3-torch", "pytorch-eager")
# Kinds with their parameters and what they are.
KINDS = {
    "dense": (2177, "sequential"),
    "functional": (1089, "functional, with a residual"),
    "subclassed": (2177, "subclassed, without `build`"),
    "nested": (6339, "models within a model"),
    "shared": (2177, "two inputs through one layer"),
    "twoinputs": (529, "a list of inputs, floats and integers"),
    "dictinputs": (65, "a dict of inputs"),
    "twooutputs": (2242, "two outputs and two targets"),
    "conv": (233, "convolution"),
    "batchnorm": (241, "batch normalization"),
    "lstm": (3153, "LSTM"),
    "gru": (2417, "GRU"),
    "bidirectional": (2641, "bidirectional LSTM"),
    "selfattention": (4321, "multi-head attention"),
    "embedding": (1633, "integer inputs, embedding"),
    "masked": (953, "masked embedding and LSTM"),
    "dropout": (2177, "dropout"),
    "normalized": (2241, "layer normalization"),
    "customlayer": (2209, "custom layer"),
    "customloss": (2177, "custom loss"),
    "customoptimizer": (2177, "custom optimizer"),
    "trainstep": (2177, "custom `train_step`"),
    "ownoptimizer": (2177, "`train_step` with an optimizer of its own"),
    "accumulation": (2177, "gradient accumulation over 4 steps"),
    "mixed": (2177, "mixed precision: policy, autocast"),
    "float64": (2177, "float64"),
    "weightdecay": (2177, "weight decay of the optimizer"),
    "regularized": (2177, "L2 regularizer"),
    "frozen": (2177, "frozen layer"),
    "sampleweights": (2177, "sample weights"),
    "metrics": (2177, "two metrics"),
    "several": (2177, "`steps_per_execution=8`"),
    "eager": (2177, "`run_eagerly=True`"),
    "short": (2, "a step that computes almost nothing"),
    "int8": (2242, "weights of int8"),
    "packed": (2177, "weights of int8, packed by `quantize_dynamic`"),
    "largeoutput": (67584, "large outputs of predict"),
    "ownloop": (2177, "custom loop"),
    "eagerloop": (2177, "custom loop, calls the model without a program"),
    "functionloop": (2177, "custom loop, compiles a function of its own"),
    "partloop": (2177, "custom loop, calls a part of the model as another model"),
    "growing": (33, "custom loop, inputs that grow"),
    "ignoredjit": (2177, "`jit_compile: true`, ignored by the builder"),
    "listbatch": (2177, "`batch` returns a list"),
    "lazy": (2177, "lazy layers"),
    "noloss": (2177, "an output without a loss"),
    "headonly": (2177, "the optimizer has a part of the parameters"),
    "otheroptimizer": (2177, "the optimizer of another model"),
    "noreturn": (2177, "`build` returns nothing"),
    "scheduler": (2177, "`optimizer` returns an optimizer and a scheduler"),
    "floatloss": (2177, "a loss that is no tensor"),
    "losstypo": (2177, "a misspelled attribute `loss`"),
    "inplace": (2177, "changes its inputs in place"),
    "compiled": (2177, "compiled by the builder"),
    "partcompiled": (2177, "a part compiled by the model"),
    "scripted": (2177, "a part is TorchScript"),
    "spectral": (2177, "spectral normalization"),
    "statistics": (2177, "statistics of the inputs"),
    "lstmcell": (3153, "LSTM cell, called step by step"),
    "stateful": (3153, "stateful LSTM with a fixed batch size"),
    "texts": (409, "texts, an input of TensorFlow"),
    "calledinbuild": (2177, "`build` makes a step"),
    "latelayer": (2112, "a layer made by the first step"),
    "nogradient": (2177, "a forward pass without gradients"),
    "forces": (2177, "gradients of the inputs in `predict`"),
    "marked": (2177, "gradients of the inputs in `fit`"),
    "ownfit": (2177, "a `fit` of its own"),
    "fixedsize": (2177, "`batch` ignores the batch size"),
    "tensors": (2177, "`batch` returns tensors"),
    "typo": (2177, "a misspelled attribute"),
    "calltypo": (2177, "a misspelled attribute in `call`, without `build`"),
    "layeralone": (33, "`build` returns a layer"),
    "generator": (2177, "a forward pass that yields"),
    "wrapped": (3185, "a PyTorch module in a layer"),
    "listed": (2177, "PyTorch modules in a list"),
    "noupdate": (2177, "steps that change no weight"),
    "randombatch": (2177, "`batch` without a seed"),
    "seededbatch": (2177, "`batch` takes numbers from NumPy's own generator"),
    "ownfunction": (2177, "a `make_train_function` of its own"),
    "indata": (2177, "changes its inputs through `.data`"),
}
TASKS = {
    **dict.fromkeys(("largeoutput", "int8", "packed", "generator", "forces"), "predict"),
    **dict.fromkeys(("ownloop", "eagerloop", "functionloop", "partloop", "growing"), "generate"),
}
NATIVE = (  # alone
    *("lazy", "noloss", "headonly", "otheroptimizer", "scheduler", "floatloss", "losstypo"),
    *("compiled", "partcompiled", "lstmcell", "inplace", "latelayer", "nogradient"),
    *("scripted", "packed", "generator", "indata", "forces", "marked"),
)
OF_TORCH = (
    *("dense", "nested", "twoinputs", "dictinputs", "conv", "batchnorm", "lstm", "gru"),
    *("selfattention", "embedding", "dropout", "customloss", "customoptimizer", "mixed"),
    *("float64", "weightdecay", "frozen", "largeoutput", "short", "fixedsize", "tensors"),
    *("noreturn", "spectral", "noupdate", "randombatch", "seededbatch", *NATIVE),
)
KERAS = FRAMEWORKS[:3]
ON_TORCH = ("wrapped", "listed")  # of Keras on PyTorch alone
# One line for what is refused, by kind and framework.
TUPLE = r"WrongModel: batch\(\) returned a list; needed is a tuple"
TEXTS = r"WrongModel: batch\(\)\[0\] holds texts or objects; needed are numbers"
REFUSED = {
    "float64": {
        "keras3-jax": "WrongPrecision: .* was requested in float64 and is float32 on jax: set env",
        "keras3-torch": "WrongPrecision: the layers request float64, the products .* are float32",
    },
    "fixedsize": dict.fromkeys(FRAMEWORKS, "WrongModel: .* makes the same shapes for batch sizes"),
    "tensors": dict.fromkeys(FRAMEWORKS, r"WrongModel: batch\(\).*; needed is a NumPy array"),
    "listbatch": dict.fromkeys(KERAS, TUPLE),
    "typo": dict.fromkeys(KERAS, r"AttributeError: .*no_such_attribute.*zoo/keras3.py, line \d+"),
    "calltypo": dict.fromkeys(
        KERAS, r"WrongModel: .*'Misspelled' object has no attribute 'no_such'.*keras3.py, line \d+"
    ),
    "ignoredjit": dict.fromkeys(
        ("keras3-tensorflow", "keras3-torch"), "WrongSetting: jit_compile: true was requested"
    ),
    "lazy": {"pytorch-eager": "WrongModel: the model has parameters without a shape yet"},
    "several": {"keras3-torch": "ValueError: .*steps_per_execution.* must be 1 with the PyTorch"},
    "otheroptimizer": {"pytorch-eager": "WrongModel: .*the optimizer updates no parameter of this"},
    "ownfit": dict.fromkeys(KERAS, r"WrongModel: Own has a fit\(\) of its own, and Millistep"),
    "noreturn": dict.fromkeys(FRAMEWORKS, r"WrongModel: build\(\) returned a NoneType; needed is"),
    "compiled": {"pytorch-eager": r"WrongSetting: .*build\(\) returned a compiled model; return"},
    "scheduler": {"pytorch-eager": r"WrongModel: optimizer\(\) returned a tuple; needed is one op"},
    "floatloss": {"pytorch-eager": "WrongModel: for fit the model must .* its loss is a float"},
    "losstypo": {"pytorch-eager": r"AttributeError: .* no attribute 'loss' .*pytorch.py, line \d+"},
    "inplace": {"pytorch-eager": "WrongModel: the model changes its inputs in place"},
    "stateful": {"keras3-torch": "RuntimeError: one of the variables needed for gradient"},
    "texts": {"keras3-jax": TEXTS, "keras3-torch": TEXTS},
    "latelayer": {"pytorch-eager": "WrongModel: the model had 2,112 parameters before its steps"},
    "forces": {"pytorch-eager": "WrongModel: the model takes gradients, and predict .*, line"},
    "nogradient": {"pytorch-eager": "RuntimeError: element 0 of tensors does not require grad"},
    "layeralone": dict.fromkeys(
        KERAS, r"WrongModel: build\(\) returned a .*\.Dense; needed is a Model of keras 3"
    ),
    "listed": {"keras3-torch": "WrongModel: Keras does not train 2,112 parameters, because"},
    "generator": {"pytorch-eager": "WrongModel: the forward pass returned a generator, which comp"},
    "noupdate": dict.fromkeys(
        FRAMEWORKS, r"WrongModel: the steps changed no trained weight: train_step\(\) must apply"
    ),
    "randombatch": dict.fromkeys(
        FRAMEWORKS, r"WrongModel: batch\(\)\[.* differs when it is made again: seed its random"
    ),
    "ownfunction": dict.fromkeys(
        KERAS, r"WrongModel: OwnFunction has a make_train_function\(\) of"
    ),
    "indata": {"pytorch-eager": r"WrongModel: batch\(\)\['x'\] .* change no input in place"},
    "noloss": {"pytorch-eager": "WrongModel: for fit the model must return an object with a loss"},
}
RECOMPILED = "compilations in the timed windows"  # `growing`, once it is timed


def kinds_of(framework: str) -> list[str]:
    """Return the kinds that a framework has."""
    if framework == "pytorch-eager":
        return list(OF_TORCH)
    others = NATIVE if framework == "keras3-torch" else (*NATIVE, *ON_TORCH)
    return [kind for kind in KINDS if kind not in others]


def run(framework: str, kinds: list[str], clock: str | None = None) -> dict[str, dict]:
    """Build kinds on a framework and make two steps of each; with a clock, time them, too."""
    about = NETS[framework]
    asked = {
        "framework": framework,
        "module": about.module,
        "clock": clock,
        "kinds": [[kind, TASKS.get(kind, "fit"), KINDS[kind][0]] for kind in kinds],
    }
    alone = {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""}
    alone |= {"JAX_PLATFORMS": "cpu", "KERAS_TORCH_DEVICE": "cpu"}
    alone |= {"PYTHONPATH": str(ROOT / "workflow")}
    done = subprocess.run(
        [interpreter_of(about), "-s", str(PROGRAM), json.dumps(asked)],
        env={**os.environ, **alone},
        capture_output=True,
        text=True,
    )
    lines = [json.loads(line) for line in re.findall("^FOUND (.*)$", done.stdout, re.M)]
    assert len(lines) == len(kinds), done.stderr[-3000:]
    return {line["kind"]: line for line in lines}


def refusal(line: dict) -> str:
    """Return the problems of a kind in one line; empty without one."""
    problems = [
        f"{each['type']}: {each['message'].splitlines()[0]} ({each.get('line')})"
        for each in line.get("problems", ())
    ]
    return "; ".join([*problems, *filter(None, [line.get("refused")])])


def entry(line: dict | None) -> str:
    """Return a cell of the table: the ratio, or what is refused."""
    if line is None:
        return ""
    if told := refusal(line):
        return "compiles while timed" if RECOMPILED in told else told.partition(":")[0]
    return f"{line['harness_ms'] / line['hand_ms']:.3f}" if "hand_ms" in line else "runs"


def main() -> None:
    clock = sys.argv[1] if sys.argv[1:] else None
    found = {name: run(name, kinds_of(name), clock) for name in FRAMEWORKS}
    rows = [["kind", "", *FRAMEWORKS], ["---"] * (2 + len(FRAMEWORKS))]
    for kind, (_, about) in KINDS.items():
        cells = [entry(found[name].get(kind)) for name in FRAMEWORKS]
        rows.append([f"`{kind}`", about, *cells])
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    PAGE.write_text(PAGE.read_text("utf-8").partition(BELOW)[0] + BELOW + "\n" + table, "utf-8")


if __name__ == "__main__":
    main()
