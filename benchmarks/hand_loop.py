"""Compare the reported ms/step with a hand-written loop over the same model in the same process.

Both loops take turns, and the ratio is the median of the pairs' ratios, so that drift of the
machine affects both. Without arguments, the script measures all frameworks and tasks.
"""

import dataclasses
import statistics
import time

from cells import asked, framework_of, last_line_inside, parser, planned, title

REPEATS = 7
WINDOW_S = 1.5
WARMUP_STEPS = 5  # of either loop; neither includes those in which a new call of the API settles


def main():
    options = asked(parser(__doc__, "laptop"), inside)
    plan, runs = planned(options.scale, options.models, options.columns, options.tasks)
    print(f"{'cell':44}reported (ms)  by hand (ms)  ratio", flush=True)
    for run in runs:
        print(f"{title(run):44}{last_line_inside(plan, run, __file__)}", flush=True)


def inside(identity):
    """Compare the loops in this process, which runs in the framework's environment."""
    framework = framework_of(identity)
    cell = framework.cell
    framework.load()
    framework.build()
    from millistep.measure.protocol import PROTOCOLS
    from millistep.measure.timer import Timer

    protocol = dataclasses.replace(
        PROTOCOLS["laptop"],
        windows=1,
        window_s=WINDOW_S,
        warmup_steps=WARMUP_STEPS,
        synchronized_steps=0,
    )
    own = getattr(framework.models, "LOOPS", {}).get(cell.task)
    by_hand_loop = own_loop if own else HAND_LOOPS[framework.family]
    reported, by_hand = [], []
    for _ in range(REPEATS):
        timer = Timer(protocol, framework.fence, framework.compilations)
        framework.run(timer)
        reported.append(timer.step_ns / 1e6)
        by_hand.append(by_hand_loop(framework, cell, timer.steps))
    ratio = statistics.median(r / h for r, h in zip(reported, by_hand, strict=True))
    return f"{statistics.median(reported):13.3f}{statistics.median(by_hand):14.3f}{ratio:7.3f}"


def own_loop(framework, cell, steps):
    """Time ``generate()`` calls or diffusion steps: the bare loop between two synchronizations."""
    model = getattr(framework, "step_model", framework.model)
    left, start = steps + WARMUP_STEPS, 0.0

    def tick():
        nonlocal left, start
        if left == steps:
            framework.fence()
            start = time.perf_counter()
        left -= 1
        return left < 0

    framework.models.LOOPS[cell.task](model, cell, cell.batch_size, tick)
    framework.fence()
    return 1000 * (time.perf_counter() - start) / steps


def keras3(framework, cell, steps):
    """Time the trainer's own step function, fed as the trainer feeds it."""
    from keras.src.trainers.data_adapters.py_dataset_adapter import PyDatasetAdapter

    model, fit = framework.model, cell.task == "fit"
    dataset = framework.dataset(cell.batch_size)
    if framework.backend == "tensorflow":
        return tensorflow(framework, model, dataset, fit, steps)
    given = PyDatasetAdapter(dataset)
    if framework.backend == "jax":
        return keras3_jax(framework, model, given.get_jax_iterator(), fit, steps)
    return keras3_torch(framework, model, iter(given.get_torch_dataloader()), fit, steps)


def keras3_jax(framework, model, data, fit, steps):
    jax, tree = framework.jax, framework.keras.tree
    wanted = {"trainable_variables": True, "non_trainable_variables": True}
    if fit:
        wanted |= {"optimizer_variables": True, "metrics_variables": True}
    state = model._get_jax_state(**wanted, purge_model_variables=True)
    function = model.train_function if fit else model.predict_function
    for _ in range(WARMUP_STEPS):
        outputs, state = function(state, data)
    jax.block_until_ready(tree.flatten((outputs, state)))
    start = time.perf_counter()
    for _ in range(steps):
        outputs, state = function(state, data)
    jax.block_until_ready(tree.flatten((outputs, state)))
    elapsed = time.perf_counter() - start
    names = [name for name, _ in wanted.items()]
    model._jax_state = dict(zip(names, state, strict=True))
    model._jax_state_synced = False
    model.jax_state_sync()
    return 1000 * elapsed / steps


def tensorflow(framework, model, dataset, fit, steps):
    data = iter(dataset)
    function = model.train_function if fit else model.predict_function
    if framework.family == "keras3" and not fit:
        return timed(lambda: function([next(data)]), framework.fence, steps)
    return timed(lambda: function(data), framework.fence, steps)


def keras3_torch(framework, model, data, fit, steps):
    function = model.train_function if fit else model.predict_function
    model.train(fit)
    return timed(lambda: function([next(data)]), framework.fence, steps)


def keras2(framework, cell, steps):
    dataset = framework.dataset(cell.batch_size)
    return tensorflow(framework, framework.model, dataset, cell.task == "fit", steps)


def native(framework, cell, steps):
    torch, model = framework.torch, framework.step_model
    arrays = framework.models.batch(cell, cell.batch_size)
    host = {name: torch.from_numpy(array) for name, array in arrays.items()}

    def fit():
        loss = model(**{name: t.to(framework.device) for name, t in host.items()}).loss
        loss.backward()
        framework.optimizer.step()
        framework.optimizer.zero_grad()

    def predict():
        with torch.inference_mode():
            model(**{name: t.to(framework.device) for name, t in host.items()})

    return timed(fit if cell.task == "fit" else predict, framework.fence, steps)


def timed(step, fence, steps):
    """Return milliseconds per step between two synchronizations, after the warm-up."""
    for _ in range(WARMUP_STEPS):
        step()
    fence()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    fence()
    return 1000 * (time.perf_counter() - start) / steps


HAND_LOOPS = {"keras2": keras2, "keras3": keras3, "pytorch": native}

if __name__ == "__main__":
    main()
