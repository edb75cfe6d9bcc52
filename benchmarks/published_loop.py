"""Times the published benchmark's own BERT script beside ours: same sizes, environment, processor.

Its model, its ``compile``, its dataset and its clock, written down here from benchmark/bert and
benchmark/utils.py of haifeng-jin/keras-benchmarks; without its download (weights are random) and
with fewer steps. If a column compiles something else than that script asked for, this shows it.
Both are repeated in turn; the figures are medians, the ratio that of the pairs' ratios.
"""

import dataclasses
import statistics
import time

from cells import asked, framework_of, last_line_inside, parser, planned, title

STEPS = 20
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
    """Milliseconds per step as a run measures it."""
    from measure.protocol import PROTOCOLS
    from measure.timer import Timer

    protocol = dataclasses.replace(PROTOCOLS["laptop"], max_steps=STEPS)
    timer = Timer(protocol, framework.fence, framework.compilations)
    framework.run(timer)
    return timer.step_ns / 1e6


def published(keras, models, cell):
    """The published model, as a function that runs its loop once: ms per step by its arithmetic."""
    if keras.__version__.startswith("3."):
        classifier = models.keras_hub.models.BertTextClassifier
    else:
        classifier = models.keras_nlp.models.BertClassifier
    backbone = models._backbone(cell.architecture)
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
    """One batch, repeated and cached in memory by tf.data, whatever the backend is."""
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
