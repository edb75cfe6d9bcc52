"""Tasks on a model around an operation in a Keras column."""

from dataclasses import asdict

import numpy as np
from column import framework_of

from measure.native import build, lines

STEPS = 10


def tell(one):
    """Results compared with the reference's, and losses or paths."""
    framework = framework_of(one)
    framework.build()
    models, called = framework.models, framework.models.alone(one)
    results = called[0]()
    built = build.found()
    return {
        "jit_compile": bool(framework.model.jit_compile),
        "dtype": framework.parity()["dtype"],
        "outputs": differences(models.outputs(one, results), models.expected(one)),
        "uses": called[1],
        "lines": lines.of_python(*models.written(one)),
        "built": {**asdict(built), "path": None} if built else None,
        **(trained(models, one) if one.task == "fit" else predicted(framework, one)),
    }


def differences(found, expected):
    """Largest difference of each result, as a share of its largest value."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].shape == values.shape, name
        assert found[name].dtype.kind == values.dtype.kind, name
    return {
        name: float(np.abs(found[name] - values).max() / np.abs(values).max())
        for name, values in expected.items()
    }


def trained(models, one):
    """Losses by the cell's way and by the framework's own, each from the same weights."""
    return {way: models.losses(one, way, STEPS) for way in {one.way, "framework"}}


def predicted(framework, one):
    """Paths, through the public API as a step is measured; True if the fence waited for all."""
    (value,) = framework.models.batch(one, one.batch_size)
    paths = framework.keras.Model.predict(framework.model, value, verbose=0)
    steps = iter([False] * 3)

    class Clock:
        late_ns = None

        def start(self):
            """Nothing to do."""

        def tick(self):
            if next(steps, True):
                framework.fence()
                self.late_ns = getattr(framework, "late_ns", lambda: 0)()
                return True
            return False

    framework.run(clock := Clock())
    return {"paths": paths.tolist(), "late_ns": clock.late_ns}
