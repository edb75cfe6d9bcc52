"""Time the original benchmark's BERT script and Millistep's loop in the same process.

The model, its ``compile``, data set and clock follow benchmark/bert and benchmark/utils.py of
haifeng-jin/keras-benchmarks, with random weights and fewer steps. A difference shows that a
framework compiles something else than the original script. Both loops take turns; the figures are
medians, and the ratio is the median of the pairs' ratios.
"""

import dataclasses
import statistics
import time

from cells import asked, framework_of, last_line_inside, parser, planned, title

STEPS = 20
WINDOW_S = 1.5
REPEATS = 5


def main():
    options = asked(parser(__doc__, "laptop"), inside)
    plan, runs = planned(options.scale, ["bert"], options.columns, options.tasks)
    print(f"{'':36}published (ms)  ours (ms)  ratio", flush=True)
    for run in (run for run in runs if run.column.name.startswith("keras")):
        print(f"{title(run):36}{last_line_inside(plan, run, __file__)}", flush=True)


def inside(identity):
    """Time both models in this process, which runs in the framework's environment."""
    framework = framework_of(identity)
    framework.load()
    run_theirs = published(framework.keras, framework.models, framework.cell)
    framework.build()
    theirs, ours = [], []
    for _ in range(REPEATS):
        theirs.append(run_theirs())
        ours.append(measured(framework))
    ratio = statistics.median(o / t for o, t in zip(ours, theirs, strict=True))
    return f"{statistics.median(theirs):14.1f}{statistics.median(ours):11.1f}{ratio:7.2f}"


def measured(framework):
    """Return milliseconds per step as a run measures it."""
    from millistep.measure.protocol import PROTOCOLS
    from millistep.measure.timer import Timer

    protocol = dataclasses.replace(PROTOCOLS["laptop"], windows=1, window_s=WINDOW_S)
    timer = Timer(protocol, framework.fence, framework.compilations)
    framework.run(timer)
    return timer.step_ns / 1e6


def published(keras, models, cell):
    """Return a function that runs the original loop once and returns ms per step by its clock."""
    from millistep.measure.models.bert import keras3 as bert

    backbone = bert._backbone(cell.architecture)
    classifier = bert.keras_hub.models.BertClassifier
    model = classifier(backbone=backbone, num_classes=2, preprocessor=None)
    trains = {
        "loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        "optimizer": keras.optimizers.AdamW(),
    }
    model.compile(**(trains if cell.task == "fit" else {}), jit_compile=use_jit(keras))
    loop, data = getattr(model, cell.task), dataset(models, cell)

    def run():
        clock = callback(keras)
        loop(data, callbacks=[clock], verbose=0)
        return 1000.0 * (clock.end_s - clock.begin_s) / STEPS

    return run


def use_jit(keras):
    return not (keras.__version__.startswith("3.") and keras.backend.backend() == "torch")


def dataset(models, cell):
    """Return one batch, repeated and cached in memory by tf.data, for every backend."""
    import tensorflow as tf

    batch = models.batch(cell, cell.batch_size)
    cached = tf.data.Dataset.from_tensors(batch).repeat(STEPS + 1).cache()
    for _ in cached:
        pass
    return cached


def callback(keras):
    class Clock(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if batch == 1:
                self.begin_s = time.time()

        def on_train_batch_end(self, batch, logs=None):
            if batch == STEPS:
                self.end_s = time.time()

        on_predict_batch_begin, on_predict_batch_end = on_train_batch_begin, on_train_batch_end

    return Clock()


if __name__ == "__main__":
    main()
